import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { ViewAsInput, viewingMinutes } from '#contract/view-as.ts'
import { sentence } from '../api/errors.ts'
import { fieldErrors } from '../api/fieldErrors.ts'
import { startViewing } from '../session/viewing.ts'
import { FormDialog } from '../ui/FormDialog.tsx'
import { plural } from '../ui/format.ts'
import type { AccessProps } from '../organizations/access.ts'

/** Asks why, and then shows the console as that person sees it. */
export function ViewAs({ user, onClose }: AccessProps) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const begin = async () => {
    const body = { userId: user.id, reason: reason.trim() }
    const wrong = fieldErrors(ViewAsInput, body)['reason']
    if (wrong) return setError(wrong)
    setBusy(true)
    try {
      await startViewing(body)
    } catch (refusal) {
      setError(sentence(refusal))
      setBusy(false)
    }
  }
  return (
    <FormDialog
      title={`View as ${user.name}?`}
      submitLabel="Start viewing"
      isBusy={isBusy}
      onSubmit={begin}
      onClose={onClose}
    >
      <p>
        For {plural(viewingMinutes, 'minute')} you see what they see, in every tab of this browser. You cannot
        change anything, and their own work goes on undisturbed.
      </p>
      <Textarea
        label="Reason"
        description="The audit log keeps it; the administrators of the organization can read it."
        placeholder="For example: they report that a list stays empty"
        autosize
        minRows={2}
        maxLength={500}
        value={reason}
        error={error}
        onChange={({ currentTarget }) => {
          setReason(currentTarget.value)
          setError(null)
        }}
      />
    </FormDialog>
  )
}
