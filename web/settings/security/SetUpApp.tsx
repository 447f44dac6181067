import { Button, TextInput } from '@mantine/core'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { verifyAuthCode } from '#contract/identity/auth.ts'
import type { Reply } from '#contract/endpoint.ts'
import { startTotp } from '#contract/identity/factors.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { AppSecret } from '#web/ui/AppSecret.tsx'
import { Dialog } from '#web/ui/Dialog.tsx'
import { toast } from '#web/ui/toasts.ts'
import { refreshFactors } from './refresh.ts'

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
export function SetUpApp({ isMove, onCodes, onClose }: Props) {
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
