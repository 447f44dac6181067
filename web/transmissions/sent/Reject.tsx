import { Textarea } from '@mantine/core'
import { useState } from 'react'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { useOneField } from '#web/api/forms/oneField.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'

type Props = { transmission: Transmission; onClose: () => void }

/** Says no, with a reason that the author can act on. */
export function Reject({ transmission, onClose }: Props) {
  const { id, version, subject, sender } = transmission
  // The version is the one that was there when the dialog was opened, because whatever was changed since has to be decided about anew.
  const [seen] = useState(version)
  const change = useChange(changeTransmission, [readTransmission, listTransmissions])
  const { field, submit, isBusy } = useOneField('reason', '', async (reason) => {
    await change.mutateAsync({
      params: { transmissionId: id },
      body: { action: 'reject', version: seen, reason },
    })
    toast.success(`Rejected. ${sender.name} has been told why.`)
    onClose()
  })
  return (
    <FormDialog
      title={`Reject “${subject}”?`}
      submitLabel="Reject"
      isDangerous
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>Nothing is sent. It becomes a draft again, which {sender.name} can edit and submit once more.</p>
      <Textarea
        {...field}
        label="Reason"
        description={`${sender.name} reads it, and it goes into the audit log.`}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={1_000}
      />
    </FormDialog>
  )
}
