import { Button } from '@mantine/core'
import { IconSchool } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { choiceFrom, chosenFrom } from './choice.ts'
import type { Page, Search } from './search.ts'
import { states } from '#web/ui/figures/standings.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { state: Search; change: (patch: Partial<Search>) => void; page: Page }

function titleOf({ q, group, open, state }: Search): string {
  if (state !== '') return `Nobody is in the state “${states[state].word}”`
  return open !== '' && q === '' && group === '' ? 'Everybody has completed it' : 'Nothing matches'
}

const nobody = {
  title: 'Nobody to see yet',
  words: 'Add the people who receive your videos, or become administrator of their group.',
}
const nothingSent = {
  title: 'Nothing was sent yet',
  words: 'As soon as a video is sent, everybody who got it has a row with it here.',
}
const nothingThen = {
  title: 'Nothing was asked of anybody by then',
  words: 'At the end of that day no video had been sent or assigned.',
}

/** Says why there is no matrix, and leads to one. */
export function Nothing({ state, change, page }: Props) {
  const isNarrowed =
    state.q !== '' || state.group !== '' || state.project !== '' || state.state !== '' || state.open !== ''
  const why = state.on !== '' ? nothingThen : page.people === 0 ? nobody : nothingSent
  const mayContent = useUser().role !== 'groupadmin'
  const all = { q: '', group: '', project: '', state: '', open: '' } as const
  if (page.videos.length > 0 && chosenFrom(page.videos, choiceFrom(state.cols)).length === 0)
    return (
      <div className={shapes.card}>
        <EmptyState
          title="No video is chosen"
          icon={<IconSchool size={24} />}
          action={
            <Button variant="default" onClick={() => change({ cols: '' })}>
              Show all videos
            </Button>
          }
        >
          Tick the videos that you want to see, or show all of them.
        </EmptyState>
      </div>
    )
  return (
    <div className={shapes.card}>
      {isNarrowed ? (
        <EmptyState
          title={titleOf(state)}
          icon={<IconSchool size={24} />}
          action={
            <Button variant="default" onClick={() => change(all)}>
              Show everybody
            </Button>
          }
        >
          Search for something else, or take a filter away.
        </EmptyState>
      ) : (
        <EmptyState
          title={why.title}
          icon={<IconSchool size={24} />}
          action={
            mayContent && why === nothingSent ? (
              <Button component={Link} to={paths.transmissionCreate()}>
                Send a video
              </Button>
            ) : undefined
          }
        >
          {why.words}
        </EmptyState>
      )}
    </div>
  )
}
