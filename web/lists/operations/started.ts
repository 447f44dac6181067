import { keep } from '#web/ui/persisted.ts'

/** As many as somebody can look after. */
const most = 4

function parse(text: string | null): readonly string[] {
  const given: unknown = text === null ? [] : JSON.parse(text)
  return Array.isArray(given) ? given.filter((id) => typeof id === 'string').slice(0, most) : []
}

const kept = keep<readonly string[]>('operations', { parse, format: JSON.stringify })

/** Where an operation was begun, as long as this page is not loaded anew: a list shows its outcome itself. */
const places = new Map<string, string>()

/** The operations that somebody has begun in this browser and not put away yet: found again after a reload, in every tab. */
export const started = {
  read: kept.read,
  subscribe: kept.subscribe,
  /** `place`: of the list that it was begun in. */
  add: (id: string, place?: string): void => {
    if (place !== undefined) places.set(id, place)
    kept.save([id, ...kept.read().filter((one) => one !== id)].slice(0, most))
  },
  isOf: (id: string, place: string): boolean => places.get(id) === place,
  drop: (id: string): void => kept.save(kept.read().filter((one) => one !== id)),
}
