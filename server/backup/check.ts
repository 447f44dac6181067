import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { BackupOrigin } from '#contract/backup.ts'
import { formatBytes } from '#contract/platform/text/format.ts'
import { cut, inOneLine } from '#contract/platform/text/text.ts'
import { isAlive } from '../platform/db/embedded/embedded-cluster.ts'
import { locate } from '../platform/db/embedded-place.ts'
import { readEnv } from '../platform/env.ts'
import type { Store } from '../platform/storage/store.ts'
import type { Keys } from '../platform/keys.ts'
import { isDamage } from './restore/damage.ts'
import { mostFault, partsOf, readManifest, type Checked, type Manifest } from './manifest.ts'
import type { ProgressListener } from './progress.ts'
import { tryRestore } from './restore/restore.ts'

/** Of the command, when the backup is damaged; 1 is said of everything else. */
export const damagedExitCode = 2

type Checking = {
  store: Store
  name: string
  identity: string | undefined
  /** Of the installation that checks. */
  keys: Keys | undefined
  tell: ProgressListener
}

/**
 * Restores into a place that is thrown away, with a database of its own, and writes down what came of it; answers by whom it was signed.
 * Throws what was wrong.
 */
export async function check({ store, name, identity, keys, tell }: Checking): Promise<BackupOrigin> {
  const below = os.tmpdir()
  await sweepChecks(below)
  const parts = partsOf(name)
  const note = (outcome: Omit<Checked, 'at'>) => {
    const checked: Checked = { at: new Date().toISOString(), ...outcome }
    return store.put(parts.checked, Buffer.from(JSON.stringify(checked)))
  }
  const dataDir = await mkdtemp(path.join(below, `${beginning}${process.pid}-`))
  try {
    // The user of the database has to come in, where that is another one.
    await chmod(dataDir, 0o711)
    await requireRoom(dataDir, (await readManifest(store, name)).manifest)
    const env = readEnv({ DATA_DIR: dataDir })
    const origin = await tryRestore({ env, store, name, identity, keys, tell })
    await note({ fault: null })
    return origin
  } catch (error) {
    // What was removed meanwhile is not damaged.
    if (isDamage(error) && (await store.head(parts.files)) !== undefined)
      await note({
        fault: cut(inOneLine(error.message), mostFault),
        ...(error.contents && { contents: error.contents }),
      })
    throw error
  } finally {
    await removePlace(dataDir)
  }
}

const beginning = 'sendreel-check-'

/** What a check left that was killed in the middle. */
export async function sweepChecks(below: string): Promise<void> {
  for (const name of await readdir(below)) {
    const [, pid] = new RegExp(`^${beginning}(\\d+)-`).exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) await removePlace(path.join(below, name))
  }
}

/** With its database, which a server that root started keeps elsewhere where its user cannot come in. */
async function removePlace(dataDir: string): Promise<void> {
  for (const place of placesOf(dataDir)) await rm(place, { recursive: true, force: true, maxRetries: 10 })
}

function placesOf(dataDir: string): string[] {
  try {
    const { home, socketDir } = locate(dataDir)
    return [...(socketDir === undefined ? [] : [socketDir]), home, dataDir]
  } catch {
    // Its database is gone already.
    return [dataDir]
  }
}

/** Files are only read; the database takes its rows and their indexes, and a few files of its own. */
const ofRows = 2
const ofItself = 300_000_000
/** Of the disk, on which others write too. */
const spared = 0.05

/** Throws a sentence where the database would not fit. */
async function requireRoom(dataDir: string, { tables }: Manifest): Promise<void> {
  const place = path.dirname(locate(dataDir).home)
  const { bavail, blocks, bsize } = await statfs(existsSync(place) ? place : dataDir)
  const needed = ofItself + ofRows * tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const free = bavail * bsize
  if (free - needed > spared * blocks * bsize) return
  throw new Error(
    `There is no room to check a backup in ${place}: its database takes about ${formatBytes(needed)}, and ${formatBytes(free)} are free. Name a place with more room in TMPDIR.`,
  )
}
