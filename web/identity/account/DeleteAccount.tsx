import { useEffect, useState, useSyncExternalStore } from 'react'
import { deleteAccount, readSession, verifyPassword } from '#contract/identity/auth.ts'
import { language } from '#contract/platform/text/language.ts'
import { call } from '#web/api/client.ts'
import { ApiError } from '#web/api/errors.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { EmailField, Notice, PasswordField, Submit } from '../fields.tsx'
import { Card, PageLink } from '../Frame.tsx'
import { required, useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

/** The person of the saved session, known only in the browser. */
function useSavedEmail(): string | null {
  return useSyncExternalStore(
    session.subscribe,
    () => session.read().user?.email ?? null,
    () => null,
  )
}

/** The own account goes after thirty days, unless its owner signs in. */
export function DeleteAccount() {
  const email = useSavedEmail()
  const [day, setDay] = useState<string | null>(null)
  if (day !== null) return <Scheduled day={day} />
  if (email === null) return <SignInFirst />
  return <DeleteForm email={email} onDone={setDay} />
}

function SignInFirst() {
  return (
    <Card
      title="Delete your account"
      lead="Please sign in first, so that nobody else can do this. You find “Delete account” in the settings, at the end of your profile."
    >
      <PageLink to={paths.signIn(paths.settings())} className={classes.button}>
        Sign in
      </PageLink>
    </Card>
  )
}

/** Whether the last proof has faded; then the password is asked for along with the rest. */
function useNeedsPassword(): [boolean, () => void] {
  const [isNeeded, setNeeded] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    call(readSession, { signal: leaving.signal }).then(
      ({ reauthenticatedUntil }) => setNeeded(reauthenticatedUntil === null),
      // Whatever is wrong shows when the form is sent.
      () => undefined,
    )
    return () => leaving.abort()
  }, [])
  return [isNeeded, () => setNeeded(true)]
}

async function prove(identifier: string, password: string): Promise<void> {
  const answer = await call(verifyPassword, { body: { identifier, password } })
  if (answer.status === 'reauthenticated') session.apply({ type: 'token-set', token: answer.token })
}

function inWords(iso: string): string {
  return new Date(iso).toLocaleDateString(language, { dateStyle: 'medium' })
}

function DeleteForm({ email, onDone }: { email: string; onDone: (day: string) => void }) {
  const [needsPassword, askPassword] = useNeedsPassword()
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => ({
      ...required(values, needsPassword ? ['password'] : []),
      ...(values['email']?.trim().toLowerCase() === email
        ? {}
        : { email: 'Please type the address of your account exactly.' }),
    }),
    send: async ({ email: typed = '', password = '' }) => {
      if (needsPassword) await prove(email, password)
      try {
        const { deleteAfter } = await call(deleteAccount, { body: { email: typed } })
        onDone(inWords(deleteAfter))
        session.apply({ type: 'signed-out' })
      } catch (error) {
        if (error instanceof ApiError && error.problem?.code === 'reauthentication_required') askPassword()
        throw error
      }
    },
  })
  return (
    <Card
      title="Delete your account"
      lead="You have thirty days to think about it."
      foot={<a href={paths.settings()}>Keep my account</a>}
    >
      <ul className={classes.list}>
        <li>You are signed out everywhere at once.</li>
        <li>If you sign in within thirty days, everything stays as it is.</li>
        <li>
          After that your password, your second steps, your role and your groups are gone for good. Only an
          administrator can invite you again.
        </li>
        <li>
          What you have watched and sent stays with your organization as evidence, together with your name.
        </li>
      </ul>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        {needsPassword && (
          <>
            <input type="hidden" name="identifier" autoComplete="username" value={email} readOnly />
            <PasswordField name="password" label="Password" error={errors['password']} />
          </>
        )}
        <EmailField
          name="email"
          label="Type your email address to confirm"
          autoComplete="off"
          hint={`It is ${email}.`}
          error={errors['email']}
        />
        <Submit isBusy={isBusy} isDangerous>
          Delete my account
        </Submit>
      </form>
    </Card>
  )
}

function Scheduled({ day }: { day: string }) {
  return (
    <Card
      title="Your account will be deleted"
      lead={
        <>
          It goes on <strong>{day}</strong>.
        </>
      }
      foot="Changed your mind? Sign in before that day, and everything stays as it is."
    >
      <PageLink to={paths.signIn()} className={classes.button}>
        Back to sign in
      </PageLink>
    </Card>
  )
}
