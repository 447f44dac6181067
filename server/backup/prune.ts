import type { Store } from '../platform/storage/store.ts'
import { readFileList } from './files.ts'
import { findAll, type Whose } from './found.ts'
import { contentOf, namesIn, partsOf, readManifest } from './manifest.ts'

/** How many days, weeks and months keep their newest backup. */
export type Retention = { daily: number; weekly: number; monthly: number }

/** Of a database before its migrations; they serve the weeks after an upgrade. */
const beforeMigrations = 3

type KnownBackup = { name: string; at: Date; isBad: boolean }

/**
 * Those that the rule no longer keeps: of the newest days, weeks and months with a backup the newest stays, and always the newest of
 * which nobody knows that it is damaged.
 */
export function gone(backups: readonly KnownBackup[], retention: Retention): string[] {
  const newestFirst = backups.toSorted((a, b) => b.at.getTime() - a.at.getTime())
  const good = newestFirst.filter(({ isBad }) => !isBad)
  const stays = new Set([newestFirst[0]?.name, good[0]?.name])
  for (const [count, periodOf] of [
    [retention.daily, dayOf],
    [retention.weekly, weekOf],
    [retention.monthly, monthOf],
  ] as const) {
    const newest = new Map<string, string>()
    for (const { name, at } of good) if (!newest.has(periodOf(at))) newest.set(periodOf(at), name)
    for (const name of [...newest.values()].slice(0, count)) stays.add(name)
  }
  return newestFirst.map(({ name }) => name).filter((name) => !stays.has(name))
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)
const monthOf = (at: Date) => at.toISOString().slice(0, 7)
/** By its Monday. */
const weekOf = (at: Date) => dayOf(new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * 86_400_000))

/** Who makes or removes a backup, in what stands there meanwhile. */
export const makerOf = (installation: string | null): string => installation ?? 'unnamed'

/**
 * Removes what of one's own the rule no longer keeps, and content that no backup names any more, whosever it is. While anything there
 * cannot be read, it stays, and so does all content. Only while one makes no backup oneself.
 */
export async function prune(whose: Whose, retention: Retention): Promise<void> {
  const { store } = whose.place
  const { own } = await findAll(whose)
  const whole = own
    .filter(({ manifest }) => manifest.kind === 'whole')
    .map(({ name, manifest, checked }) => ({
      name,
      at: new Date(manifest.snapshotAt),
      isBad: checked !== null && checked.fault !== null,
    }))
  const ofTables = own.filter(({ manifest }) => manifest.kind === 'database').map(({ name }) => name)
  const removed = [...gone(whole, retention), ...ofTables.slice(beforeMigrations)]
  for (const name of removed) {
    await store.put(partsOf(name).unfinished, Buffer.from(makerOf(whose.installation)))
    await removeBackup(store, name)
  }
  if (removed.length > 0) await removeUnnamed(store)
}

/** Of one that says who is about it: whatever stops this, it is no backup any more, and the next one finds it. */
export async function removeBackup(store: Store, name: string): Promise<void> {
  const { manifest, tables, files, checked } = partsOf(name)
  await store.remove(manifest)
  await store.removeBelow(tables)
  for (const key of [files, checked]) await store.remove(key)
  await store.removeBelow(`${name}/`)
}

/** Longer than a backup takes: what is younger may belong to one that another installation makes right now, and names at its end. */
export const makingMs = 2 * 86_400_000

async function removeUnnamed(store: Store): Promise<void> {
  const named = await namedIn(store)
  if (named === undefined) return
  for await (const { key, modifiedAt } of store.list('files/'))
    if (!named.has(key) && Date.now() - modifiedAt.getTime() > makingMs) await store.remove(key)
}

/** Undefined where a backup does not say what it names. */
async function namedIn(store: Store): Promise<Set<string> | undefined> {
  const named = new Set<string>()
  try {
    for (const name of await namesIn(store)) {
      const { files, recipient } = (await readManifest(store, name)).manifest
      for (const { sha256 } of await readFileList(store, name, files)) named.add(contentOf(recipient, sha256))
    }
  } catch {
    return undefined
  }
  return named
}
