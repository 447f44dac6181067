import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { BackupOrigin } from '#contract/backup.ts'
import type { Env } from '../platform/env.ts'
import { givenKeys } from '../platform/keys.ts'
import { absent } from '../platform/storage/store.ts'
import { namesIn, placeOf, readChecked, readManifest, type Checked, type Manifest } from './manifest.ts'
import { signOf } from './secret.ts'
import { originOf, signedIn, type Signed } from './signature.ts'

/** Whose backups are meant: several installations may have the same folder. */
export type Whose = {
  env: Env
  folder: string
  /** Null: the database is older than this name. */
  installation: string | null
}

/** What a manifest says, without the tables one by one. */
type Described = Omit<Manifest, 'tables' | 'sequences' | 'migrations'> & {
  /** Of the tables, as they lie in the folder. */
  stored: number
  signed: Signed
}

export type Own = { name: string; manifest: Described; checked: Checked | null; origin: BackupOrigin }

export type Found = {
  /** Of this installation, the newest first. */
  own: Own[]
  /** Names of those, whosever they are, whose description nobody can read. */
  unreadable: string[]
}

export async function readFolder({ env, folder, installation }: Whose): Promise<Found> {
  const sign = signOf(env)
  const keys = givenKeys(env)
  const own: Own[] = []
  const unreadable: string[] = []
  for (const name of await namesIn(folder)) {
    const manifest = await describedIn(folder, name)
    if (manifest === undefined) {
      if (existsSync(placeOf(folder, name).folder)) unreadable.push(name)
      continue
    }
    // Before 0.1.0 only the secret was named.
    const isOwn = manifest.installation
      ? manifest.installation === installation
      : manifest.secretSign === sign
    if (isOwn)
      own.push({
        name,
        manifest,
        checked: await readChecked(folder, name),
        origin: originOf(manifest.signed, keys),
      })
  }
  return { own, unreadable }
}

/** A manifest never changes, is large, and is asked for every few seconds while somebody looks at the page. */
const known = new Map<string, { modifiedMs: number; manifest: Described }>()

/** Undefined where it cannot be read. */
async function describedIn(folder: string, name: string): Promise<Described | undefined> {
  const file = placeOf(folder, name).manifest
  const modifiedMs = (await stat(file).catch(absent(undefined)))?.mtimeMs
  if (modifiedMs === undefined) return undefined
  const before = known.get(file)
  if (before?.modifiedMs === modifiedMs) return before.manifest
  try {
    const whole = readManifest(folder, name)
    const { tables, sequences: _, migrations: __, ...rest } = whole
    const stored = tables.reduce((sum, table) => sum + table.stored, 0)
    const manifest = { ...rest, stored, signed: signedIn(folder, name, whole) }
    known.set(file, { modifiedMs, manifest })
    return manifest
  } catch {
    return undefined
  }
}
