import type { Ranges } from '#server/platform/db/multirange.ts'
import { unionOf } from './credit.ts'

/** Returns what lies in `whole` and in none of `parts`. Both are sorted and disjoint, as `unionOf` makes them. */
export function minus(whole: Ranges, parts: readonly (readonly [number, number])[]): Ranges {
  const left: Ranges = []
  for (const [start, end] of whole) {
    let from = start
    for (const [a, b] of parts) {
      if (b <= from) continue
      if (a >= end) break
      if (a > from) left.push([from, a])
      from = b
    }
    if (from < end) left.push([from, end])
  }
  return left
}

/** Returns what lies in two or more of the stretches, which may overlap and stand in any order. */
export function repeated(stretches: Ranges): Ranges {
  const edges = stretches
    .flatMap(([start, end]): [number, number][] => [
      [start, 1],
      [end, -1],
    ])
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  const twice: Ranges = []
  let depth = 0
  let from = 0
  for (const [at, step] of edges) {
    depth += step
    if (step === 1 && depth === 2) from = at
    if (step === -1 && depth === 1 && from < at) twice.push([from, at])
  }
  return unionOf(twice)
}

/** Returns the union of the stretches, clipped to [0, end). All values are milliseconds. */
export function within(stretches: Ranges, end: number): Ranges {
  return unionOf(
    stretches.flatMap(([a, b]): Ranges => (a < end && a < b ? [[Math.max(a, 0), Math.min(b, end)]] : [])),
  )
}
