import { Tip } from '#web/ui/Tip.tsx'

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
    <Tip className="quiz-range" text={text}>
      {from < 0 && <span className="quiz-range-zero" style={{ insetInlineStart: `${place(0)}%` }} />}
      <span
        className="quiz-range-band"
        style={{ insetInlineStart: `${place(low)}%`, width: `${place(high) - place(low)}%` }}
      />
      <span className="quiz-range-mark" style={{ insetInlineStart: `${place(value)}%` }} />
    </Tip>
  )
}
