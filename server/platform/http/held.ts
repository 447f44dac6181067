import type { CallerChanges } from '../db/changes.ts'

/** Long enough for the requests of a page, short enough that what has ended unheard soon counts no longer. */
const heldMs = 5_000
const most = 5_000

/** What was found, and for how many milliseconds from the moment of asking it is true by itself. */
type Found<T> = { value: T; trueForMs: number }
type Held<T> = { value: T; until: number; change: number }

/**
 * Keeps what was found for seconds, as long as no change was heard meanwhile; while this process hears of none, nothing is kept.
 * What was asked for before a change, and found after it, is not kept either.
 */
export function holdWhileUnchanged<T>(changes: CallerChanges) {
  const held = new Map<string, Held<T>>()
  return async (key: string, find: () => Promise<Found<T> | undefined>): Promise<T | undefined> => {
    const change = changes.count()
    // A clock that nobody sets back.
    const now = performance.now()
    const known = held.get(key)
    if (known && known.change === change && now < known.until) return known.value
    const found = await find()
    if (held.size >= most) held.clear()
    if (found && change !== undefined)
      held.set(key, { value: found.value, until: now + Math.min(heldMs, found.trueForMs), change })
    return found?.value
  }
}
