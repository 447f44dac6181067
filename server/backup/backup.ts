import { mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { openClient } from '../platform/db/preconditions.ts'
import * as z from 'zod/mini'
import { hasRow, requireRow, row, statementsOn, type Tx } from '../platform/db/client.ts'
import { isAlive } from '../platform/db/embedded/embedded-cluster.ts'
import { connectionLock } from '../platform/db/locks.ts'
import { numbered, sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import { isDiskFull } from '../platform/errors.ts'
import { givenKeys } from '../platform/keys.ts'
import { absent } from '../platform/storage/store.ts'
import { version } from '../platform/version.ts'
import { beginSnapshot, dumpTables } from './dump.ts'
import { byPath, copyFiles, readFileList, writeFileList } from './files.ts'
import { findAll, type Whose } from './found.ts'
import {
  addressOf,
  format,
  nameAt,
  partsOf,
  unfinishedIn,
  unlessOfStore,
  type Manifest,
  type StoredFile,
} from './manifest.ts'
import { holdingIn, placeBy, type BackupPlace } from './place.ts'
import type { ProgressListener } from './progress.ts'
import { makerOf, makingMs, prune, removeBackup, type Retention } from './prune.ts'
import { sealFor } from './seal.ts'
import { isInDataDir, signOf } from './secret.ts'
import { macOf } from './signature.ts'

type BackupRequest = {
  env: Env
  /** Address of the owner of the tables. */
  owner: string
  /** Elsewhere than the settings say. */
  place?: BackupPlace | undefined
  kind: Manifest['kind']
  tell?: ProgressListener
  /** Then what the rule no longer keeps is removed. */
  retention?: Retention | undefined
}
export type Made = {
  name: string
  /** Where it lies, for people. */
  at: string
  manifest: Manifest
}

/** Makes a backup while everything goes on. Whatever stops it leaves nothing but what the next one removes. */
export async function makeBackup(asked: BackupRequest): Promise<Made> {
  const client = await openClient(asked.owner)
  try {
    await requireAlone(client)
    const { env } = asked
    const tx = statementsOn(client)
    const place = asked.place ?? placeBy(env, (await holdingIn(tx)).kind)
    const whose = { env, place, installation: await installationOf(tx) }
    return await make(client, asked, whose).catch((error: unknown) => {
      throw error instanceof Error && isDiskFull(error) ? noRoom(error, place) : error
    })
  } finally {
    // With the connection go its snapshot and its locks.
    await client.end()
  }
}

/** A disk says by which call it is full, a store says it by itself. */
const noRoom = (error: Error, { store, drafts }: BackupPlace) =>
  new Error(
    `There is no room left in ${'syscall' in error ? drafts : store.place}. No backup was made, and nothing else was changed.`,
    { cause: error },
  )

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

/** Of ours nobody else makes one now, so what is there of it was left by a process that was killed. Others sweep their own. */
async function sweep({ place: { store, drafts }, installation }: Whose): Promise<void> {
  const maker = makerOf(installation)
  for (const name of await unfinishedIn(store, maker)) await removeBackup(store, name)
  // Large content goes into a bucket part by part.
  if (store.kind === 's3')
    for await (const upload of store.uploads.list())
      if (Date.now() - upload.modifiedAt.getTime() > makingMs) await store.uploads.drop(upload)
  for (const name of await readdir(drafts).catch(absent([]))) {
    // Before 0.1.0 the process was named, and until 0.2.0 what was removed was laid aside before.
    const [, pid] = /^\.(?:new|gone)-(\d+)/.exec(name) ?? []
    const isOwn = name === draftOf(maker) || name.startsWith(`.gone-of-${maker}`)
    if (pid === undefined ? isOwn : !isAlive(Number(pid)))
      await rm(path.join(drafts, name), { recursive: true, force: true })
  }
  await rm(path.join(drafts, 'files', draftOf(maker)), { force: true })
}

const draftOf = (maker: string): string => `.new-of-${maker}`

async function make(client: pg.Client, asked: BackupRequest, whose: Whose): Promise<Made> {
  await sweep(whose)
  const { drafts } = whose.place
  const draft = path.join(drafts, draftOf(makerOf(whose.installation)))
  await mkdir(draft, { recursive: true, mode: 0o700 })
  try {
    const made = await put(whose, draft, await fill(client, { ...asked, draft }, whose))
    // What is whole is not removed for what is not.
    if (asked.retention && !made.manifest.leftOut) await prune(whose, asked.retention)
    return made
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Writes everything into the draft but the description, and files into their place. */
async function fill(
  client: pg.Client,
  { env, kind, tell = () => {}, draft }: BackupRequest & { draft: string },
  whose: Whose,
): Promise<Manifest> {
  const startedAt = new Date()
  const seal = sealFor(env.backupRecipient)
  const { place, installation } = whose
  await beginSnapshot(client)
  const dumped = await dumpTables(client, { folder: path.join(draft, 'tables'), seal, tell })
  await client.query('rollback')
  // Later than the tables: what they name lies there now, also where a move has begun meanwhile.
  const holding = await holdingIn(statementsOn(client))
  const before = await lastFiles(whose, seal.recipient)
  const copied =
    kind === 'whole'
      ? await copyFiles({ env, holding, place, draft, seal, before, tell })
      : { files: [], newBytes: 0, leftOut: [] }
  const list = await writeFileList(path.join(draft, 'files.jsonl.zst'), copied.files)
  const manifest: Manifest = {
    format,
    kind,
    ...(installation !== null && { installation }),
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
  return keys === undefined ? manifest : { ...manifest, mac: macOf(keys, manifest) }
}

/** With its description, which comes last, it is a backup. */
async function put(
  { place: { store }, installation }: Whose,
  draft: string,
  manifest: Manifest,
): Promise<Made> {
  const name = nameAt(new Date(manifest.startedAt))
  const { unfinished } = partsOf(name)
  await writeThrough(path.join(draft, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
  await store.put(unfinished, Buffer.from(makerOf(installation)))
  await store.putFolder(`${name}/`, draft, (file) => file === 'manifest.json')
  return { name, at: addressOf(store, name), manifest }
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
  const { own } = await findAll(whose)
  const damaged = new Set(own.find(({ checked }) => checked !== null)?.checked?.contents)
  for (const { name, manifest, origin } of own) {
    if (origin !== 'ours' || manifest.kind !== 'whole' || manifest.recipient !== recipient) continue
    try {
      const files = await readFileList(whose.place.store, name, manifest.files)
      return byPath(files.filter(({ sha256 }) => !damaged.has(sha256)))
    } catch (error) {
      unlessOfStore(error)
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
