import { Button } from '@mantine/core'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { verifyPassword } from '#contract/identity/auth.ts'
import { readProof } from '#contract/identity/sso-sign-in.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { explainPasskey, reauthenticateByPasskey } from '#web/api/passkeys.ts'
import { hearWindows } from '#web/api/otherWindow.ts'
import { passkeysWork } from '#web/api/passkeySupport.ts'
import { useList } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { SecretInput } from '#web/ui/fields/SecretInput.tsx'
import { useUser } from './useSession.ts'
import { proof } from './proof.ts'

/** Asks for the password, or for the company's sign-in, before something that matters; what was asked for then goes on by itself. */
export function Proof({ onClose }: { onClose: () => void }) {
  const { email, mfa } = useUser()
  // Until it is known, and where it cannot be said, the password is asked for as ever.
  const { own: isOwn, connections } = useList(readProof, {}).page ?? { own: true, connections: [] }
  const hasPasskey = isOwn && mfa.methods.includes('passkey') && passkeysWork()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const prove = async (event: FormEvent) => {
    event.preventDefault()
    if (password === '') return setError('Please fill this in.')
    setBusy(true)
    setError(null)
    try {
      const answer = await call(verifyPassword, { body: { identifier: email, password } })
      if (answer.status !== 'reauthenticated') return
      session.apply({ type: 'token-set', token: answer.token })
      proof.settle(true)
    } catch (reason) {
      setError(sentence(reason))
    } finally {
      setBusy(false)
    }
  }
  const usePasskey = async () => {
    setBusy(true)
    setError(null)
    try {
      const answer = await reauthenticateByPasskey()
      session.apply({ type: 'token-set', token: answer.token })
      proof.settle(true)
    } catch (reason) {
      const { title, detail } = explainPasskey(reason)
      setError(`${title}. ${detail}`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title="Please confirm that it is you"
      isOpen
      onClose={onClose}
      dismiss="Cancel"
      actions={
        <>
          {hasPasskey && (
            <Button variant="default" disabled={isBusy} onClick={() => void usePasskey()}>
              Use a passkey
            </Button>
          )}
          {isOwn && (
            <Button type="submit" form="proof" loading={isBusy}>
              Confirm
            </Button>
          )}
        </>
      }
    >
      <form id="proof" noValidate onSubmit={(event) => void prove(event)}>
        <p>
          {isOwn
            ? 'This matters for the safety of accounts, so your password is asked for once more. It then counts for ten minutes.'
            : 'This matters for the safety of accounts, so your company’s sign-in asks once more who you are. It then counts for ten minutes.'}
        </p>
        <input type="hidden" name="identifier" autoComplete="username" value={email} readOnly />
        {isOwn && (
          <SecretInput
            label="Password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={error}
          />
        )}
      </form>
      {connections.length > 0 && <AtProvider connections={connections} isAlone={!isOwn} />}
    </Dialog>
  )
}

type Providers = {
  connections: readonly { id: string; name: string }[]
  /** There is no other way, so that the first of them is what a key presses. */
  isAlone: boolean
}

/** In a window of its own, so that what was typed on this page stays. */
function AtProvider({ connections, isAlone }: Providers) {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isAlone) first.current?.focus()
  }, [isAlone])
  const [state, setState] = useState<'asked' | 'waiting' | 'refused' | 'stopped'>('asked')
  useEffect(
    () =>
      hearWindows((news) => {
        if (news.kind === 'refused') setState('refused')
        if (news.kind !== 'proved') return
        session.apply({ type: 'token-set', token: news.token })
        proof.settle(true)
      }),
    [],
  )
  const open = (connectionId: string) => {
    const address = `${paths.atProvider()}?prove=${connectionId}`
    const opened = window.open(address, '_blank', 'popup,width=560,height=720')
    setState(opened === null ? 'stopped' : 'waiting')
  }
  return (
    <>
      {connections.map(({ id, name }, at) => (
        <Button
          key={id}
          ref={at === 0 ? first : undefined}
          variant={isAlone ? 'filled' : 'default'}
          fullWidth
          onClick={() => open(id)}
        >
          Confirm with {name}
        </Button>
      ))}
      <p role="status">{said[state]}</p>
    </>
  )
}

const said = {
  asked: '',
  waiting: 'It is asked in the other window. What you typed here stays.',
  refused: 'It was not confirmed; the other window says why. Please try again.',
  stopped: 'Your browser did not open the window. Allow windows for this page, then press again.',
}
