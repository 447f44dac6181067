import { useEffect, useState } from 'react'
import type { verifyPassword } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { Notice, PasswordField, Submit } from '../fields.tsx'
import { Card, PageLink } from '../Frame.tsx'
import { goTo } from '../navigate.ts'
import { goOn } from '../onwards.ts'
import { required, useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

/** The second step of signing in, for those who gave only their address in the first. */
export function LoginPassword() {
  const [identifier] = useState(() => session.read().authIdentifier ?? '')
  useEffect(() => {
    if (identifier === '') goTo(paths.signIn())
  }, [identifier])
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => required(values, ['password']),
    send: async ({ password = '' }) => {
      const answer = await call<typeof verifyPassword>(
        { method: 'POST', path: '/authorizations/verify-password' },
        { body: { identifier, password } },
      )
      if (answer.status !== 'reauthenticated') goOn(answer)
    },
  })
  return (
    <Card
      title="Enter your password"
      lead={
        <>
          You are signing in as <strong>{identifier}</strong>.
        </>
      }
      foot={
        <>
          Not you? <PageLink to={paths.signIn()}>Use another address</PageLink>
        </>
      }
    >
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <input type="hidden" name="identifier" autoComplete="username" value={identifier} readOnly />
        <PasswordField name="password" label="Password" data-autofocus error={errors['password']} />
        <div className={classes.row}>
          <PageLink to={paths.resetPassword()}>Forgot your password?</PageLink>
        </div>
        <Submit isBusy={isBusy}>Sign in</Submit>
      </form>
    </Card>
  )
}
