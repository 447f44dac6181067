import './coverage.css'
import { formatClock, formatRuntime } from './format.ts'
import { Tip } from './Tip.tsx'

type Props = {
  /** Sorted, disjoint [start, end) in milliseconds. */
  ranges: readonly (readonly [number, number])[]
  /** Null while the length of the video is not known. */
  durationMs: number | null
}

/** Which parts of a video were watched, over its timeline. Read aloud it lists the parts. */
export function CoverageStrip({ ranges, durationMs }: Props) {
  const length = durationMs ?? ranges.at(-1)?.[1] ?? 0
  const parts = ranges.map(([start, end]) => `${formatClock(start)} to ${formatClock(end)}`)
  const text =
    parts.length === 0
      ? 'Nothing watched yet'
      : `Watched ${parts.join(', ')}${durationMs === null ? '' : ` of ${formatRuntime(durationMs)}`}`
  return (
    <Tip className="ui-coverage" text={text} data-empty={parts.length === 0 || undefined}>
      <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden>
        {ranges.map(([start, end]) => (
          <rect
            key={start}
            x={(start / length) * 1_000}
            y="0"
            // A part of a second in a long video would vanish.
            width={Math.max(((end - start) / length) * 1_000, 4)}
            height="10"
          />
        ))}
      </svg>
    </Tip>
  )
}
