import { Button, TextInput } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { readAccount, changePassword, type Account, changeEmail } from '#contract/identity/account.ts'
import { readProof } from '#contract/identity/sso-sign-in.ts'
import { language } from '#contract/platform/text/language.ts'
import { deleteOwnAvatar, putOwnAvatar } from '#contract/directory/pictures.ts'
import { useChange, useList, refreshAll } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { PictureField } from '#web/organizations/pictures/PictureField.tsx'
import { help } from '#web/layout/shortcuts/keys.ts'
import { useUser } from '#web/session/useSession.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { dash, plural } from '#web/ui/format.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { ProfileForm, tellFrame } from './ProfileForm.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { useState, type FormEvent } from 'react'
import { flushSync } from 'react-dom'
import { passwordLength, sendVerification, verifyToken, type CodeSent } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { sentence, ApiError } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { session } from '#web/api/session.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { SecretInput } from '#web/ui/fields/SecretInput.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { useOneField } from '#web/api/forms/oneField.ts'

const none = { currentPassword: '', password: '', repeated: '' }
type Values = typeof none
type Errors = Partial<Record<keyof Values, string>>

function check(values: Values): Errors {
  const length = Array.from(values.password).length
  if (values.currentPassword === '') return { currentPassword: 'Please fill this in.' }
  if (length < passwordLength.least)
    return { password: `Use at least ${passwordLength.least} characters; a short sentence works well.` }
  if (length > passwordLength.most) return { password: `Use at most ${passwordLength.most} characters.` }
  return values.password === values.repeated ? {} : { repeated: 'The two passwords differ.' }
}

async function change({ currentPassword, password }: Values): Promise<void> {
  const { token, sessionsRevoked } = await call(changePassword, { body: { currentPassword, password } })
  session.apply({ type: 'token-set', token })
  const ended = sessionsRevoked > 0 ? ` ${plural(sessionsRevoked, 'other session')} ended.` : ''
  toast.success(`Your password was changed.${ended}`)
  await refreshAll([readAccount])
}

function usePasswordForm() {
  const [values, setValues] = useState(none)
  const [errors, setErrors] = useState<Errors>({})
  const [isBusy, setBusy] = useState(false)
  const fail = (form: HTMLFormElement, found: Errors) => {
    // The field has to be marked before it can be found.
    flushSync(() => setErrors(found))
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }
  const run = async (form: HTMLFormElement) => {
    const found = check(values)
    if (Object.keys(found).length > 0) return fail(form, found)
    setBusy(true)
    try {
      await change(values)
      setValues(none)
      setErrors({})
    } catch (error) {
      const fields: Errors = serverFieldErrors(error)
      if (Object.keys(fields).length === 0) toast.failure(sentence(error))
      fail(form, fields)
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isBusy) void run(event.currentTarget)
  }
  const field = (name: keyof Values) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      setValues({ ...values, [name]: currentTarget.value })
      setErrors({ ...errors, [name]: undefined })
    },
  })
  return { field, submit, isBusy, isDirty: () => Object.values(values).some((value) => value !== '') }
}

/** The present password proves who is there; afterwards only this session goes on. */
function PasswordForm({ account }: { account: Account }) {
  const { field, submit, isBusy, isDirty } = usePasswordForm()
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="password">
      <h2 id="password">Password</h2>
      <p>
        {account.passwordChangedAt ? (
          <>
            Last changed <DateTime iso={account.passwordChangedAt} />.{' '}
          </>
        ) : null}
        Changing it signs you out everywhere else.
      </p>
      <form className={shapes.stack} noValidate onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={account.email} readOnly />
        <SecretInput {...field('currentPassword')} label="Present password" />
        <SecretInput
          {...field('password')}
          label="New password"
          description={`At least ${passwordLength.least} characters; a short sentence works well.`}
          autoComplete="new-password"
        />
        <SecretInput {...field('repeated')} label="The same again" autoComplete="new-password" />
        <Button type="submit" variant="default" loading={isBusy}>
          Change my password
        </Button>
      </form>
      <UnsavedGuard isDirty={isDirty} />
    </section>
  )
}

/** The signed-in person: who they are, how they sign in, and how they leave. */
export function Profile() {
  const { page: account, error, retry } = useList(readAccount, {})
  if (error) return <NotRead error={error} retry={retry} />
  return (
    <div className={`${shapes.stack} ${shapes.narrow}`}>
      <Person />
      {account ? (
        <>
          <ProfileForm account={account} />
          <EmailForm account={account} />
          <Ways account={account} />
        </>
      ) : (
        <Bone height={480} />
      )}
      <Leaving />
    </div>
  )
}

/** How one signs in: by the company's own sign-in, with a password, or with either. */
function Ways({ account }: { account: Account }) {
  const { page, error } = useList(readProof, {})
  if (!page && !error) return <Bone height={240} />
  const { own, connections } = page ?? { own: true, connections: [] }
  const names = new Intl.ListFormat(language, { type: 'disjunction' }).format(
    connections.map(({ name }) => name),
  )
  return (
    <>
      {connections.length > 0 && (
        <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="ways">
          <h2 id="ways">How you sign in</h2>
          <p>
            {own
              ? `With ${names}, or with the password of this account.`
              : `With ${names}. A password is asked for, and changed, there.`}
          </p>
        </section>
      )}
      {own && <PasswordForm account={account} />}
    </>
  )
}

type SentCode = { email: string; sent: CodeSent }

/** A new address counts once a code has been read there; both addresses are told. */
function EmailForm({ account }: { account: Account }) {
  const [asked, setAsked] = useState<SentCode | null>(null)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="email">
      <h2 id="email">Email address</h2>
      <p>
        You sign in with <strong>{account.email}</strong>, and mails about your account go there.
      </p>
      {asked ? (
        <CodeStep asked={asked} onEnd={() => setAsked(null)} />
      ) : (
        <AddressStep present={account.email} onAsked={setAsked} />
      )}
    </section>
  )
}

/** One field and its button. */
function useStep(name: string, send: (value: string) => Promise<string | void>) {
  const { field, submit, isBusy } = useOneField(name, '', async (value) =>
    value === '' ? 'Please fill this in.' : send(value),
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit()
  }
  return { field, onSubmit, isBusy }
}

function AddressStep({ present, onAsked }: { present: string; onAsked: (asked: SentCode) => void }) {
  const step = useStep('identifier', async (typed) => {
    const email = typed.toLowerCase()
    if (email === present) return 'This is your present address.'
    const body = { identifier: email, methodType: 'email', purpose: 'confirm_email' } as const
    onAsked({ email, sent: await call(sendVerification, { body }) })
    return undefined
  })
  return (
    <form className={shapes.stack} noValidate onSubmit={step.onSubmit}>
      <TextInput
        {...step.field}
        label="New email address"
        description="A code is written to it; nothing changes before you have typed that here."
        type="email"
        autoComplete="off"
      />
      <Button type="submit" variant="default" loading={step.isBusy}>
        Send the code
      </Button>
    </form>
  )
}

async function take({ email, sent }: SentCode, code: string): Promise<void> {
  const body = { identifier: email, code, methodType: 'email' } as const
  const verified = await call(verifyToken, { body, flowToken: sent.flowToken })
  if (verified.status !== 'verified') return
  await call(changeEmail, { flowToken: verified.flowToken })
}

function CodeStep({ asked, onEnd }: { asked: SentCode; onEnd: () => void }) {
  const step = useStep('code', async (typed) => {
    try {
      await take(asked, typed.replaceAll(/\D/g, ''))
    } catch (error) {
      // The code is spent, and the address is somebody else's: only another one helps.
      if (!(error instanceof ApiError) || error.problem?.code !== 'already_exists') throw error
      toast.failure('This address belongs to another account. Please choose another one.')
      return onEnd()
    }
    await Promise.all([refreshAll([readAccount]), tellFrame()])
    toast.success(`Your address is ${asked.email} now. Other sessions were signed out.`)
    onEnd()
  })
  return (
    <form className={shapes.stack} noValidate onSubmit={step.onSubmit}>
      <TextInput
        {...step.field}
        label="Code"
        description={
          asked.sent.rests
            ? 'Six digits, good for ten minutes. No mail server is set up, so they rest in the outbox; a superadmin can read them there.'
            : `Six digits, sent to ${asked.sent.maskedDestination}; good for ten minutes.`
        }
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
        ref={(input) => input?.focus()}
      />
      <div className={shapes.row}>
        <Button variant="default" onClick={onEnd}>
          Cancel
        </Button>
        <Button type="submit" loading={step.isBusy}>
          Change my address
        </Button>
      </div>
    </form>
  )
}

function Person() {
  const { name, email, avatar, role, organizationName } = useUser()
  const put = useChange(putOwnAvatar)
  const remove = useChange(deleteOwnAvatar)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-label="You">
      <PictureField
        kind="avatar"
        label={name}
        hint={email}
        name={name}
        picture={avatar}
        onSave={async (data) => {
          await put.mutateAsync({ body: { data } })
          await tellFrame()
        }}
        onRemove={async () => {
          await remove.mutateAsync({})
          await tellFrame()
        }}
      />
      <Facts
        facts={[
          { label: 'Role', value: roleNames[role] },
          {
            label: 'Organization',
            value: organizationName ?? (role === 'superadmin' ? 'All organizations' : dash),
          },
        ]}
      />
      <Button
        variant="default"
        leftSection={<IconKeyboard size={16} aria-hidden />}
        aria-haspopup="dialog"
        onClick={help.open}
      >
        Keyboard shortcuts
      </Button>
    </section>
  )
}

function Leaving() {
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="leaving">
      <h2 id="leaving">Delete account</h2>
      <p>You have thirty days to change your mind. What you have watched stays as evidence.</p>
      <Button variant="default" color="red" component="a" href={paths.deleteAccount()}>
        Delete my account
      </Button>
    </section>
  )
}
