import { Button } from '@mantine/core'
import { listDeliveries, resolveDelivery } from '#contract/transmissions/deliveries.ts'
import { readTransmission, type Delivery } from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { Dialog } from '#web/ui/Dialog.tsx'

type Props = { transmissionId: string; delivery: Delivery | null; onClose: () => void }

/** What to do about a mail of which nobody knows whether it arrived. */
export function Decide({ transmissionId, delivery, onClose }: Props) {
  const resolve = useChange(resolveDelivery, [readTransmission, listDeliveries])
  const name = delivery?.user.name ?? ''
  const decide = async (decision: 'send_again' | 'treat_as_failed') => {
    await attempt(
      () =>
        resolve.mutateAsync({
          params: { transmissionId, deliveryId: delivery?.id ?? '' },
          body: { decision },
        }),
      decision === 'send_again'
        ? `The mail to ${name} is sent again.`
        : `The mail to ${name} counts as failed.`,
    )
    onClose()
  }
  return (
    <Dialog
      isOpen={delivery !== null}
      title={`Did the mail to ${name} arrive?`}
      onClose={onClose}
      dismiss="Leave it open"
      actions={
        <>
          <Button
            variant="default"
            loading={resolve.isPending}
            onClick={() => void decide('treat_as_failed')}
          >
            Treat as failed
          </Button>
          <Button loading={resolve.isPending} onClick={() => void decide('send_again')}>
            Send again
          </Button>
        </>
      }
    >
      <p>
        The line to the mail server broke while the mail left, so it may have arrived or not. When you send it
        again, it may arrive twice; the personal link stays the same.
      </p>
    </Dialog>
  )
}
