import { spanFlags } from '#contract/tracking/track-limits.ts'
import type { Span } from '#contract/tracking/tracks.ts'

type Ranges = [start: number, end: number][]

export type Counted = {
  /** Media time that would count, sorted and disjoint, in milliseconds. */
  ranges: Ranges
  countedMs: number
  /** Media milliseconds, repeats counted, that would not: played too fast, or in a window that nobody saw. */
  fastMs: number
  hiddenMs: number
}

/** What the server would make of these spans, as far as a browser can know; it judges by the clock and by other windows too. */
export function countedOf(spans: readonly Span[], maxRate: number): Counted {
  const good: Ranges = []
  let [fastMs, hiddenMs] = [0, 0]
  for (const [, start, end, , rate, flags] of spans) {
    const isUnseen = (flags & spanFlags.hidden) !== 0 && (flags & spanFlags.pictureInPicture) === 0
    if (rate > maxRate * 100) fastMs += end - start
    else if (isUnseen) hiddenMs += end - start
    else good.push([start, end])
  }
  const ranges = unionOf(good)
  return { ranges, countedMs: ranges.reduce((sum, [start, end]) => sum + end - start, 0), fastMs, hiddenMs }
}

function unionOf(ranges: Ranges): Ranges {
  const merged: Ranges = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}
