import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { login } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { isLocked, restoreSession } from '#web/api/restore.ts'
import { session } from '#web/api/session.ts'
import { paths, returnAddress } from '#web/paths.ts'
import { Restoring } from '#web/layout/Restoring.tsx'
import { product } from '#web/ui/product.ts'
import { EmailField, Notice, PasswordField, Submit } from '../fields.tsx'
import { flow } from '../flow.ts'
import { Card, PageLink } from '../Frame.tsx'
import { goTo, useSearchParam } from '../navigate.ts'
import { goOn } from '../onwards.ts'
import { PasskeyButton, usePasskeySignIn } from './PasskeySignIn.tsx'
import { isClaimed, useSignInCode } from './offers.ts'
import { required, useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

type Outcome = 'pending' | 'refused' | { failed: Explanation }

/** As the page was loaded; signing in on this page does not count. */
const wasSignedIn = typeof document !== 'undefined' && session.read().isAuthenticated
const never = () => () => undefined

/** Forwards a session that is still valid; otherwise asks. */
export function SignIn() {
  const wanted = useSearchParam('return')
  const isSaved = useSyncExternalStore(
    never,
    () => wasSignedIn,
    () => false,
  )
  const [outcome, setOutcome] = useState<Outcome>('pending')
  useEffect(() => {
    if (!wasSignedIn) return
    restoreSession().then(
      (isValid) =>
        isValid
          ? location.replace(returnAddress(new URLSearchParams(location.search).get('return')))
          : setOutcome('refused'),
      (error: unknown) =>
        isLocked(error)
          ? location.replace(paths.lockScreen() + location.search)
          : setOutcome({ failed: explain(error) }),
    )
  }, [])
  if (isSaved && outcome === 'pending') return <Restoring />
  return <SignInForm wanted={wanted} failed={typeof outcome === 'object' ? outcome.failed : null} />
}

function SignInForm({ wanted, failed }: { wanted: string | null; failed: Explanation | null }) {
  const [notice] = useState(() => flow.takeNotice())
  const remember = useRef<HTMLInputElement>(null)
  const passkey = usePasskeySignIn(() => remember.current?.checked === true)
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => required(values, ['identifier']),
    send: async ({ identifier = '', password = '', remember }) => {
      session.apply({ type: 'identified', identifier, authType: 'other' })
      // The address alone is enough to go on; the password is then asked for on a page of its own, or by the person's company.
      if (password === '')
        return goTo(
          ((await isClaimed(identifier)) ? paths.atProvider() : paths.loginPassword()) + location.search,
        )
      const answer = await call<typeof login>(
        { method: 'POST', path: '/auth/login' },
        { body: { identifier, password, remember: remember === 'on' } },
      )
      goOn(answer)
    },
  })
  // Nothing more is loaded for who only passes by.
  const [isUsed, setUsed] = useState(false)
  const hasCodes = useSignInCode(isUsed)
  const [isOfCompany, setOfCompany] = useState(false)
  const shown = problem ?? passkey.problem ?? failed
  return (
    <Card
      title="Sign in"
      lead={
        isOfCompany ? (
          <span role="status">Leave the password empty: your company’s sign-in asks for it.</span>
        ) : (
          `Welcome back to ${product.name}.`
        )
      }
      foot="First time here? The link of your invitation leads you in."
    >
      {shown ? (
        <Notice title={shown.title}>{shown.detail}</Notice>
      ) : (
        <Greeting notice={notice} wanted={wanted} />
      )}
      <form {...form}>
        <EmailField
          autoComplete="username webauthn"
          onFocus={() => setUsed(true)}
          onInput={({ currentTarget }) => void isClaimed(currentTarget.value).then(setOfCompany)}
          defaultValue={session.read().authIdentifier ?? ''}
          error={errors['identifier']}
        />
        <PasswordField name="password" label="Password" error={errors['password']} />
        <div className={classes.row}>
          <label className={classes.check}>
            <input ref={remember} type="checkbox" name="remember" /> Keep me signed in
          </label>
          <PageLink to={paths.resetPassword()}>Forgot your password?</PageLink>
        </div>
        <Submit isBusy={isBusy}>{isOfCompany ? 'Continue' : 'Sign in'}</Submit>
        <PasskeyButton {...passkey} />
        {hasCodes && (
          <p className={classes.aside}>
            <PageLink to={paths.loginPin() + location.search}>Sign in with a code by mail</PageLink>
          </p>
        )}
      </form>
    </Card>
  )
}

function Greeting({ notice, wanted }: { notice: string | null; wanted: string | null }) {
  if (notice) return <Notice tone="success">{notice}</Notice>
  if (wanted) return <Notice tone="info">Please sign in to go on where you were.</Notice>
  return null
}
