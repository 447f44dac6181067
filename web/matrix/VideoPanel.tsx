import { Button, TextInput } from '@mantine/core'
import { IconArrowBarToUp, IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useState } from 'react'
import type { TrainingVideo } from '#contract/matrix/training.ts'
import '#web/ui/fields/fields.ts'
import { leaveFlyout } from '#web/ui/overlays/Flyout.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { allVideos, asNot, asOnly, chosenFrom, keyOf, moved, toggled, type VideoChoice } from './choice.ts'
import panelClasses from '#web/ui/table/Panel.module.css'
import styles from './VideoPanel.module.css'
import { shows, tip } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'
import buttonClasses from '#web/ui/IconButton.module.css'

type Props = {
  /** These are all videos that the filters find, by title. */
  videos: readonly TrainingVideo[]
  choice: VideoChoice
  /** Hears the choice; `isOrdered` is true when its order is wanted for the columns. */
  onChoose: (choice: VideoChoice, isOrdered: boolean) => void
}

/** Up to this number, videos need no search. */
const few = 8

/** Chooses videos and their order. Everything takes effect at once, and stands in the address. */
export function VideoPanel({ videos, choice, onChoose }: Props) {
  return (
    <>
      <KindChoice videos={videos} choice={choice} onChoose={onChoose} />
      <List videos={videos} choice={choice} onChoose={onChoose} />
      <footer>
        <Button
          variant="default"
          size="xs"
          onClick={() => onChoose({ kind: 'only', keys: [] }, false)}
          disabled={choice.kind === 'only' && choice.keys.length === 0}
        >
          Untick all
        </Button>
        <Button variant="default" size="xs" onClick={() => onChoose(allVideos, false)}>
          Show all
        </Button>
        <Button variant="default" size="xs" onClick={({ currentTarget }) => leaveFlyout(currentTarget)}>
          Close
        </Button>
      </footer>
    </>
  )
}

function KindChoice({ videos, choice, onChoose }: Props) {
  const kinds = [
    { kind: 'not', label: 'All that are ticked, and new ones', to: asNot },
    { kind: 'only', label: 'Only those that are ticked, in this order', to: asOnly },
  ] as const
  return (
    <fieldset className={panelClasses.columns}>
      <legend>Show in the matrix</legend>
      {kinds.map(({ kind, label, to }) => (
        <label key={kind}>
          <input
            type="radio"
            name="training-kind"
            checked={choice.kind === kind}
            onChange={() => onChoose(to(choice, videos), kind === 'only')}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

function List({ videos, choice, onChoose }: Props) {
  const [said, say] = useState('')
  const [text, setText] = useState('')
  const shown = chosenFrom(videos, choice).map(keyOf)
  const [listed, setListed] = useState(() => orderOf(videos, shown))
  // Somebody who takes a video out wants to find it where it was.
  const rows = inOrder(videos, listed)
  const wanted = text.trim().toLowerCase()
  const found = rows.filter(({ title }) => title.toLowerCase().includes(wanted))
  const move = ({ title, ...video }: TrainingVideo, to: number) => {
    const next = moved({ kind: 'only', keys: shown }, keyOf(video), to)
    onChoose(next, true)
    setListed(orderOf(videos, next.keys))
    say(`${title} is now number ${to + 1} of ${formatNumber(shown.length)}.`)
  }
  return (
    <fieldset className={`${panelClasses.columns} ${styles.videos}`}>
      <legend>
        Videos <span className={shapes.hint}>({formatNumber(shown.length)} shown)</span>
      </legend>
      {videos.length > few && (
        <TextInput
          type="search"
          size="xs"
          aria-label="Find a video"
          placeholder="Find a video"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <ol>
        {found.map((video) => {
          const key = keyOf(video)
          const at = shown.indexOf(key)
          return (
            <li key={key}>
              <label>
                <input
                  type="checkbox"
                  checked={at >= 0}
                  onChange={({ currentTarget }) =>
                    onChoose(toggled(choice, key, currentTarget.checked), false)
                  }
                />
                <span>{video.title}</span>
              </label>
              {choice.kind === 'only' && at >= 0 && (
                <Moves title={video.title} at={at} count={shown.length} onMove={(to) => move(video, to)} />
              )}
            </li>
          )
        })}
      </ol>
      {found.length === 0 && <p>No video has this in its title.</p>}
      <p className={shapes.sr} role="status">
        {said}
      </p>
    </fieldset>
  )
}

/** Lists those that are shown in their order, then the others. */
function orderOf(videos: readonly TrainingVideo[], shown: readonly string[]): readonly string[] {
  return [...shown, ...videos.map(keyOf).filter((key) => !shown.includes(key))]
}

function inOrder(videos: readonly TrainingVideo[], listed: readonly string[]): readonly TrainingVideo[] {
  const places = new Map(listed.map((key, at) => [key, at]))
  const place = (video: TrainingVideo) => places.get(keyOf(video)) ?? listed.length
  return videos.toSorted((a, b) => place(a) - place(b))
}

type MovesProps = { title: string; at: number; count: number; onMove: (to: number) => void }

/** Moves a video with plain buttons, because there are hundreds of them. */
function Moves({ title, at, count, onMove }: MovesProps) {
  const steps = [
    { way: 'to the start', to: 0, Icon: IconArrowBarToUp, isEnd: at === 0 },
    { way: 'up', to: at - 1, Icon: IconArrowUp, isEnd: at === 0 },
    { way: 'down', to: at + 1, Icon: IconArrowDown, isEnd: at === count - 1 },
  ]
  return steps.map(({ way, to, Icon, isEnd }) => (
    <button
      key={way}
      type="button"
      className={buttonClasses.button}
      data-size="28"
      data-tone="quiet"
      aria-label={`Move ${title} ${way}`}
      aria-disabled={isEnd}
      {...(isEnd
        ? tip(`This is the ${at === 0 && way !== 'down' ? 'first' : 'last'}`)
        : shows(`Move ${way}`))}
      onClick={() => !isEnd && onMove(to)}
    >
      <Icon size={16} aria-hidden />
    </button>
  ))
}
