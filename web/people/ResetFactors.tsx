import { TextInput } from '@mantine/core'
import { resetFactors } from '#contract/identity/factors.ts'
import { useOneField } from '../api/oneField.ts'
import { useChange } from '../api/query.ts'
import { FormDialog } from '../ui/FormDialog.tsx'
import { toast } from '../ui/toasts.ts'
import type { AccessProps } from '../organizations/access.ts'

/** For somebody who has lost phone, passkey and codes; told to them, with the reason. */
export function ResetFactors({ orgId, user, onClose }: AccessProps) {
  const reset = useChange(resetFactors)
  const { field, submit, isBusy } = useOneField('reason', '', async (reason) => {
    await reset.mutateAsync({ params: { orgId, userId: user.id }, body: { reason } })
    toast.success(`The second step of ${user.name} was reset.`)
    onClose()
  })
  return (
    <FormDialog
      title={`Reset the second step of ${user.name}?`}
      submitLabel="Reset second step"
      isDangerous
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        The authenticator app, all passkeys and the recovery codes are removed, and {user.name} is signed out
        everywhere. The password stays; the next sign-in asks for a new second step where one is required.
      </p>
      <p>Make sure that it is really {user.name} who asks, for example by calling them.</p>
      <TextInput
        {...field}
        label="Reason"
        description="It goes into the mail that they get, and into the audit log."
        maxLength={500}
        autoComplete="off"
      />
    </FormDialog>
  )
}
