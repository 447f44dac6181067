import { useEffect, useState } from 'react'
import { verifyToken } from '#contract/auth.ts'
import { call } from '#web/api/client.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { CodeField, Notice, Submit } from './fields.tsx'
import { flow } from './flow.ts'
import { Card, PageLink } from './Frame.tsx'
import { goTo } from './navigate.ts'
import { goOn } from './onwards.ts'
import { askForCode } from './ResetPassword.tsx'
import { useSubmit } from './useSubmit.ts'

/** The code from the mail. */
export function Confirm() {
  const [isKnown] = useState(() => flow.read().flowToken !== null)
  return isKnown ? <ConfirmForm /> : <StartAgain />
}

function ConfirmForm() {
  const { form, errors, problem, isBusy } = useSubmit({
    check: ({ code = '' }) => (/^\d{6}$/.test(code) ? {} : { code: 'The code has six digits.' }),
    send: async ({ code = '' }) => {
      const identifier = session.read().authIdentifier ?? ''
      const { flowToken } = flow.read()
      const answer = await call(verifyToken, {
        body: { identifier, code, methodType: 'email' },
        ...(flowToken ? { flowToken } : {}),
      })
      if (answer.status !== 'verified') return goOn(answer)
      flow.verified(answer.flowToken)
      goTo(paths.newPassword())
    },
  })
  return (
    <Card
      title="Enter the code"
      lead={
        <>
          We have sent six digits to <strong>{flow.read().maskedDestination}</strong>.
        </>
      }
      foot={<PageLink to={paths.signIn()}>Back to sign in</PageLink>}
    >
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <CodeField error={errors['code']} />
        <Submit isBusy={isBusy}>Go on</Submit>
      </form>
      <Resend />
    </Card>
  )
}

function Resend() {
  const [left, setLeft] = useState(0)
  const [outcome, setOutcome] = useState<'sent' | Explanation | null>(null)
  useEffect(() => {
    const count = () => setLeft(Math.max(0, Math.ceil((flow.read().resendAt - Date.now()) / 1_000)))
    count()
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [])
  const resend = () =>
    askForCode(session.read().authIdentifier ?? '').then(
      () => setOutcome('sent'),
      (error: unknown) => setOutcome(explain(error)),
    )
  return (
    <div className="resend">
      {left > 0 ? (
        <p>You can ask for another code in {left} s.</p>
      ) : (
        <button type="button" className="link" onClick={() => void resend()}>
          Send another code
        </button>
      )}
      <p role="status">
        {outcome === 'sent' && 'Another code is on its way. Only the newest one counts.'}
        {outcome !== null && outcome !== 'sent' && `${outcome.title} ${outcome.detail}`}
      </p>
    </div>
  )
}

/** A code is bound to the tab that asked for it. */
export function StartAgain() {
  return (
    <Card
      title="Please start again"
      lead="For your safety a code works only in the window that asked for it, and that was not this one."
      foot={<PageLink to={paths.signIn()}>Back to sign in</PageLink>}
    >
      <PageLink to={paths.resetPassword()} className="button">
        Ask for a new code
      </PageLink>
    </Card>
  )
}
