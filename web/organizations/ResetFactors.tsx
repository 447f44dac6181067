import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { resetFactors } from '#contract/factors.ts'
import { sentence } from '../api/errors.ts'
import { fieldErrors } from '../api/fieldErrors.ts'
import { useChange } from '../api/query.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { toast } from '../ui/toasts.ts'
import type { AccessProps } from './access.ts'

/** For somebody who has lost phone, passkey and codes; told to them, with the reason. */
export function ResetFactors({ orgId, user, onClose }: AccessProps) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string | null>(null)
  const reset = useChange(resetFactors)
  const confirm = async (event: FormEvent) => {
    event.preventDefault()
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
    <Dialog
      title={`Reset the second step of ${user.name}?`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" type="submit" form="reset-factors" loading={reset.isPending}>
            Reset second step
          </Button>
        </>
      }
    >
      <p>
        The authenticator app, all passkeys and the recovery codes are removed, and {user.name} is signed out
        everywhere. The password stays; the next sign-in asks for a new second step where one is required.
      </p>
      <p>Make sure that it is really {user.name} who asks, for example by calling them.</p>
      <form id="reset-factors" noValidate onSubmit={(event) => void confirm(event)}>
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
      </form>
    </Dialog>
  )
}
