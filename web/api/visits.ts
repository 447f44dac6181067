import { storage } from '../ui/browser/storage.ts'

const prefix = 'visits:'

/** What somebody opened in the console: where it leads, how it is shown, how often, and when last (milliseconds since 1970). */
export type Visit = {
  kind: string
  title: string
  detail: string
  picture: string | null
  path: string
  times: number
  at: number
}

const most = 50

function isVisit(value: unknown): value is Visit {
  if (typeof value !== 'object' || value === null) return false
  const { kind, title, detail, path, times, at } = value as Record<string, unknown>
  const texts = [kind, title, detail, path].every((one) => typeof one === 'string')
  return texts && String(path).startsWith('/') && typeof times === 'number' && typeof at === 'number'
}

function write(personId: string, stored: readonly Visit[]): void {
  storage.write(prefix + personId, JSON.stringify(stored.slice(0, most)))
}

/** Kept in this browser, for each person apart, until they sign out or somebody else signs in. */
export const visits = {
  /** The last one first. */
  read(personId: string): Visit[] {
    try {
      const stored: unknown = JSON.parse(storage.read(prefix + personId) ?? '[]')
      return Array.isArray(stored) ? stored.filter(isVisit) : []
    } catch {
      return []
    }
  },
  /** Opening again what was opened last, such as another of its pages, counts as the same visit. */
  add(personId: string, visit: Omit<Visit, 'times' | 'at'>): void {
    const before = visits.read(personId)
    const times = before.find(({ path }) => path === visit.path)?.times ?? 0
    const isSame = before[0]?.path === visit.path
    const others = before.filter(({ path }) => path !== visit.path)
    write(personId, [{ ...visit, times: isSame ? times : times + 1, at: Date.now() }, ...others])
  },
  /** For an address that leads nowhere any more. */
  drop(personId: string, path: string): void {
    const before = visits.read(personId)
    const others = before.filter((one) => one.path !== path)
    if (others.length < before.length) write(personId, others)
  },
  forget: (personId: string): void => storage.remove(prefix + personId),
  forgetOthers: (personId: string): void =>
    storage.removeWhere((key) => key.startsWith(prefix) && key !== prefix + personId),
}
