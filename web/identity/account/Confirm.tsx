import { useState } from 'react'
import { verifyToken } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { CodeField } from '../sign-in/CodeField.tsx'
import { CodeText } from '../sign-in/CodeText.tsx'
import { Notice, Submit } from '../fields.tsx'
import { flow } from '../flow.ts'
import { Card, PageLink } from '../Frame.tsx'
import { goTo } from '../navigate.ts'
import { goOn } from '../onwards.ts'
import { Resend } from './Resend.tsx'
import { useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

/** The code from the mail. */
export function Confirm() {
  const [isKnown] = useState(() => flow.read().flowToken !== null)
  return isKnown ? <ConfirmForm /> : <StartAgain />
}

function ConfirmForm() {
  return (
    <Card
      title="Enter the code"
      lead={<CodeText />}
      foot={<PageLink to={paths.signIn()}>Back to sign in</PageLink>}
    >
      <CodeForm />
    </Card>
  )
}

/** Verifies the code of the running flow, and goes on to what it was asked for. */
export function CodeForm({ onError }: { onError?: (error: unknown) => void }) {
  const { form, errors, problem, isBusy } = useSubmit({
    check: ({ code = '' }) => (/^\d{6}$/.test(code) ? {} : { code: 'The code has six digits.' }),
    send: async ({ code = '' }) => {
      try {
        await verify(code)
      } catch (error) {
        onError?.(error)
        throw error
      }
    },
  })
  return (
    <>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <CodeField error={errors['code']} />
        <Submit isBusy={isBusy}>Go on</Submit>
      </form>
      <Resend />
    </>
  )
}

async function verify(code: string): Promise<void> {
  const identifier = session.read().authIdentifier ?? ''
  const answer = await call(verifyToken, {
    body: { identifier, code, methodType: 'email' },
    flowToken: flow.read().flowToken,
  })
  if (answer.status !== 'verified') return goOn(answer)
  flow.verified(answer.flowToken)
  goTo(paths.newPassword())
}

/** A code is bound to the tab that asked for it. */
export function StartAgain() {
  return (
    <Card
      title="Please start again"
      lead="For your safety a code works only in the window that asked for it, and that was not this one."
      foot={<PageLink to={paths.signIn()}>Back to sign in</PageLink>}
    >
      <PageLink to={paths.resetPassword()} className={classes.button}>
        Ask for a new code
      </PageLink>
    </Card>
  )
}
