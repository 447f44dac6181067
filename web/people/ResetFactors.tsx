import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { resetFactors } from '#contract/factors.ts'
import { sentence } from '../api/errors.ts'
import { fieldErrors } from '../api/fieldErrors.ts'
import { useChange } from '../api/query.ts'
import { FormDialog } from '../ui/FormDialog.tsx'
import { toast } from '../ui/toasts.ts'
import type { AccessProps } from '../organizations/access.ts'

/** For somebody who has lost phone, passkey and codes; told to them, with the reason. */
export function ResetFactors({ orgId, user, onClose }: AccessProps) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string | null>(null)
  const reset = useChange(resetFactors)
  const confirm = async () => {
    const found = fieldErrors(resetFactors.body, { reason })['reason']
    if (found) return setError(found)
    try {
      await reset.mutateAsync({ params: { orgId, userId: user.id }, body: { reason } })
      toast.success(`The second step of ${user.name} was reset.`)
      onClose()
    } catch (refusal) {
      setError(sentence(refusal))
    }
  }
  return (
    <FormDialog
      title={`Reset the second step of ${user.name}?`}
      submitLabel="Reset second step"
      isDangerous
      isBusy={reset.isPending}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p>
        The authenticator app, all passkeys and the recovery codes are removed, and {user.name} is signed out
        everywhere. The password stays; the next sign-in asks for a new second step where one is required.
      </p>
      <p>Make sure that it is really {user.name} who asks, for example by calling them.</p>
      <TextInput
        label="Reason"
        description="It goes into the mail that they get, and into the audit log."
        value={reason}
        error={error}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => {
          setReason(event.currentTarget.value)
          setError(null)
        }}
      />
    </FormDialog>
  )
}
