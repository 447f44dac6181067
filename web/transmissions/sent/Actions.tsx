import { Button } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  transmissionActions,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { refreshAll, useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { formatDateTime, plural } from '#web/ui/format.ts'
import { openOf, sentOf } from '../labels.ts'

const touched = [readTransmission, listTransmissions, listDeliveries]
type Halt = 'pause' | 'resume' | 'cancel'
const done: Record<Halt, string> = {
  pause: 'Paused. Nothing more is sent until you resume.',
  resume: 'Sending goes on.',
  cancel: 'Cancelled.',
}

/** Returns whether it is so old that what the page says may not be true any more. */
const isLongAgo = ({ updatedAt }: Transmission) => Date.now() - Date.parse(updatedAt) > 86_400_000

export function Actions({ transmission }: { transmission: Transmission }) {
  const { id, version, state, subject, counts, updatedAt } = transmission
  const [asking, setAsking] = useState<Halt | null>(null)
  const change = useChange(changeTransmission, touched)
  const act = async (action: Halt) => {
    const isDone = await attempt(
      () => change.mutateAsync({ params: { transmissionId: id }, body: { action, version } }),
      done[action],
    )
    // Most likely it has moved on in the meantime.
    if (!isDone) await refreshAll(touched)
  }
  const may = (action: Halt) => transmissionActions[action].some((one) => one === state)
  return (
    <>
      {may('resume') && (
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={change.isPending}
          onClick={() => (isLongAgo(transmission) ? setAsking('resume') : void act('resume'))}
        >
          Resume
        </Button>
      )}
      {may('pause') && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} aria-hidden />}
          loading={change.isPending && asking === null}
          onClick={() => void act('pause')}
        >
          Pause
        </Button>
      )}
      {may('cancel') && (
        <Button
          variant="default"
          leftSection={<IconX size={16} aria-hidden />}
          onClick={() => setAsking('cancel')}
        >
          Cancel sending
        </Button>
      )}
      <ConfirmDialog
        isOpen={asking === 'resume'}
        title={`Resume “${subject}”?`}
        confirmLabel="Resume"
        isDangerous={false}
        onConfirm={() => act('resume')}
        onClose={() => setAsking(null)}
      >
        <p>
          It has stood still since {formatDateTime(updatedAt)}. {plural(openOf(counts), 'mail')} would leave
          now, except to whoever has left or been barred, or need not be told any more.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'cancel'}
        title={`Cancel “${subject}”?`}
        confirmLabel="Cancel sending"
        onConfirm={() => act('cancel')}
        onClose={() => setAsking(null)}
      >
        <p>
          {plural(openOf(counts), 'mail')} will not be sent, and this cannot be undone. The{' '}
          {plural(sentOf(transmission), 'mail')} that left already stay with their recipients.
        </p>
      </ConfirmDialog>
    </>
  )
}
