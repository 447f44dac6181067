import { useState } from 'react'
import { passwordLength } from '#contract/identity/auth.ts'
import { PasswordField } from '../fields.tsx'
import classes from '../public.module.css'

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
      <div className={classes.field}>
        <PasswordField
          name="password"
          label={label}
          autoComplete="new-password"
          error={errors['password']}
          hint={`At least ${passwordLength.least} characters; a short sentence works well.`}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <div className={classes.strength} data-strength={password === '' ? undefined : strength}>
          {strengths.map((word, at) => (
            <i key={word} data-full={(password !== '' && at <= strength) || undefined} />
          ))}
          <span role="status">{password === '' ? '' : strengths[strength]}</span>
        </div>
        {password !== password.normalize('NFC') && (
          <p className={classes.hint} role="status">
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
