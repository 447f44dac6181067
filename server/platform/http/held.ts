import type { CallerChanges } from '../db/changes.ts'
import { forgetOldest } from '../oldest.ts'

/** What was found, and for how many milliseconds from the moment of asking it is true by itself. */
type Found<T> = { value: T; trueForMs: number }
type Bounds = { heldMs: number; most: number }
type HeldValue<T> = { value: T; until: number; change: number }

/**
 * Keeps what was found for so long at most, while no change was heard; where this process hears of none, nothing is kept.
 * What was asked for before a change, and found after it, is not kept either.
 */
export function holdWhileUnchanged<T>(changes: CallerChanges, { heldMs, most }: Bounds) {
  const held = new Map<string, HeldValue<T>>()
  return async (key: string, find: () => Promise<Found<T> | undefined>): Promise<T | undefined> => {
    const change = changes.count()
    // A clock that nobody sets back.
    const now = performance.now()
    const known = held.get(key)
    if (known && known.change === change && now < known.until) return known.value
    const found = await find()
    held.delete(key)
    if (found && change !== undefined)
      held.set(key, { value: found.value, until: now + Math.min(heldMs, found.trueForMs), change })
    forgetOldest(held, most)
    return found?.value
  }
}
