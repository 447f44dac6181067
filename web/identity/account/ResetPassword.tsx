import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { CodeText } from '../sign-in/CodeText.tsx'
import { EmailField, Notice, Submit } from '../fields.tsx'
import { flow } from '../flow.ts'
import { Card, PageLink } from '../Frame.tsx'
import { goTo } from '../navigate.ts'
import { Resend } from './Resend.tsx'
import { sendCode } from './sendCode.ts'
import { required, useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

/** The first step to a new password: where to send the code. */
export function ResetPassword() {
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => required(values, ['identifier']),
    send: async ({ identifier = '' }) => {
      await sendCode('reset_password', identifier)
      goTo(paths.successMail())
    },
  })
  return (
    <Card
      title="Set a new password"
      lead="Tell us your email address. With a code for it you can set a new password."
      foot={
        <>
          Remembered it? <PageLink to={paths.signIn()}>Sign in</PageLink>
        </>
      }
    >
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <EmailField defaultValue={session.read().authIdentifier ?? ''} error={errors['identifier']} />
        <Submit isBusy={isBusy}>Send the code</Submit>
      </form>
    </Card>
  )
}

/** Says the same whether or not somebody has that address. */
export function SuccessMail() {
  const { maskedDestination, rests } = flow.read()
  return (
    <Card
      title={rests ? 'Ask for your code' : 'Look into your mail'}
      lead={
        maskedDestination ? (
          <CodeText />
        ) : (
          'Codes come by mail and are good for ten minutes. This window has not asked for one.'
        )
      }
      foot={
        <>
          {!rests && 'No mail? Look into the folder for unwanted mail first. '}
          Was it another address? <PageLink to={paths.resetPassword()}>Try again</PageLink>
        </>
      }
    >
      {!rests && <Envelope />}
      {maskedDestination ? (
        <>
          <PageLink to={paths.confirm()} className={classes.button}>
            Enter the code
          </PageLink>
          <Resend />
        </>
      ) : (
        <PageLink to={paths.resetPassword()} className={classes.button}>
          Ask for a code
        </PageLink>
      )}
    </Card>
  )
}

function Envelope() {
  return (
    <svg
      viewBox="0 0 160 88"
      width="160"
      height="88"
      fill="none"
      stroke="var(--c-primary-text)"
      strokeWidth="2.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <ellipse cx="80" cy="82" rx="52" ry="5" fill="var(--c-border)" stroke="none" />
      <rect x="36" y="12" width="88" height="62" rx="8" fill="var(--c-primary-tint)" />
      <path d="m40 20 36 28a7 7 0 0 0 8 0l36-28" />
      <circle cx="124" cy="16" r="12" fill="var(--c-primary-filled)" stroke="none" />
      <path d="m118.500 16 4 4 7-7.500" stroke="#fff" />
    </svg>
  )
}
