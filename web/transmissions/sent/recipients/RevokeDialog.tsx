import { TextInput } from '@mantine/core'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { revokeLink } from '#contract/transmissions/links.ts'
import type { Delivery } from '#contract/transmissions/transmissions.ts'
import { useOneField } from '#web/api/forms/oneField.ts'
import { useChange } from '#web/api/query.ts'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'

type Props = { transmissionId: string; delivery: Delivery; onClose: () => void }

/** Asks for the reason, which whoever opens the link reads. */
export function RevokeDialog({ transmissionId, delivery, onClose }: Props) {
  const revoke = useChange(revokeLink, [listDeliveries])
  const name = delivery.user.name || delivery.user.email
  const { field, submit, isBusy } = useOneField('reason', '', async (reason) => {
    await revoke.mutateAsync({ params: { transmissionId, deliveryId: delivery.id }, body: { reason } })
    toast.success(`The link of ${name} opens nothing any more.`)
    onClose()
  })
  return (
    <FormDialog
      title={`Revoke the link of ${name}?`}
      submitLabel="Revoke the link"
      isDangerous
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        It stops at once and for good, for this message alone. What was watched with it stays. To let this
        person watch again, send the video anew.
      </p>
      <TextInput
        {...field}
        label="Reason"
        description="Whoever opens the link reads it."
        maxLength={300}
        data-autofocus
      />
    </FormDialog>
  )
}
