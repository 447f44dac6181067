import { Textarea } from '@mantine/core'
import { useState } from 'react'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  type Transmission,
} from '#contract/transmissions.ts'
import { sentence } from '#web/api/errors.ts'
import { fieldErrors } from '#web/api/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { toast } from '#web/ui/toasts.ts'

type Props = { transmission: Transmission; onClose: () => void }

/** Says no, with a reason that the author can act on. */
export function Reject({ transmission, onClose }: Props) {
  const { id, version, subject, sender } = transmission
  // As it was when the dialog was opened: what has been changed since is another thing to decide about.
  const [seen] = useState(version)
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string | null>(null)
  const change = useChange(changeTransmission, [readTransmission, listTransmissions])
  const reject = async () => {
    const body = { action: 'reject', version: seen, reason } as const
    const found = fieldErrors(changeTransmission.body, body)['reason']
    if (found) return setError(found)
    try {
      await change.mutateAsync({ params: { transmissionId: id }, body })
      toast.success(`Rejected. ${sender.name} has been told why.`)
      onClose()
    } catch (refusal) {
      setError(sentence(refusal))
    }
  }
  return (
    <FormDialog
      title={`Reject “${subject}”?`}
      submitLabel="Reject"
      isDangerous
      isBusy={change.isPending}
      onSubmit={reject}
      onClose={onClose}
    >
      <p>Nothing is sent. It becomes a draft again, which {sender.name} can change and submit once more.</p>
      <Textarea
        label="Reason"
        description={`${sender.name} reads it, and it goes into the audit log.`}
        value={reason}
        error={error}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={1_000}
        onChange={(event) => {
          setReason(event.currentTarget.value)
          setError(null)
        }}
      />
    </FormDialog>
  )
}
