import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import * as z from 'zod/mini'
import { hasRow, requireRow, row, statementsOn, type Tx } from '../platform/db/client.ts'
import { isAlive } from '../platform/db/embedded/embedded-cluster.ts'
import { connectionLock } from '../platform/db/locks.ts'
import { numbered, sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import { isDiskFull } from '../platform/errors.ts'
import { givenKeys } from '../platform/keys.ts'
import { syncFolder } from '../platform/storage/folder.ts'
import { version } from '../platform/version.ts'
import { beginSnapshot, dumpTables } from './dump.ts'
import { byPath, copyFiles, readFileList, writeFileList } from './files.ts'
import { readFolder, type Whose } from './folder.ts'
import { format, nameAt, placeOf, type Manifest, type StoredFile } from './manifest.ts'
import type { ProgressListener } from './progress.ts'
import { asideOf, draftOf, prune, type Retention } from './prune.ts'
import { sealFor } from './seal.ts'
import { isInDataDir, signOf } from './secret.ts'
import { macOf } from './signature.ts'

type BackupRequest = {
  env: Env
  /** Address of the owner of the tables. */
  owner: string
  folder: string
  kind: Manifest['kind']
  tell?: ProgressListener
  /** Then what the rule no longer keeps is removed. */
  retention?: Retention | undefined
}
export type Made = { name: string; manifest: Manifest }

/** Makes a backup while everything goes on. Whatever stops it leaves nothing but a folder that the next one removes. */
export async function makeBackup(asked: BackupRequest): Promise<Made> {
  const client = new pg.Client({ connectionString: asked.owner })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await requireAlone(client)
    await mkdir(asked.folder, { recursive: true, mode: 0o700 })
    const { env, folder } = asked
    const whose = { env, folder, installation: await installationOf(statementsOn(client)) }
    await sweepDrafts(whose)
    const made = await make(client, asked, whose)
    // What is whole is not removed for what is not.
    if (asked.retention && !made.manifest.leftOut) await prune(whose, asked.retention)
    return made
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new Error(
      `There is no room left in ${asked.folder}. No backup was made, and nothing else was changed.`,
      { cause: error },
    )
  } finally {
    // With the connection go its snapshot and its locks.
    await client.end()
  }
}

const LockAnswer = z.object({ mine: z.boolean() })

async function requireAlone(client: pg.Client): Promise<void> {
  const tx = statementsOn(client)
  const answer = await row(tx, LockAnswer, numbered(connectionLock('backup').try, ['']))
  if (!answer?.mine) throw new Error('Another backup of this installation is being made right now.')
  // From here on no file is removed: the snapshot that follows needs all that it knows.
  await client.query(connectionLock('fileRemoval').wait, [''])
}

const Named = z.object({ name: z.string() })

/** Null before the migration that gives it its name. */
async function installationOf(tx: Tx): Promise<string | null> {
  const isNamed = await hasRow(
    tx,
    sql`select 1 from pg_attribute where attrelid = to_regclass('public.backup_plan') and attname = 'installation'`,
  )
  if (!isNamed) return null
  const { name } = await requireRow(tx, Named, sql`select installation::text as name from public.backup_plan`)
  return name
}

/** What a process left that was killed in the middle. Of ours nobody else makes one now; others are left to those whose they are. */
async function sweepDrafts({ folder, installation }: Whose): Promise<void> {
  const own = [draftOf(installation), asideOf(installation)]
  for (const name of await readdir(folder)) {
    // Before 0.1.0 the process was named.
    const [, pid] = /^\.(?:new|gone)-(\d+)/.exec(name) ?? []
    const isLeft = pid === undefined ? own.some((start) => name.startsWith(start)) : !isAlive(Number(pid))
    if (isLeft) await rm(path.join(folder, name), { recursive: true, force: true })
  }
  await rm(path.join(folder, 'files', draftOf(installation)), { force: true })
}

async function make(
  client: pg.Client,
  { env, folder, kind, tell = () => {} }: BackupRequest,
  whose: Whose,
): Promise<Made> {
  const startedAt = new Date()
  const seal = sealFor(env.backupRecipient)
  const name = nameAt(startedAt)
  const draftName = draftOf(whose.installation)
  const draft = placeOf(folder, draftName)
  await mkdir(draft.folder, { mode: 0o700 })
  try {
    await beginSnapshot(client)
    const dumped = await dumpTables(client, { folder: draft.tables, seal, tell })
    await client.query('rollback')
    const before = await lastFiles(whose, seal.recipient)
    const copied =
      kind === 'whole'
        ? await copyFiles({ dataDir: env.dataDir, folder, draftName, seal, before, tell })
        : { files: [], newBytes: 0, leftOut: [] }
    const list = await writeFileList(draft.files, copied.files)
    const manifest: Manifest = {
      format,
      kind,
      ...(whose.installation !== null && { installation: whose.installation }),
      release: version,
      recipient: seal.recipient,
      ...secretOf(env, copied.files),
      startedAt: startedAt.toISOString(),
      endedAt: new Date().toISOString(),
      ...dumped,
      ...(copied.leftOut.length > 0 && { leftOut: copied.leftOut }),
      files: {
        count: copied.files.length,
        bytes: copied.files.reduce((sum, { size }) => sum + size, 0),
        newBytes: copied.newBytes,
        list: list.sha256,
      },
    }
    const keys = givenKeys(env)
    const signed = keys === undefined ? manifest : { ...manifest, mac: macOf(keys, manifest) }
    await writeThrough(draft.manifest, `${JSON.stringify(signed, null, 1)}\n`)
    await rename(draft.folder, path.join(folder, name))
    await syncFolder(folder)
    return { name, manifest: signed }
  } catch (error) {
    await rm(draft.folder, { recursive: true, force: true })
    throw error
  }
}

function secretOf(env: Env, files: readonly StoredFile[]): Pick<Manifest, 'secret' | 'secretSign'> {
  const isIncluded = files.some((file) => file.path === 'secret-key') && isInDataDir(env)
  return { secret: isIncluded ? 'included' : 'apart', secretSign: signOf(env) }
}

/**
 * Files of the last whole backup for the same key, without those that a check found damaged: they are copied anew. One without our
 * signature saves no work either: what somebody else has named would be signed by us.
 */
async function lastFiles(whose: Whose, recipient: string | null): Promise<Map<string, StoredFile>> {
  const { own } = await readFolder(whose)
  const damaged = new Set(own.find(({ checked }) => checked !== null)?.checked?.contents)
  for (const { name, manifest, origin } of own) {
    if (origin !== 'ours' || manifest.kind !== 'whole' || manifest.recipient !== recipient) continue
    try {
      const files = await readFileList(whose.folder, name, manifest.files)
      return byPath(files.filter(({ sha256 }) => !damaged.has(sha256)))
    } catch {
      // A damaged one saves no work; the restore names it.
    }
  }
  return new Map()
}

async function writeThrough(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
