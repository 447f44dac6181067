import { Button } from '@mantine/core'
import { listDeliveries } from '#contract/deliveries.ts'
import { readTransmission, resolveDelivery, type Delivery } from '#contract/transmissions.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { Dialog } from '#web/ui/Dialog.tsx'
import { toast } from '#web/ui/toasts.ts'

type Props = { transmissionId: string; delivery: Delivery | null; onClose: () => void }

/** What to do about a mail of which nobody knows whether it arrived. */
export function Decide({ transmissionId, delivery, onClose }: Props) {
  const resolve = useChange(resolveDelivery, [readTransmission, listDeliveries])
  const name = delivery?.user.name ?? ''
  const decide = async (decision: 'send_again' | 'treat_as_failed') => {
    try {
      await resolve.mutateAsync({
        params: { transmissionId, deliveryId: delivery?.id ?? '' },
        body: { decision },
      })
      toast.success(
        decision === 'send_again'
          ? `The mail to ${name} is sent again.`
          : `The mail to ${name} counts as failed.`,
      )
    } catch (error) {
      toast.failure(sentence(error))
    }
    onClose()
  }
  return (
    <Dialog
      isOpen={delivery !== null}
      title={`Did the mail to ${name} arrive?`}
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Leave it open
          </Button>
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
