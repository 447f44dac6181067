import { useState } from 'react'
import { resetPassword } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { StartAgain } from './Confirm.tsx'
import { Notice, Submit } from '../fields.tsx'
import { flow } from '../flow.ts'
import { Card, PageLink } from '../Frame.tsx'
import { goTo } from '../navigate.ts'
import { checkNewPassword, NewPasswordFields } from './NewPasswordFields.tsx'
import { useSubmit } from '../useSubmit.ts'

/** The last step to a new password; the code has been verified on the page before. */
export function NewPassword() {
  const [isVerified] = useState(() => flow.read().isVerified)
  return isVerified ? <NewPasswordForm /> : <StartAgain />
}

/** Why nobody enters with the present one. */
const reasons = {
  breached:
    'Your password is known from a data breach or is one of the most common ones, so others may try it. Please choose another one; afterwards you sign in with it.',
  reset_by_admin: 'An administrator has asked you to choose a new password. Afterwards you sign in with it.',
} as const

function NewPasswordForm() {
  const { form, errors, problem, isBusy } = useSubmit({
    check: checkNewPassword,
    send: async ({ password = '' }) => {
      await call(resetPassword, { body: { password }, flowToken: flow.read().flowToken })
      flow.end('Your new password is set. Please sign in with it.')
      goTo(paths.signIn())
    },
  })
  const [{ mustChange }] = useState(() => flow.read())
  return (
    <Card
      title="Choose a new password"
      lead={
        mustChange
          ? reasons[mustChange]
          : 'It replaces the present one, and ends the sessions that are open elsewhere.'
      }
      foot={<PageLink to={paths.signIn()}>Back to sign in</PageLink>}
    >
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <input type="hidden" autoComplete="username" value={session.read().authIdentifier ?? ''} readOnly />
        <NewPasswordFields label="New password" errors={errors} />
        <Submit isBusy={isBusy}>Update password</Submit>
      </form>
    </Card>
  )
}
