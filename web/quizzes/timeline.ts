/** Moments in the middle of so many equal parts of the video. */
export function middles(durationMs: number, count: number): number[] {
  return Array.from({ length: count }, (_one, at) => ((at + 0.5) * durationMs) / count)
}

/** Rows for things that may not cover one another: the first in which it has room. `from` and `to` in pixels, sorted by `from`. */
export function lanesOf(spans: readonly { from: number; to: number }[]): number[] {
  const ends: number[] = []
  return spans.map(({ from, to }) => {
    const free = ends.findIndex((end) => end <= from)
    const lane = free === -1 ? ends.length : free
    ends[lane] = to
    return lane
  })
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600].map((seconds) => seconds * 1_000)

/** Moments to be named below the time line: round ones, at most `most` of them, none near the end. */
export function ticksOf(durationMs: number, most: number): number[] {
  const gap = steps.find((step) => durationMs / step <= most) ?? steps.at(-1) ?? durationMs
  const count = Math.floor((durationMs - gap * 0.4) / gap)
  return Array.from({ length: count + 1 }, (_one, at) => at * gap)
}
