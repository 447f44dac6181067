import { useId, memo, useMemo } from 'react'
import type { Thread, Weave, Tenths } from '#contract/audience/weave.ts'
import { formatClock } from '#web/ui/format.ts'
import { ticksOf, crowdOf } from '#web/ui/plot/shapes.ts'
import { useWidth } from '#web/ui/browser/useWidth.ts'
import ink from '#web/ui/look/ink.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import type { usePlace } from './usePlace.ts'
import styles from './Weave.module.css'

type Props = {
  weave: Weave
  place: ReturnType<typeof usePlace>
  /** What is true of the second or the part that is looked at. */
  said: string | null
  /** Who lacks something of what is chosen. */
  chosen: readonly Thread[] | null
}

/** Of a row with its gap; those of whom it does not count stand apart by two of them. */
const rowHeight = 4
const separation = 2 * rowHeight
/** Rows of more people share its pixels. */
const mostHeight = 600
const band = { width: 1_000, height: 40 }

/** A part of a second in a long video would vanish. */
const least = 3 / 1_000

type Row = Thread & { y: number }

function rowsOf(threads: readonly Thread[]): Row[] {
  return threads.map((thread, at) => {
    const places = { owes: 0, open: 0, done: separation, excused: 2 * separation }
    return { ...thread, y: at * rowHeight + places[thread.state] }
  })
}

const heightOf = (rows: readonly Row[]) => (rows.at(-1)?.y ?? 0) + rowHeight

function seenIn(rows: readonly Row[], seconds: number): string {
  const shortest = seconds * least
  let path = ''
  for (const { seen, y } of rows)
    for (let at = 0; at < seen.length; at += 2) {
      const [from = 0, to = 0] = [seen[at], seen[at + 1]]
      const width = Math.max(to - from, shortest)
      path += `M${Math.min(from, seconds - width)} ${y}h${width}v3h${-width}z`
    }
  return path
}

const linesOf = (rows: readonly Row[], seconds: number) =>
  rows.map(({ y }) => `M0 ${y + 1.5}H${seconds}`).join('')

type ThreadsProps = { rows: readonly Row[]; seconds: number }

/** Everybody's strip in a row of its own: a bar where they have been, a thread where not, dashed where they are late. */
const Threads = memo(function Threads({ rows, seconds }: ThreadsProps) {
  const excused = rows.filter(({ state }) => state === 'excused')
  const counted = rows.filter(({ state }) => state !== 'excused')
  return (
    <>
      <path
        className={styles.thread}
        d={linesOf(
          counted.filter(({ isLate }) => !isLate),
          seconds,
        )}
      />
      <path
        className={styles.late}
        d={linesOf(
          counted.filter(({ isLate }) => isLate),
          seconds,
        )}
      />
      <path className={styles.seen} d={seenIn(counted, seconds)} />
      <g className={styles.excused}>
        <path className={styles.thread} d={linesOf(excused, seconds)} />
        <path className={styles.seen} d={seenIn(excused, seconds)} />
      </g>
    </>
  )
})

/** A silhouette for each tenth, about its thread. */
const Bands = memo(function Bands({ bands }: Pick<Tenths, 'bands'>) {
  const rows = bands.map((one, at) => ({ one, y: at * (band.height + rowHeight) }))
  return rows.map(({ one: { people, seen }, y }) => (
    <g key={y} transform={`translate(0 ${y})`}>
      <path className={styles.thread} d={`M0 ${band.height / 2}H${band.width}`} />
      <path className={styles.seen} d={crowdOf(seen, { ...band, max: Math.max(people, 1) })} />
    </g>
  ))
})

type PictureProps = {
  weave: Weave
  /** Everybody else steps back; null: nobody does. */
  lacking: readonly Thread[] | null
}

/** All strips as one cloth. */
function Picture({ weave: { threads, seconds, tenths }, lacking }: PictureProps) {
  const rows = useMemo(() => rowsOf(threads), [threads])
  const height = tenths ? tenths.bands.length * (band.height + rowHeight) : heightOf(rows)
  return (
    <svg
      aria-hidden
      className={styles.picture}
      viewBox={`0 0 ${tenths ? band.width : seconds} ${height}`}
      preserveAspectRatio="none"
      style={{ blockSize: Math.min(height, mostHeight) }}
      data-dense={height > mostHeight || undefined}
    >
      {tenths ? <Bands bands={tenths.bands} /> : <Threads rows={rows} seconds={seconds} />}
      {lacking && <path className={styles.veil} d={veilOver(rows, lacking, seconds)} />}
    </svg>
  )
}

/** Over everybody else, in as few pieces as they stand together. */
function veilOver(rows: readonly Row[], lacking: readonly Thread[], seconds: number): string {
  const ids = new Set(lacking.map(({ userId }) => userId))
  const pieces: { from: number; to: number }[] = []
  for (const { userId, y } of rows) {
    if (ids.has(userId)) continue
    const last = pieces.at(-1)
    if (last?.to === y) last.to = y + rowHeight
    else pieces.push({ from: y, to: y + rowHeight })
  }
  return pieces.map(({ from, to }) => `M0 ${from - 0.5}h${seconds}v${to - from}H0z`).join('')
}

/** The picture over the time of the video, and what is looked at in it. */
export function Field({ weave, place: { at, count, looked, handlers }, said, chosen }: Props) {
  const { seconds, durationMs } = weave
  const { ref, width } = useWidth(800)
  const how = useId()
  const percent = (second: number) => `${(second / seconds) * 100}%`
  return (
    <div dir="ltr">
      <div
        ref={ref}
        className={`${styles.cloth} ${ink.ink}`}
        role="slider"
        tabIndex={0}
        aria-label="Second of the video"
        aria-describedby={how}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={at ?? 0}
        aria-valuetext={said ?? formatClock((looked?.from ?? 0) * 1_000)}
        {...handlers}
      >
        <Picture weave={weave} lacking={chosen} />
        {looked && (
          <span
            className={styles.column}
            style={{ insetInlineStart: percent(looked.from), inlineSize: percent(looked.to - looked.from) }}
          />
        )}
      </div>
      <p id={how} className={shapes.sr} dir="auto">
        The arrow keys move by a second, with Shift they choose a part, and Enter reminds whoever lacks it, or
        begins a message to them.
      </p>
      <div className={`${shapes.hint} ${styles.times}`} aria-hidden>
        {ticksOf(durationMs, width).map((ms) => (
          <span key={ms} style={{ insetInlineStart: percent(ms / 1_000) }}>
            {formatClock(ms)}
          </span>
        ))}
      </div>
    </div>
  )
}
