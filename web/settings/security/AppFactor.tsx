import { Button, TextInput } from '@mantine/core'
import { useState, useEffect, useRef, type FormEvent } from 'react'
import { removeTotp, type readFactors, startTotp } from '#contract/identity/factors.ts'
import type { Reply } from '#contract/endpoint.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { refreshFactors } from './refresh.ts'
import { Section } from './Section.tsx'
import type { FactorProps } from './Recovery.tsx'
import { verifyAuthCode } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { AppSecret } from '#web/ui/fields/AppSecret.tsx'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'

type App = NonNullable<Reply<typeof readFactors>['totp']>

export function AppFactor({ factors: { totp }, onCodes }: FactorProps) {
  const [open, setOpen] = useState<'set-up' | 'remove' | null>(null)
  return (
    <Section
      title="Authenticator app"
      badge={totp ? { tone: 'success', word: 'On' } : { tone: 'neutral', word: 'Off' }}
      about="An app on your phone shows six digits that change every half minute. It works without a connection."
      actions={
        <>
          <Button variant={totp ? 'default' : 'filled'} onClick={() => setOpen('set-up')}>
            {totp ? 'Move to another app' : 'Set up an app'}
          </Button>
          {totp && (
            <Button variant="default" color="red" onClick={() => setOpen('remove')}>
              Remove app
            </Button>
          )}
        </>
      }
    >
      {totp && <Since app={totp} />}
      {open === 'set-up' && (
        <SetUpApp isMove={totp !== null} onCodes={onCodes} onClose={() => setOpen(null)} />
      )}
      <RemoveApp isOpen={open === 'remove'} onClose={() => setOpen(null)} />
    </Section>
  )
}

type Props = { isMove: boolean; onCodes: (codes: readonly string[]) => void; onClose: () => void }
type StartedTotp = Reply<typeof startTotp>

/** Once, although effects run twice in development; a question to the person may come in between. */
function useBegun(onFailed: (error: unknown) => void): StartedTotp | null {
  const [begun, setBegun] = useState<StartedTotp | null>(null)
  const failed = useRef(onFailed)
  useEffect(() => {
    let isGone = false
    call(startTotp, {}).then(
      (answer) => !isGone && setBegun(answer),
      (error: unknown) => !isGone && failed.current(error),
    )
    return () => {
      isGone = true
    }
  }, [])
  return begun
}

/** Scan, type six digits, done. The former app works until then. */
function SetUpApp({ isMove, onCodes, onClose }: Props) {
  const begun = useBegun((reason) => {
    toast.failure(sentence(reason))
    onClose()
  })
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const confirm = async (event: FormEvent) => {
    event.preventDefault()
    if (!begun || isBusy) return
    if (!/^\d{6}$/.test(code)) return setError('The code has six digits.')
    setBusy(true)
    try {
      const answer = await call(verifyAuthCode, { body: { code }, flowToken: begun.flowToken })
      await refreshFactors()
      onClose()
      toast.success(isMove ? 'The other app works from now on.' : 'The authenticator app works from now on.')
      if (answer.status === 'mfa_enrolled') onCodes(answer.recoveryCodes)
    } catch (reason) {
      setError(sentence(reason))
      setBusy(false)
    }
  }
  if (!begun) return null
  return (
    <Dialog
      title={isMove ? 'Move to another app' : 'Set up an authenticator app'}
      isOpen
      onClose={onClose}
      dismiss="Cancel"
      actions={
        <Button type="submit" form="set-up-app" loading={isBusy}>
          Confirm
        </Button>
      }
    >
      <p>
        Open the app and scan this code, then type the six digits that it shows.
        {isMove && ' Until you confirm, the present app stays as it is.'}
      </p>
      <AppSecret secret={begun.secret} otpauthUri={begun.otpauthUri} />
      <form id="set-up-app" noValidate onSubmit={(event) => void confirm(event)}>
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={error}
          data-autofocus
          onChange={(event) => {
            setCode(event.currentTarget.value.replaceAll(/\D/g, '').slice(0, 6))
            setError(null)
          }}
        />
      </form>
    </Dialog>
  )
}

function Since({ app: { createdAt, lastUsedAt } }: { app: App }) {
  return (
    <p>
      Set up on <DateTime iso={createdAt} />
      {lastUsedAt && (
        <>
          , last used <RelativeTime iso={lastUsedAt} />
        </>
      )}
      .
    </p>
  )
}

function RemoveApp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const remove = useChange(removeTotp)
  const confirm = () =>
    attempt(async () => {
      await remove.mutateAsync({})
      await refreshFactors()
    }, 'The authenticator app was removed.')
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Remove the authenticator app?"
      confirmLabel="Remove app"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Its codes no longer work. Without a passkey nothing but your password protects your account then, and
        your recovery codes end.
      </p>
      <p>You stay signed in, here and elsewhere.</p>
    </ConfirmDialog>
  )
}
