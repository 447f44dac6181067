import { Button } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { verifyPassword } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { explainPasskey, reauthenticateByPasskey } from '#web/api/passkeys.ts'
import { passkeysWork } from '#web/api/passkeySupport.ts'
import { session } from '#web/api/session.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { SecretInput } from '#web/ui/fields/SecretInput.tsx'
import { useUser } from './useSession.ts'
import { proof } from './proof.ts'

/** Asks for the password before something that matters; what was asked for then goes on by itself. */
export function Proof({ onClose }: { onClose: () => void }) {
  const { email, mfa } = useUser()
  const hasPasskey = mfa.methods.includes('passkey') && passkeysWork()
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
          <Button type="submit" form="proof" loading={isBusy}>
            Confirm
          </Button>
        </>
      }
    >
      <form id="proof" noValidate onSubmit={(event) => void prove(event)}>
        <p>
          This matters for the safety of accounts, so your password is asked for once more. It then counts for
          ten minutes.
        </p>
        <input type="hidden" name="identifier" autoComplete="username" value={email} readOnly />
        <SecretInput
          label="Password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={error}
        />
      </form>
    </Dialog>
  )
}
