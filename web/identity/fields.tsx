import { useId, useState, type InputHTMLAttributes, type ReactNode } from 'react'
import classes from './public.module.css'

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
    <div className={classes.field}>
      <div className={classes.row}>
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
        <p id={`${id}-about`} className={classes.hint} data-error={error ? true : undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

type EmailProps = Omit<Props, 'name' | 'label'> & { name?: string; label?: string }

/** The address with which somebody signs in, or that they type to confirm. */
export function EmailField({ name = 'identifier', label = 'Email', ...input }: EmailProps) {
  return (
    <Field
      type="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      {...input}
      name={name}
      label={label}
    />
  )
}

/** Never stops paste or password managers; can be shown. */
export function PasswordField(props: Props) {
  const [isShown, setShown] = useState(false)
  const toggle = (
    <button type="button" className={classes.link} aria-pressed={isShown} onClick={() => setShown(!isShown)}>
      {isShown ? 'Hide' : 'Show'}
      <span className={classes.sr}> {props.label.toLowerCase()}</span>
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
        <span>
          {props.after}
          {toggle}
        </span>
      }
    />
  )
}

type SubmitProps = { isBusy: boolean; isDangerous?: boolean; children: string }

export function Submit({ isBusy, isDangerous = false, children }: SubmitProps) {
  return (
    <button
      type="submit"
      className={classes.button}
      aria-busy={isBusy}
      data-tone={isDangerous ? 'danger' : undefined}
    >
      {isBusy && <span className={classes.spinner} aria-hidden />}
      {children}
    </button>
  )
}

type NoticeProps = { tone?: 'danger' | 'info' | 'success'; title?: string | undefined; children?: ReactNode }

export function Notice({ tone = 'danger', title, children }: NoticeProps) {
  return (
    <div
      className={classes.notice}
      data-tone={tone}
      role={tone === 'danger' ? 'alert' : 'status'}
      tabIndex={-1}
      data-notice
    >
      {title && <strong>{/[.!?]$/.test(title) ? title : `${title}.`}</strong>} {children}
    </div>
  )
}
