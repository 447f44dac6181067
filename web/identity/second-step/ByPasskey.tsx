import { enterByPasskey } from '#web/api/passkeys.ts'
import { Notice } from '../fields.tsx'
import { flow } from '../flow.ts'
import { goOn } from '../onwards.ts'
import { usePasskeyPress } from '../usePasskeyPress.ts'
import { useFirstFocus } from '../useFirstFocus.ts'
import { orLost } from './complete.ts'
import classes from '../public.module.css'

export function ByPasskey({ onLost }: { onLost: () => void }) {
  useFirstFocus()
  const { run, problem, isBusy } = usePasskeyPress()
  const confirm = async () => {
    const { flowToken } = flow.read()
    const answer = await orLost(onLost, () => enterByPasskey('second_step', { flowToken }))
    if (answer) goOn(answer)
  }
  return (
    <>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <button
        type="button"
        className={classes.button}
        data-autofocus
        aria-busy={isBusy}
        onClick={() => run(confirm)}
      >
        {isBusy && <span className={classes.spinner} aria-hidden />}
        Use passkey
      </button>
    </>
  )
}
