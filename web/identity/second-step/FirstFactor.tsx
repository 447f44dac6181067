import { useEffect, useRef, useState } from 'react'
import type { MfaEnrolled } from '#contract/identity/auth.ts'
import type { Reply } from '#contract/endpoint.ts'
import { startTotp } from '#contract/identity/factors.ts'
import { call } from '#web/api/client.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { makePasskey } from '#web/api/passkeys.ts'
import { passkeysWork } from '#web/api/passkeySupport.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { AppSecret } from '#web/ui/fields/AppSecret.tsx'
import { RecoveryCodes } from '#web/ui/fields/RecoveryCodes.tsx'
import { CodeField } from '../sign-in/CodeField.tsx'
import { Notice, Submit } from '../fields.tsx'
import { flow } from '../flow.ts'
import { Card, PageLink } from '../Frame.tsx'
import { Lost } from '../Lost.tsx'
import { goOn } from '../onwards.ts'
import { usePasskeyPress } from '../sign-in/usePasskeyPress.ts'
import { useSubmit } from '../useSubmit.ts'
import { checkDigits } from './AppCode.tsx'
import { useFirstFocus } from '../useFirstFocus.ts'
import { confirm, orLost, useCleared } from './complete.ts'
import classes from '../public.module.css'

/** The policy asks for a second factor: it is set up in the middle of the sign-in, which then goes on. */
export function FirstFactor() {
  const [done, setDone] = useState<MfaEnrolled | null>(null)
  const [isLost, setLost] = useState(false)
  if (isLost) return <Lost />
  if (done) return <SaveCodes done={done} />
  const enrolled = (answer: MfaEnrolled | undefined) => {
    if (!answer) return
    if (answer.recoveryCodes.length > 0) setDone(answer)
    else if (answer.next) goOn(answer.next)
  }
  return (
    <Card
      title="Add a second step"
      lead="Your account has to be protected by more than a password. Set it up once: from then on you also confirm with an authenticator app or a passkey when you sign in."
      foot={<PageLink to={paths.signIn()}>Start again</PageLink>}
    >
      <App onDone={enrolled} onLost={() => setLost(true)} />
      {passkeysWork() && <PasskeyInstead onDone={enrolled} onLost={() => setLost(true)} />}
    </Card>
  )
}

type Step = { onDone: (answer: MfaEnrolled | undefined) => void; onLost: () => void }

function useSecret(onLost: () => void) {
  const [begun, setBegun] = useState<Reply<typeof startTotp> | null>(null)
  const [failed, setFailed] = useState<Explanation | null>(null)
  const lost = useRef(onLost)
  useEffect(() => {
    const ask = () => call(startTotp, { flowToken: flow.read().flowToken })
    orLost(lost.current, ask).then(
      (answer) => answer && setBegun(answer),
      (error: unknown) => setFailed(explain(error)),
    )
  }, [])
  return { begun, failed }
}

function App({ onDone, onLost }: Step) {
  useFirstFocus()
  const { begun, failed } = useSecret(onLost)
  const { round, clear } = useCleared()
  const { form, errors, problem, isBusy } = useSubmit({
    check: checkDigits,
    send: async ({ code = '' }) => onDone(await orLost(onLost, () => confirm(code)).catch(clear)),
  })
  if (failed) return <Notice title={failed.title}>{failed.detail}</Notice>
  return (
    <>
      <ol className={classes.list}>
        <li>Open your authenticator app and scan this code.</li>
        <li>Type the six digits that it shows.</li>
      </ol>
      {begun ? <AppSecret {...begun} /> : <p role="status">One moment, please.</p>}
      <form {...form}>
        {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
        <CodeField key={round} error={errors['code']} isSentWhenFull />
        <Submit isBusy={isBusy}>Confirm</Submit>
      </form>
    </>
  )
}

function PasskeyInstead({ onDone, onLost }: Step) {
  const { run, problem, isBusy } = usePasskeyPress()
  const make = async () => onDone(await orLost(onLost, () => makePasskey(flow.read().flowToken)))
  return (
    <div className={classes.aside}>
      <button type="button" className={classes.link} aria-busy={isBusy} onClick={() => run(make)}>
        Use a passkey instead
      </button>
      <p>With your finger, your face, a PIN or a security key. No app is needed.</p>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
    </div>
  )
}

function SaveCodes({ done }: { done: MfaEnrolled }) {
  useFirstFocus()
  const [isSaved, setSaved] = useState(false)
  const { authIdentifier } = session.read()
  return (
    <Card
      title="Save your recovery codes"
      lead="If you lose your phone or your passkey, one of these codes lets you in. Each one works once. They are shown only now."
    >
      <RecoveryCodes
        codes={done.recoveryCodes}
        email={authIdentifier ?? 'your account'}
        isSaved={isSaved}
        onSaved={setSaved}
      />
      <button
        type="button"
        className={classes.button}
        disabled={!isSaved}
        onClick={() => done.next && goOn(done.next)}
      >
        Go on
      </button>
    </Card>
  )
}
