import * as z from 'zod/mini'

/**
 * A window is counted in slices. One that any part of the window reaches into counts whole, so that no stretch of time as long as
 * a window holds more than it may, wherever it begins; a try is forgotten one slice late at the most.
 */
const slicesPerWindow = 12

export const sliceOf = (length: number) => length / slicesPerWindow

/** How many were counted in the slice that began then; times of any unit and origin, as long as all have the same. */
export const Slice = z.object({ began: z.number(), count: z.number() })
export type Slice = z.infer<typeof Slice>

type Window = {
  length: number
  /** How many may fall into any stretch of that length. */
  most: number
}

/** What was counted before a clock was set back, as far as it lies ahead now, cannot be placed any more. */
const isPast = ({ began }: Slice, length: number, now: number) => began <= now + sliceOf(length)

/** Until one more fits, in the unit of the times; 0 when it does. */
export function untilRoom(slices: readonly Slice[], { length, most }: Window, now: number): number {
  let counted = 0
  const past = slices.filter((one) => isPast(one, length, now))
  for (const { began, count } of past.toSorted((a, b) => b.began - a.began)) {
    counted += count
    // When this one lies behind, so do all that are older; the newer ones leave room.
    if (counted >= most) return Math.max(0, began + length + sliceOf(length) - now)
  }
  return 0
}
