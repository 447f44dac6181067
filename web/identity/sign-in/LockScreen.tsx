import { useEffect, useState, useSyncExternalStore } from 'react'
import { lockSession, logout, verifyPassword, type SessionUser } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { ApiError, explain, type Explanation } from '#web/api/errors.ts'
import { passkeysWork } from '#web/api/passkeySupport.ts'
import { session } from '#web/api/session.ts'
import { paths, returnAddress } from '#web/paths.ts'
import { Notice, PasswordField, Submit } from '../fields.tsx'
import { Card, PageLink } from '../Frame.tsx'
import { useSearchParam } from '../navigate.ts'
import { unlockAtProvider, useProof } from '../provider/useProof.ts'
import { usePasskeyPress } from './usePasskeyPress.ts'
import { required, useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

/** The person of the saved session, known only in the browser. */
function useSavedUser() {
  return useSyncExternalStore(
    session.subscribe,
    () => session.read().user,
    () => null,
  )
}

type State = 'locking' | 'locked' | { failed: Explanation }

/** Locked already, it stays so; who is no longer signed in at all is told by the session itself. */
async function lock(): Promise<State> {
  try {
    const { user } = await call(lockSession, {})
    session.apply({ type: 'user-read', user })
    return 'locked'
  } catch (error) {
    return error instanceof ApiError && error.status === 401 ? 'locking' : { failed: explain(error) }
  }
}

/** Opening this page locks the session on the server; only its owner's password opens it again. */
export function LockScreen() {
  const user = useSavedUser()
  const [state, setState] = useState<State>('locking')
  const isSaved = user !== null
  useEffect(() => {
    if (isSaved) void lock().then(setState)
  }, [isSaved])
  if (user === null) return <NobodyThere />
  if (typeof state === 'object')
    return (
      <Card title="Not locked yet" lead={`${state.failed.title}. ${state.failed.detail}`}>
        <button type="button" className={classes.button} onClick={() => void lock().then(setState)}>
          Try again
        </button>
      </Card>
    )
  return <Unlock user={user} isReady={state === 'locked'} />
}

function NobodyThere() {
  const back = useSearchParam('return')
  return (
    <Card title="Nobody is signed in" lead="There is no session in this browser that could be locked.">
      <PageLink to={paths.signIn(back ?? undefined)} className={classes.button}>
        Sign in
      </PageLink>
    </Card>
  )
}

/** The session goes on under a new token, where it was. */
function open(token: string): void {
  session.apply({ type: 'token-set', token })
  location.assign(returnAddress(new URLSearchParams(location.search).get('return')))
}

type Props = { user: SessionUser; isReady: boolean }

function Unlock({ user: { email, name, mfa }, isReady }: Props) {
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => required(values, ['password']),
    send: async ({ password = '' }) => {
      const answer = await call(verifyPassword, { body: { identifier: email, password } })
      if (answer.status === 'reauthenticated') open(answer.token)
    },
  })
  const { own, connections } = useProof(isReady)
  const byPasskey = usePasskeyPress()
  const unlockByPasskey = () =>
    byPasskey.run(async () => {
      const { reauthenticateByPasskey } = await import('#web/api/passkeys.ts')
      open((await reauthenticateByPasskey()).token)
    })
  const shown = problem ?? byPasskey.problem
  const unlockBy = (connectionId: string) =>
    byPasskey.run(() =>
      unlockAtProvider(connectionId, new URLSearchParams(location.search).get('return') ?? ''),
    )
  const leave = async () => {
    await call(logout, { timeout: 3_000 }).catch(() => undefined)
    session.apply({ type: 'signed-out' })
    location.assign(paths.signIn())
  }
  return (
    <Card
      title={isReady ? 'The session is locked' : 'Locking the session'}
      lead={
        <>
          <strong>{name}</strong>, your work waits behind this page, in every tab.{' '}
          {own ? 'Your password opens it.' : 'Your company’s sign-in opens it.'}
        </>
      }
      foot={
        <>
          Not you?{' '}
          <button type="button" className={classes.link} onClick={() => void leave()}>
            Logout
          </button>
        </>
      }
    >
      {shown && <Notice title={shown.title}>{shown.detail}</Notice>}
      <form {...form}>
        <input type="hidden" name="identifier" autoComplete="username" value={email} readOnly />
        {own && (
          <>
            <PasswordField name="password" label="Password" data-autofocus error={errors['password']} />
            <Submit isBusy={isBusy}>Unlock</Submit>
          </>
        )}
        {connections.map((one) => (
          <button
            key={one.id}
            type="button"
            className={classes.button}
            data-quiet={own || undefined}
            aria-busy={byPasskey.isBusy}
            onClick={() => unlockBy(one.id)}
          >
            Unlock with {one.name}
          </button>
        ))}
        {own && mfa.methods.includes('passkey') && passkeysWork() && (
          <button
            type="button"
            className={classes.button}
            data-quiet
            aria-busy={byPasskey.isBusy}
            onClick={unlockByPasskey}
          >
            Unlock with a passkey
          </button>
        )}
      </form>
    </Card>
  )
}
