import { TextInput } from '@mantine/core'
import { IconLinkOff } from '@tabler/icons-react'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { revokeLink } from '#contract/links.ts'
import { listDeliveries } from '#contract/deliveries.ts'
import type { Delivery } from '#contract/transmissions.ts'
import { useOneField } from '#web/api/oneField.ts'
import { useChange } from '#web/api/query.ts'
import '#web/ui/fields.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { toast } from '#web/ui/toasts.ts'
import { IconButton } from '#web/ui/IconButton.tsx'
import { tipStop } from '#web/ui/tips.ts'

type Props = { transmissionId: string; delivery: Delivery }

/** Takes the personal link of one recipient back; of one that was taken back it says so. */
export function RevokeLink({ transmissionId, delivery }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { user, state, linkRevokedAt, linkRevokedReason } = delivery
  const name = user.name || user.email
  if (linkRevokedAt) return <span {...tipStop(linkRevokedReason)}>Link revoked</span>
  if (state === 'skipped' || state === 'cancelled') return null
  return (
    <>
      <IconButton
        icon={IconLinkOff}
        label={`Revoke the link of ${name}`}
        title="Revoke the personal link"
        onClick={() => setOpen(true)}
      />
      {/* Outside of the row, whose style is for one line. */}
      {isOpen &&
        createPortal(
          <RevokeDialog transmissionId={transmissionId} delivery={delivery} onClose={() => setOpen(false)} />,
          document.body,
        )}
    </>
  )
}

function RevokeDialog({ transmissionId, delivery, onClose }: Props & { onClose: () => void }) {
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
