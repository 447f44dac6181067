import { useState, type ReactNode } from 'react'
import type { FactorMethod } from '#contract/identity/auth.ts'
import { passkeysWork } from '#web/api/passkeySupport.ts'
import { paths } from '#web/paths.ts'
import { Card, PageLink } from '../Frame.tsx'
import { Lost } from '../Lost.tsx'
import { AppCode } from './AppCode.tsx'
import classes from '../public.module.css'
import { Field, Notice, Submit } from '../fields.tsx'
import { required, useSubmit } from '../useSubmit.ts'
import { useFirstFocus } from '../useFirstFocus.ts'
import { complete, orLost } from './complete.ts'
import { enterByPasskey } from '#web/api/passkeys.ts'
import { flow } from '../flow.ts'
import { goOn } from '../onwards.ts'
import { usePasskeyPress } from '../sign-in/usePasskeyPress.ts'

type Method = {
  title: string
  lead: string
  /** On the button that leads here from another way. */
  choose: string
  panel: (props: { onLost: () => void }) => ReactNode
}

function RecoveryCode({ onLost }: { onLost: () => void }) {
  useFirstFocus()
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => required(values, ['code']),
    send: ({ code = '' }) => orLost(onLost, () => complete(code)),
  })
  return (
    <form {...form}>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <Field
        name="code"
        label="Recovery code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        data-autofocus
        hint="Six groups of four. Capitals, spaces and dashes do not matter."
        error={errors['code']}
      />
      <Submit isBusy={isBusy}>Sign in</Submit>
    </form>
  )
}

function ByPasskey({ onLost }: { onLost: () => void }) {
  useFirstFocus()
  const { run, problem, isBusy } = usePasskeyPress()
  const confirm = async () => {
    const { flowToken } = flow.read()
    const answer = await orLost(onLost, () => enterByPasskey('second_step', { flowToken }))
    if (answer) goOn(answer)
  }
  return (
    <>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <button
        type="button"
        className={classes.button}
        data-autofocus
        aria-busy={isBusy}
        onClick={() => run(confirm)}
      >
        {isBusy && <span className={classes.spinner} aria-hidden />}
        Use passkey
      </button>
    </>
  )
}

const ways: Record<FactorMethod, Method> = {
  passkey: {
    title: 'Use your passkey',
    lead: 'Now confirm that it is you: with your finger, your face, a PIN or a security key.',
    choose: 'Use a passkey',
    panel: ByPasskey,
  },
  totp: {
    title: 'Enter the code',
    lead: 'Type the six digits that your authenticator app shows now.',
    choose: 'Use the authenticator app',
    panel: AppCode,
  },
  recovery: {
    title: 'Use a recovery code',
    lead: 'Type one of the codes that you saved when you set up the second step. Each one works once.',
    choose: 'Use a recovery code',
    panel: RecoveryCode,
  },
}

/** After the password: one of the factors that this person has. */
export function SecondStep({ methods }: { methods: readonly FactorMethod[] }) {
  const usable = methods.filter((method) => method !== 'passkey' || passkeysWork())
  const [method, setMethod] = useState<FactorMethod>(usable[0] ?? 'recovery')
  const [isLost, setLost] = useState(false)
  if (isLost) return <Lost />
  const { title, lead, panel: Panel } = ways[method]
  return (
    <Card title={title} lead={lead} foot={<PageLink to={paths.signIn()}>Start again</PageLink>}>
      <Panel key={method} onLost={() => setLost(true)} />
      <Others methods={usable.filter((one) => one !== method)} onChoose={setMethod} />
    </Card>
  )
}

type OthersProps = { methods: readonly FactorMethod[]; onChoose: (method: FactorMethod) => void }

function Others({ methods, onChoose }: OthersProps) {
  return (
    <div className={classes.aside} role="group" aria-label="Other ways">
      {methods.map((method) => (
        <button key={method} type="button" className={classes.link} onClick={() => onChoose(method)}>
          {ways[method].choose}
        </button>
      ))}
      <p>Nothing at hand? An administrator can reset your second step.</p>
    </div>
  )
}
