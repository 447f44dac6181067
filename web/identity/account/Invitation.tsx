import { useEffect, useState } from 'react'
import { logout } from '#contract/identity/auth.ts'
import { acceptInvitation, openInvitation, type OpenInvitation } from '#contract/identity/acceptance.ts'
import { call } from '#web/api/client.ts'
import { ApiError, explain } from '#web/api/errors.ts'
import { fieldErrors } from '#web/api/forms/fieldErrors.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { product } from '#web/ui/product.ts'
import { Field, Notice, Submit } from '../fields.tsx'
import { checkNewPassword, NewPasswordFields } from './NewPasswordFields.tsx'
import { Card, PageLink } from '../Frame.tsx'
import { goOn } from '../onwards.ts'
import { useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

type State = { invitation?: OpenInvitation; failure?: unknown }

/** Accepting an invitation: who invites whom into what, and then a name and a password. */
export function Invitation({ token }: { token: string }) {
  const [attempt, setAttempt] = useState(0)
  return <Opening key={attempt} token={token} onRetry={() => setAttempt(attempt + 1)} />
}

function Opening({ token, onRetry }: { token: string; onRetry: () => void }) {
  const [{ invitation, failure }, setState] = useState<State>({})
  useEffect(() => {
    call(openInvitation, { params: { token } }).then(
      (found) => setState({ invitation: found }),
      (error: unknown) => setState({ failure: error }),
    )
  }, [token])
  if (failure !== undefined) return <NotOpened failure={failure} onRetry={onRetry} />
  if (!invitation)
    return <Card title="Your invitation" lead={<span role="status">One moment, we are opening it…</span>} />
  if (invitation.account !== 'none') return <HasAccount invitation={invitation} />
  const end = (error: unknown) => setState({ failure: error })
  return <Acceptance token={token} invitation={invitation} onEnded={end} />
}

const place = ({ organizationName }: OpenInvitation) => organizationName ?? product.name

const titles: Record<string, string> = {
  invitation_expired: 'This invitation has expired',
  invitation_revoked: 'This invitation was taken back',
  invitation_used: 'This invitation was accepted already',
}

const isEnded = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.problem?.code === 'link_expired'

function NotOpened({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const { title, detail } = explain(failure)
  if (!isEnded(failure))
    return (
      <Card title="Your invitation could not be opened">
        <Notice title={title}>{detail}</Notice>
        <button type="button" className={classes.button} onClick={onRetry}>
          Try again
        </button>
      </Card>
    )
  const reason = failure.problem?.fields?.['invitation']?.[0]
  const unknown =
    'Only the link of the newest mail works. Look for a newer one, or ask whoever invited you to do it again.'
  return (
    <Card
      title={titles[reason ?? ''] ?? 'This link is no longer valid'}
      lead={detail || unknown}
      foot={
        reason !== 'invitation_used' && (
          <>
            Do you have an account? <PageLink to={paths.signIn()}>Sign in</PageLink>
          </>
        )
      }
    >
      {reason === 'invitation_used' && <SignInButton />}
    </Card>
  )
}

function SignInButton() {
  return (
    <PageLink to={paths.signIn()} className={classes.button}>
      Sign in
    </PageLink>
  )
}

function HasAccount({ invitation }: { invitation: OpenInvitation }) {
  const { account, email, invitedBy } = invitation
  return (
    <Card
      title="You have an account already"
      lead={
        account === 'here' ? (
          <>
            <strong>{email}</strong> signs in to {place(invitation)} already. {invitedBy} or another
            administrator can change what you may do there.
          </>
        ) : (
          <>
            <strong>{email}</strong> signs in to another organization already, and an address belongs to one
            only. Ask {invitedBy} to invite you with another address.
          </>
        )
      }
    >
      <SignInButton />
    </Card>
  )
}

type AcceptanceProps = {
  token: string
  invitation: OpenInvitation
  /** The link has ended meanwhile. */
  onEnded: (error: ApiError) => void
}

function Acceptance({ token, invitation, onEnded }: AcceptanceProps) {
  const [other, setOther] = useState(() => session.read().user)
  if (other)
    return <SomebodyElse present={other.email} invitation={invitation} onLeft={() => setOther(null)} />
  const { invitedBy, role, groups } = invitation
  return (
    <Card
      title={`Join ${place(invitation)}`}
      lead={
        <>
          <strong>{invitedBy}</strong> invites you as {roleNames[role].toLowerCase()}
          {groups.length > 0 && (
            <>
              , with {groups.length === 1 ? 'the group' : 'the groups'} {groups.join(', ')}
            </>
          )}
          .
        </>
      }
      foot={
        <>
          Do you have an account? <PageLink to={paths.signIn()}>Sign in</PageLink>
        </>
      }
    >
      <AcceptForm token={token} invitation={invitation} onEnded={onEnded} />
    </Card>
  )
}

function AcceptForm({ token, invitation, onEnded }: AcceptanceProps) {
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => ({ ...fieldErrors(acceptInvitation.body, values), ...checkNewPassword(values) }),
    send: async ({ name = '', password = '' }) => {
      const request = { params: { token }, body: { name, password }, timeout: 120_000 }
      const answer = await call(acceptInvitation, request).catch((error: unknown) => {
        if (isEnded(error)) onEnded(error)
        throw error
      })
      goOn(answer)
    },
  })
  return (
    <>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <Field
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          readOnly
          defaultValue={invitation.email}
          hint="The invitation is for this address; you sign in with it."
        />
        <Field
          name="name"
          label="Name"
          autoComplete="name"
          defaultValue={invitation.name ?? ''}
          error={errors['name']}
        />
        <NewPasswordFields label="Password" errors={errors} />
        <Submit isBusy={isBusy}>Accept the invitation</Submit>
      </form>
    </>
  )
}

type OtherProps = { present: string; invitation: OpenInvitation; onLeft: () => void }

function SomebodyElse({ present, invitation, onLeft }: OtherProps) {
  const [isBusy, setBusy] = useState(false)
  const leave = async () => {
    setBusy(true)
    await call(logout, { timeout: 3_000 }).catch(() => undefined)
    session.apply({ type: 'signed-out' })
    onLeft()
  }
  return (
    <Card
      title="You are signed in as somebody else"
      lead={
        <>
          This invitation is for <strong>{invitation.email}</strong>, and this browser is signed in as{' '}
          <strong>{present}</strong>.
        </>
      }
      foot={<a href={paths.dashboard()}>Stay signed in as {present}</a>}
    >
      <button type="button" className={classes.button} aria-busy={isBusy} onClick={() => void leave()}>
        Sign out and go on
      </button>
    </Card>
  )
}
