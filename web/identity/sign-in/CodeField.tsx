import { Field } from '../fields.tsx'
import classes from '../public.module.css'

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
      className={classes.code}
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
