import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { refreshAll, useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'

const touched = [readTransmission, listTransmissions, listDeliveries]

/** Says until when a transmission waits for the hours of its organization, and offers to let it leave all the same. */
export function OutsideHours({ transmission }: { transmission: Transmission }) {
  const { id, version, state, goesOnAt, timeZone } = transmission
  const [isAsking, setAsking] = useState(false)
  const [knows, setKnows] = useState(false)
  const change = useChange(changeTransmission, touched)
  if (goesOnAt === null) return null
  const leave = async () => {
    const isDone = await attempt(
      () =>
        change.mutateAsync({
          params: { transmissionId: id },
          body: { action: 'send_outside', version },
        }),
      () => 'The mails are on their way.',
    )
    if (!isDone) await refreshAll(touched)
  }
  return (
    <Notice
      tone="info"
      role="status"
      action={
        state === 'sending' && (
          <Button variant="default" size="sm" onClick={() => setAsking(true)}>
            Send outside the hours
          </Button>
        )
      }
    >
      Nothing leaves outside the hours of your organization. It goes on from{' '}
      <time dateTime={goesOnAt}>{dueText(goesOnAt, timeZone)}</time> on.
      <ConfirmDialog
        isOpen={isAsking}
        title="Send outside the hours?"
        confirmLabel="Send outside the hours"
        isDangerous={false}
        isReady={knows}
        onConfirm={leave}
        onClose={() => {
          setAsking(false)
          setKnows(false)
        }}
      >
        <p>Its mails leave now, whatever the hour is where they are read. Your name is kept with it.</p>
        <Checkbox
          label="I know that it is outside the hours of the organization"
          checked={knows}
          onChange={(event) => setKnows(event.currentTarget.checked)}
        />
      </ConfirmDialog>
    </Notice>
  )
}
