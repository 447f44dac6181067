import { Button } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { flushSync } from 'react-dom'
import { changePassword, readAccount, type Account } from '#contract/identity/account.ts'
import { passwordLength } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/fieldErrors.ts'
import { refreshAll } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { plural } from '#web/ui/format.ts'
import { SecretInput } from '#web/ui/SecretInput.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/toasts.ts'
import shapes from '#web/ui/shapes.module.css'

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
export function PasswordForm({ account }: { account: Account }) {
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
