import { Button } from '@mantine/core'
import { IconArrowBackUp, IconSend, IconUserCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { mostReminded } from '#contract/assignments/assignments.ts'
import { changeWaivers, previewWaivers, type WaiverAction } from '#contract/duty/waivers.ts'
import { call } from '#web/api/client.ts'
import { useChange } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { BulkDialog, type Bulk } from '#web/lists/bulk/BulkDialog.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { mostPeople, type Picked } from './picked.ts'
import { Remind, remindLabel } from '#web/duty/Remind.tsx'
import type { Picking } from './usePicked.ts'
import { useWaiveFields, WaiveFields } from './WaiveFields.tsx'
import selectionClasses from '#web/ui/table/SelectionBar.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Action = WaiverAction['action']
type Props = { orgId: string; picking: Picking; videoCount: number }

/** Says what is picked, and what can be done with it. It stands at the lower edge as long as something is. */
export function PickBar({ orgId, picking, videoCount }: Props) {
  const { picked, clear, allVideos } = picking
  const { people, videos } = picked
  const [action, setAction] = useState<Action | 'remind' | null>(null)
  const hint = hintOf(picked)
  return (
    <section
      className={`${shapes.row} ${shapes.rise} ${selectionClasses.selection}`}
      data-part="selection"
      aria-label="Selection"
    >
      <p role="status">
        <strong>{plural(people.size, 'person', 'people')}</strong> and{' '}
        <strong>{plural(videos.size, 'video')}</strong> selected
      </p>
      {videos.size < videoCount && (
        <Button variant="subtle" size="compact-sm" onClick={allVideos}>
          {videoCount === 1 ? 'Select the video' : `Select all ${formatNumber(videoCount)} videos`}
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={clear}>
        Clear
      </Button>
      {people.size > 0 && people.size <= mostReminded && (
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => setAction('remind')}
        >
          {remindLabel(people.size)}
        </Button>
      )}
      {hint ? (
        <p>{hint}</p>
      ) : (
        <div className={`${shapes.row} ${selectionClasses.actions}`}>
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} aria-hidden />}
            onClick={() => setAction('end')}
          >
            Take waivers back…
          </Button>
          <Button leftSection={<IconUserCheck size={16} aria-hidden />} onClick={() => setAction('waive')}>
            Waive…
          </Button>
        </div>
      )}
      {action === 'remind' && (
        <Remind
          orgId={orgId}
          whom={{ userIds: [...people], videoIds: [...videos] }}
          people={people.size}
          onDone={clear}
          onClose={() => setAction(null)}
        />
      )}
      {action && action !== 'remind' && (
        <WaiverDialog {...{ orgId, picked, action }} onBegun={clear} onClose={() => setAction(null)} />
      )}
    </section>
  )
}

function hintOf({ people, videos }: Picked): string | null {
  if (people.size > mostPeople)
    return `At most ${formatNumber(mostPeople)} people can be picked at once. Choose a group, or search.`
  if (people.size === 0) return 'Pick people as well, at the start of their rows.'
  return videos.size === 0 ? 'Pick videos as well, at the head of their columns, to waive them.' : null
}

type DialogProps = {
  orgId: string
  picked: Picked
  action: Action
  onBegun: () => void
  onClose: () => void
}

const wordings: Record<Action, Pick<Bulk, 'title' | 'button' | 'willBe'>> = {
  waive: {
    title: 'Waive trainings',
    button: (n) => `Waive ${plural(n, 'training')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'training')}</strong> will be waived.
      </>
    ),
  },
  end: {
    title: 'Take waivers back',
    button: (n) => `Take back ${plural(n, 'waiver')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'waiver')}</strong> will be taken back.
      </>
    ),
  },
}

function WaiverDialog({ orgId, picked, action, onBegun, onClose }: DialogProps) {
  const fields = useWaiveFields()
  const change = useChange(changeWaivers)
  const cells = { userIds: [...picked.people], videoIds: [...picked.videos] }
  const params = { orgId }
  const isWaive = action === 'waive'
  const isOwnIn = picked.people.has(session.read().user?.id ?? '')
  const begin = async () => {
    try {
      const asked = isWaive ? { action, ...fields.read() } : { action }
      return await change.mutateAsync({ params, body: { ...cells, do: asked } })
    } catch (error) {
      fields.fail(error)
      throw error
    }
  }
  return (
    <BulkDialog
      {...wordings[action]}
      consequences={
        <p>
          {isWaive
            ? 'Each of the people need not watch any of the videos, also where one was not sent to them yet.'
            : 'What was waived is asked for again. The waivers stay in the history.'}
          {isWaive && isOwnIn && ' You are left out: nobody waives themselves.'}
        </p>
      }
      preview={{
        key: [orgId, action, ...cells.userIds, ...cells.videoIds],
        ask: () => call(previewWaivers, { params, body: { ...cells, action } }),
      }}
      begin={begin}
      {...(isWaive ? { isReady: () => fields.isReady() } : {})}
      onBegun={onBegun}
      onClose={onClose}
    >
      {isWaive && <WaiveFields fields={fields} />}
    </BulkDialog>
  )
}
