import type { OperationState } from '#contract/operations.ts'
import { keep } from '#web/ui/browser/persisted.ts'

/** As many as somebody can look after. */
const most = 4

/** `ended`: as what its outcome has been told; `until`: when that goes (milliseconds since 1970), null while it is on its way. */
export type Started = { id: string; ended: OperationState | null; until: number | null }

function parse(text: string | null): readonly Started[] {
  const given: unknown = JSON.parse(text ?? '[]')
  // Only `stored` writes this key; an earlier version wrote ids alone.
  const all = Array.isArray(given) ? (given as Started[]) : []
  return all.filter(({ id, until }) => id && (until === null || until > Date.now()))
}

const stored = keep<readonly Started[]>('operations', { parse, format: JSON.stringify })

/** Where an operation was begun, as long as this page is not loaded anew: a list shows its outcome itself. */
const places = new Map<string, string>()

/** The operations that somebody has begun in this browser, until their outcome has been told: found again after a reload, in every tab. */
export const started = {
  read: stored.read,
  subscribe: stored.subscribe,
  /** `place`: of the list that it was begun in. */
  add: (id: string, place?: string): void => {
    if (place !== undefined) places.set(id, place)
    const others = stored.read().filter((one) => one.id !== id)
    stored.save([{ id, ended: null, until: null }, ...others].slice(0, most))
  },
  isOf: (id: string, place: string): boolean => places.get(id) === place,
  /** Its outcome is told from now on, for so many milliseconds. */
  end: (id: string, ended: OperationState, lifeMs: number): void =>
    stored.save(
      stored.read().map((one) => (one.id === id ? { id, ended, until: Date.now() + lifeMs } : one)),
    ),
  drop: (id: string): void => stored.save(stored.read().filter((one) => one.id !== id)),
}
