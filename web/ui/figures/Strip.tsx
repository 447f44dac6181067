import type { CSSProperties } from 'react'
import { formatClock, formatRuntime } from '../format.ts'
import ink from '../look/ink.module.css'
import styles from './Strip.module.css'
import { showsStop } from '../overlays/tips.ts'

type Ranges = readonly (readonly [startMs: number, endMs: number])[]

/**
 * What lies where nothing was watched: a thread. It is dashed where somebody is late with it, and dotted where nobody could watch,
 * because the mail did not arrive.
 */
type Thread = 'missing' | 'late' | 'undelivered'

type Props = {
  /** Sorted, disjoint [start, end) in milliseconds: watched at least once. */
  watched: Ranges
  /** What of it was watched more than once. */
  again?: Ranges
  /** What the server handed out, as the second source of evidence. */
  handedOut?: Ranges
  /** Null while the length of the video is not known. */
  durationMs: number | null
  thread?: Thread
  size?: 'row' | 'large'
}

const none: Ranges = []

const wordsOf = (ranges: Ranges) =>
  ranges.map(([start, end]) => `${formatClock(start)} to ${formatClock(end)}`).join(', ')

/**
 * The mark of the product: what was watched of a video, over its time. Thickness is how often: a thread where nobody has been, a
 * bar where it was watched, a thicker one where it was watched again. Read aloud it lists the parts.
 */
export function Strip({ watched, again = none, handedOut = none, durationMs, thread, size = 'row' }: Props) {
  const length = Math.max(durationMs ?? watched.at(-1)?.[1] ?? 0, 1)
  const total = durationMs === null ? '' : ` of ${formatRuntime(durationMs)}`
  const repeated = again.length > 0 ? `; again ${wordsOf(again)}` : ''
  const text = watched.length === 0 ? 'Nothing seen yet' : `Seen ${wordsOf(watched)}${total}${repeated}`
  const parts = (ranges: Ranges, kind?: 'again' | 'handed') =>
    ranges.map(([start, end]) => (
      <i key={`${kind}${start}`} data-kind={kind} style={span(start, end, length)} />
    ))
  return (
    <span
      className={`${styles.strip} ${ink.ink}`}
      data-strip={size}
      data-thread={thread}
      role="img"
      aria-label={text}
      {...showsStop(text)}
    >
      {parts(handedOut, 'handed')}
      {parts(watched)}
      {parts(again, 'again')}
    </span>
  )
}

/** Percent of the strip's length. */
const span = (start: number, end: number, length: number) =>
  ({ '--a': (start / length) * 100, '--z': (end / length) * 100 }) as CSSProperties
