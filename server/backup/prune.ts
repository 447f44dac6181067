import { readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { absent } from '../platform/storage/store.ts'
import { contentOf, readFileList } from './files.ts'
import { readFolder, type Whose } from './folder.ts'
import { namesIn, readManifest } from './manifest.ts'

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

/** Beginnings of the names of what is being made and of what is being removed; whose it is shows in them. */
export const draftOf = (installation: string | null): string => `.new-of-${installation ?? 'unnamed'}`
export const asideOf = (installation: string | null): string => `.gone-of-${installation ?? 'unnamed'}`

/**
 * Removes what of one's own the rule no longer keeps, and content that no backup names any more, whosever it is. While anything there
 * cannot be read, it stays, and so does all content. Only while one makes no backup oneself.
 */
export async function prune(whose: Whose, retention: Retention): Promise<void> {
  const { folder, installation } = whose
  const { own } = await readFolder(whose)
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
    const aside = path.join(folder, `${asideOf(installation)}-${name}`)
    await rename(path.join(folder, name), aside)
    await rm(aside, { recursive: true, force: true })
  }
  if (removed.length > 0 && !(await isMadeByOthers(whose))) await removeUnnamed(folder)
}

/** Longer than a backup takes; what is older was left behind. */
const draftMs = 2 * 86_400_000

/** Another installation makes one right now: nobody knows yet which content it will name. */
async function isMadeByOthers({ folder, installation }: Whose): Promise<boolean> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('.new-') || name === draftOf(installation)) continue
    const known = await stat(path.join(folder, name)).catch(absent(undefined))
    if (known && Date.now() - known.mtimeMs < draftMs) return true
  }
  return false
}

async function removeUnnamed(folder: string): Promise<void> {
  const named = await namedIn(folder)
  if (named === undefined) return
  const root = path.join(folder, 'files')
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }).catch(absent([])))
    if (entry.isFile() && !named.has(path.join(entry.parentPath, entry.name)))
      await rm(path.join(entry.parentPath, entry.name), { force: true })
}

/** Undefined where a backup does not say what it names. */
async function namedIn(folder: string): Promise<Set<string> | undefined> {
  const named = new Set<string>()
  try {
    for (const name of await namesIn(folder)) {
      const { files, recipient } = readManifest(folder, name)
      for (const { sha256 } of await readFileList(folder, name, files))
        named.add(contentOf(folder, recipient, sha256))
    }
  } catch {
    return undefined
  }
  return named
}
