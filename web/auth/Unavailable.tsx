import { useSyncExternalStore } from 'react'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { Card, PageLink } from './Frame.tsx'

const back = <PageLink to={paths.signIn()}>Back to sign in</PageLink>

export function LoginPin() {
  return (
    <Card
      title="Sign-in by code is switched off"
      lead="Please sign in with your password. If you do not have one yet, or have forgotten it, set a new one with a code that we send you."
      foot={back}
    >
      <PageLink to={paths.resetPassword()} className="button">
        Set a new password
      </PageLink>
    </Card>
  )
}

/** The person of the saved session, known only in the browser. */
function useSavedName(): string | null {
  return useSyncExternalStore(
    session.subscribe,
    () => session.read().user?.name ?? null,
    () => null,
  )
}

export function DeleteAccount() {
  const name = useSavedName()
  return (
    <Card
      title="Removing an account"
      lead="An administrator of your organization can remove your account. What you have watched stays with the organization as evidence."
      foot={name === null ? back : <a href={paths.dashboard()}>Back to the dashboard</a>}
    />
  )
}
