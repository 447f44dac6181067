import type { BackupOrigin } from '#contract/backup.ts'
import type { Env } from '../platform/env.ts'
import { givenKeys } from '../platform/keys.ts'
import type { Store } from '../platform/storage/store.ts'
import {
  addressOf,
  namesIn,
  partsOf,
  readChecked,
  readManifest,
  unlessOfStore,
  type Checked,
  type Manifest,
} from './manifest.ts'
import type { BackupPlace } from './place.ts'
import { signOf } from './secret.ts'
import { originOf, signedIn, type Signed } from './signature.ts'

/** Whose backups are meant: several installations may have the same place. */
export type Whose = {
  env: Env
  place: BackupPlace
  /** Null: the database is older than this name. */
  installation: string | null
}

/** What a manifest says, without the tables one by one. */
type Described = Omit<Manifest, 'tables' | 'sequences' | 'migrations'> & {
  /** Of the tables, as they are kept. */
  stored: number
  signed: Signed
}

export type Own = { name: string; manifest: Described; checked: Checked | null; origin: BackupOrigin }

export type Found = {
  /** Where it was looked, for people. */
  at: string
  /** Of this installation, the newest first. */
  own: Own[]
  /** Names of those, whosever they are, whose description nobody can read. */
  unreadable: string[]
}

export async function findAll({ env, place: { store }, installation }: Whose): Promise<Found> {
  const sign = signOf(env)
  const keys = givenKeys(env)
  const own: Own[] = []
  const unreadable: string[] = []
  const all = (await namesIn(store)).map(async (name) => ({
    name,
    manifest: await describedIn(store, name),
    checked: await readChecked(store, name),
  }))
  for (const { name, manifest, checked } of await Promise.all(all)) {
    if (manifest === undefined) {
      // What is being removed meanwhile is not unreadable.
      if ((await namesIn(store)).includes(name)) unreadable.push(name)
      continue
    }
    // Before 0.1.0 only the secret was named.
    const isOwn = manifest.installation
      ? manifest.installation === installation
      : manifest.secretSign === sign
    if (isOwn) own.push({ name, manifest, checked, origin: originOf(manifest.signed, keys) })
  }
  return { at: store.place, own, unreadable }
}

/** A manifest never changes, is large, and is asked for every few seconds while somebody looks at the page. */
const known = new Map<string, { modifiedMs: number; manifest: Described }>()

/** Undefined where it cannot be read. */
async function describedIn(store: Store, name: string): Promise<Described | undefined> {
  const key = partsOf(name).manifest
  const modifiedMs = (await store.head(key))?.modifiedAt.getTime()
  if (modifiedMs === undefined) return undefined
  const before = known.get(addressOf(store, key))
  if (before?.modifiedMs === modifiedMs) return before.manifest
  const description = await readManifest(store, name).catch(unlessOfStore)
  if (description === undefined) return undefined
  const { tables, sequences: _, migrations: __, ...rest } = description.manifest
  const stored = tables.reduce((sum, table) => sum + table.stored, 0)
  const manifest = { ...rest, stored, signed: signedIn(description) }
  known.set(addressOf(store, key), { modifiedMs, manifest })
  return manifest
}
