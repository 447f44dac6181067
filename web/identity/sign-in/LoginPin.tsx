import { useState } from 'react'
import { ApiError } from '#web/api/errors.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { CodeText } from './CodeText.tsx'
import { CodeForm } from '../account/Confirm.tsx'
import { EmailField, Notice, Submit } from '../fields.tsx'
import { flow } from '../flow.ts'
import { Card, PageLink } from '../Frame.tsx'
import { sendCode } from '../account/sendCode.ts'
import { useSignInCode } from './offers.ts'
import { required, useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

const back = <PageLink to={paths.signIn()}>Back to sign in</PageLink>

/** Signing in with a mailed code in place of the password, where that is switched on. */
export function LoginPin() {
  const isOn = useSignInCode()
  const [isSent, setSent] = useState(() => flow.read().purpose === 'login' && flow.read().flowToken !== null)
  if (isOn === false) return <SwitchedOff />
  return isSent ? <EnterCode onAgain={() => setSent(false)} /> : <AskForCode onSent={() => setSent(true)} />
}

function SwitchedOff() {
  return (
    <Card
      title="Sign-in by code is switched off"
      lead="Please sign in with your password. If you do not have one yet, or have forgotten it, set a new one with a code for your email address."
      foot={back}
    >
      <PageLink to={paths.resetPassword()} className={classes.button}>
        Set a new password
      </PageLink>
    </Card>
  )
}

function AskForCode({ onSent }: { onSent: () => void }) {
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => required(values, ['identifier']),
    send: async ({ identifier = '' }) => {
      await sendCode('login', identifier)
      onSent()
    },
  })
  return (
    <Card
      title="Sign in with a code"
      lead="Tell us your email address; a code for it stands in for your password. Your second step, such as your authenticator app, comes after it."
      foot={<PageLink to={paths.signIn()}>Sign in with your password instead</PageLink>}
    >
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <EmailField
          defaultValue={session.read().authIdentifier ?? ''}
          data-autofocus
          error={errors['identifier']}
        />
        <Submit isBusy={isBusy}>Send the code</Submit>
      </form>
    </Card>
  )
}

function EnterCode({ onAgain }: { onAgain: () => void }) {
  const [isRefused, setRefused] = useState(false)
  if (isRefused) return <NoSecondStep />
  return (
    <Card
      title="Enter the code"
      lead={<CodeText />}
      foot={
        <>
          {back} ·{' '}
          <button type="button" className={classes.link} onClick={onAgain}>
            Use another address
          </button>
        </>
      }
    >
      <CodeForm
        onError={(error) => {
          const isForbidden = error instanceof ApiError && error.problem?.code === 'forbidden'
          setRefused(isForbidden)
        }}
      />
    </Card>
  )
}

/** The code was right and is spent: there is nothing to try again here. */
function NoSecondStep() {
  return (
    <Card
      title="A code alone is not enough"
      lead="Signing in with a code also needs a second step, such as an authenticator app, and your account has none. Please sign in with your password; in the settings you can then add one."
    >
      <PageLink to={paths.signIn()} className={classes.button}>
        Sign in with your password
      </PageLink>
    </Card>
  )
}
