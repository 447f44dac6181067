import { Field, Notice, Submit } from '../fields.tsx'
import { required, useSubmit } from '../useSubmit.ts'
import { useFirstFocus } from '../useFirstFocus.ts'
import { complete, orLost } from './complete.ts'

export function RecoveryCode({ onLost }: { onLost: () => void }) {
  useFirstFocus()
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => required(values, ['code']),
    send: ({ code = '' }) => orLost(onLost, () => complete(code)),
  })
  return (
    <form {...form}>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <Field
        name="code"
        label="Recovery code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        data-autofocus
        hint="Six groups of four. Capitals, spaces and dashes do not matter."
        error={errors['code']}
      />
      <Submit isBusy={isBusy}>Sign in</Submit>
    </form>
  )
}
