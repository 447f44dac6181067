import { CodeField } from '../sign-in/CodeField.tsx'
import { Notice, Submit } from '../fields.tsx'
import { useSubmit } from '../useSubmit.ts'
import { useFirstFocus } from '../useFirstFocus.ts'
import { complete, orLost, useCleared } from './complete.ts'

export const checkDigits = ({ code = '' }: Record<string, string>): Record<string, string> =>
  /^\d{6}$/.test(code) ? {} : { code: 'The code has six digits.' }

export function AppCode({ onLost }: { onLost: () => void }) {
  useFirstFocus()
  const { round, clear } = useCleared()
  const { form, errors, problem, isBusy } = useSubmit({
    check: checkDigits,
    send: ({ code = '' }) => orLost(onLost, () => complete(code)).catch(clear),
  })
  return (
    <form {...form}>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <CodeField key={round} error={errors['code']} isSentWhenFull />
      <Submit isBusy={isBusy}>Sign in</Submit>
    </form>
  )
}
