import { useId, useState, type InputHTMLAttributes, type ReactNode } from 'react'
import { passwordLength } from '#contract/auth.ts'

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, 'name' | 'id'>
type Props = Input & {
  name: string
  label: string
  error?: string | undefined
  hint?: ReactNode
  after?: ReactNode
}

/** Label, input, and below it what is wrong or what helps. */
export function Field({ name, label, error, hint, after, ...input }: Props) {
  const id = useId()
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
        {after}
      </div>
      <input
        {...input}
        id={id}
        name={name}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? `${id}-about` : undefined}
      />
      {(error || hint) && (
        <p id={`${id}-about`} className={error ? 'field-error' : 'field-hint'}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

/** Never stops paste or password managers; can be shown. */
export function PasswordField(props: Props) {
  const [isShown, setShown] = useState(false)
  const toggle = (
    <button type="button" className="link" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
      {isShown ? 'Hide' : 'Show'}
      <span className="sr"> {props.label.toLowerCase()}</span>
    </button>
  )
  return (
    <Field
      autoComplete="current-password"
      spellCheck={false}
      autoCapitalize="none"
      {...props}
      type={isShown ? 'text' : 'password'}
      after={
        <span className="field-after">
          {props.after}
          {toggle}
        </span>
      }
    />
  )
}

const strengths = ['Too short', 'Getting there', 'Long enough', 'Strong'] as const

/** Length is what counts; nothing is asked about kinds of characters. */
function strengthOf(password: string): number {
  const length = Array.from(password).length
  const variety = new Set(password).size
  if (length < passwordLength.least) return length < passwordLength.least / 2 ? 0 : 1
  return length >= passwordLength.least + 5 && variety >= 10 ? 3 : 2
}

/** The password counts as it is typed, byte for byte; not every keyboard makes the same bytes of what looks the same. */
const unusual =
  'It has letters that this keyboard puts together of two signs. Another device may write them as one, and the password would then not fit; without accents it works everywhere.'

type NewPasswordProps = { label: string; errors: Record<string, string> }

/** A new password, twice, with a hint about its strength. */
export function NewPasswordFields({ label, errors }: NewPasswordProps) {
  const [password, setPassword] = useState('')
  const strength = strengthOf(password)
  return (
    <>
      <div className="field">
        <PasswordField
          name="password"
          label={label}
          autoComplete="new-password"
          error={errors['password']}
          hint={`At least ${passwordLength.least} characters; a short sentence works well.`}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <div className="strength" data-strength={password === '' ? undefined : strength}>
          <span className="strength-bar" aria-hidden>
            <i />
            <i />
            <i />
            <i />
          </span>
          <span role="status">{password === '' ? '' : strengths[strength]}</span>
        </div>
        {password !== password.normalize('NFC') && (
          <p className="field-hint" role="status">
            {unusual}
          </p>
        )}
      </div>
      <PasswordField
        name="repeated"
        label="The same again"
        autoComplete="new-password"
        error={errors['repeated']}
      />
    </>
  )
}

export function checkNewPassword({
  password = '',
  repeated = '',
}: Record<string, string>): Record<string, string> {
  const length = Array.from(password).length
  if (length === 0) return { password: 'Please fill this in.' }
  if (length < passwordLength.least)
    return { password: `Use at least ${passwordLength.least} characters; a short sentence works well.` }
  if (length > passwordLength.most) return { password: `Use at most ${passwordLength.most} characters.` }
  return password === repeated ? {} : { repeated: 'The two passwords differ.' }
}

/** Six digits in one input, so that typing, pasting and filling in from a mail all work. */
export function CodeField({
  error,
  isSentWhenFull = false,
}: {
  error: string | undefined
  isSentWhenFull?: boolean
}) {
  return (
    <Field
      name="code"
      label="Code"
      className="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9 ]*"
      data-autofocus
      error={error}
      onInput={(event) => {
        const input = event.currentTarget
        input.value = input.value.replaceAll(/\D/g, '').slice(0, 6)
        if (isSentWhenFull && input.value.length === 6) input.form?.requestSubmit()
      }}
    />
  )
}

type SubmitProps = { isBusy: boolean; isDangerous?: boolean; children: string }

export function Submit({ isBusy, isDangerous = false, children }: SubmitProps) {
  return (
    <button
      type="submit"
      className="button"
      aria-busy={isBusy}
      data-tone={isDangerous ? 'danger' : undefined}
    >
      {isBusy && <span className="spinner" aria-hidden />}
      {children}
    </button>
  )
}

type NoticeProps = { tone?: 'danger' | 'info' | 'success'; title?: string | undefined; children?: ReactNode }

export function Notice({ tone = 'danger', title, children }: NoticeProps) {
  return (
    <div
      className="notice"
      data-tone={tone}
      role={tone === 'danger' ? 'alert' : 'status'}
      tabIndex={-1}
      data-notice
    >
      {title && <strong>{/[.!?]$/.test(title) ? title : `${title}.`}</strong>} {children}
    </div>
  )
}
