import ink from '#web/ui/ink.module.css'
import { Tip } from '#web/ui/Tip.tsx'
import classes from './Range.module.css'

type Props = {
  value: number
  interval: readonly [number, number] | null
  /** Ends of the scale. */
  from: number
  to: number
  /** Both in words. */
  text: string
}

/** A value on its scale with the range in which the true one lies. */
export function Range({ value, interval, from, to, text }: Props) {
  const place = (at: number) => ((Math.min(Math.max(at, from), to) - from) / (to - from)) * 100
  const [low, high] = interval ?? [value, value]
  return (
    <Tip className={`${classes.range} ${ink.ink}`} text={text}>
      {from < 0 && <span className={classes.zero} style={{ insetInlineStart: `${place(0)}%` }} />}
      <span style={{ insetInlineStart: `${place(low)}%`, width: `${place(high) - place(low)}%` }} />
      <span className={classes.mark} style={{ insetInlineStart: `${place(value)}%` }} />
    </Tip>
  )
}
