import { useEffect, useState } from 'react'
import { explain, type Explanation } from '#web/api/errors.ts'
import { session } from '#web/api/session.ts'
import { flow } from '../flow.ts'
import { sendCode } from './sendCode.ts'
import classes from '../public.module.css'

/** Another code, as soon as one may be asked for. */
export function Resend() {
  const [left, setLeft] = useState(0)
  const [outcome, setOutcome] = useState<'sent' | Explanation | null>(null)
  useEffect(() => {
    const count = () => setLeft(Math.max(0, Math.ceil((flow.read().resendAt - Date.now()) / 1_000)))
    count()
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [])
  const resend = () =>
    sendCode(flow.read().purpose, session.read().authIdentifier ?? '').then(
      () => setOutcome('sent'),
      (error: unknown) => setOutcome(explain(error)),
    )
  return (
    <div className={classes.aside}>
      {left > 0 ? (
        <p>You can ask for another code in {left} s.</p>
      ) : (
        <button type="button" className={classes.link} onClick={() => void resend()}>
          Send another code
        </button>
      )}
      <p role="status">
        {outcome === 'sent' &&
          (flow.read().rests
            ? 'There is another code to ask for. Only the newest one counts.'
            : 'Another code is on its way. Only the newest one counts.')}
        {outcome !== null && outcome !== 'sent' && `${outcome.title} ${outcome.detail}`}
      </p>
    </div>
  )
}
