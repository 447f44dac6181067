import type { Mark } from '#contract/search.ts'
import classes from './HitLine.module.css'

/** A text whose agreeing parts stand out. */
export function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  const parts = marks.map(([from, to], at) => {
    const before = marks[at - 1]?.[1] ?? 0
    return (
      <span key={from}>
        {text.slice(before, from)}
        <mark className={classes.mark}>{text.slice(from, to)}</mark>
      </span>
    )
  })
  return (
    <>
      {parts}
      {text.slice(marks.at(-1)?.[1] ?? 0)}
    </>
  )
}
