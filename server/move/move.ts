import { createHash, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { formatBytes } from '#contract/platform/text/format.ts'
import type { Database } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import { saidOf } from '../platform/errors.ts'
import { isOurUpload, modelPrefix, tops } from '../platform/storage/keys.ts'
import { lockPlace, placeAt } from '../platform/storage/place.ts'
import { changePlace, forgetFormerPlace, readHolding, type Storage } from '../platform/storage/storage.ts'
import { absent, isAway, type Store, type StoredObject, type StoreKind } from '../platform/storage/store.ts'
import { moveMark } from '../transmissions/ledger/guard.ts'
import { countLeft, filesIn, notMoved, versionsWithFiles, type Version } from './versions.ts'

export type Moving = {
  env: Pick<Env, 'dataDir' | 's3'>
  db: Database
  storage: Storage
  say: (sentence: string) => void
}

/** Lets new files go to another store, and brings those there that are. What is read is found in both meanwhile. */
export async function moveTo(moving: Moving, kind: StoreKind): Promise<void> {
  const { db, say } = moving
  const isChanged = await change(moving, kind)
  const { former } = await readHolding(db.single)
  if (!isChanged && former === null)
    return say(`The files lie there already: ${moving.storage.of(kind).place}.`)
  if (former === null) return
  await copyAll(moving, { from: moving.storage.of(former), to: moving.storage.of(kind) })
  const open = await openUploads(db, former)
  if (open > 0)
    return say(
      `${open} ${open === 1 ? 'upload has begun there and ends' : 'uploads have begun there and end'} there: run this once more afterwards.`,
    )
  say(
    'All files are there, every byte compared. “npm run move -- --forget” removes them from where they were.',
  )
}

/** From the commit on, whoever stores a file stores it in the other store. Returns false when that is so already. */
function change({ env, db, storage }: Moving, kind: StoreKind): Promise<boolean> {
  return db.as('system', async (tx) => {
    const { kind: present, place, formerKind, formerPlace, installation, hasFiles } = await lockPlace(tx)
    if (present === kind) return false
    if (formerKind !== null && formerKind !== kind) throw new Error('Another move is not at its end.')
    const known = formerKind === kind ? formerPlace : null
    const seen = await placeAt(kind, {
      env,
      storage,
      installation,
      place: known,
      hasFiles: known !== null && hasFiles,
    })
    await changePlace(tx, { kind, place: seen, formerKind: present, formerPlace: place })
    await tx.execute(sql`delete from moved_files`)
    await moveMark(tx, { from: storage.of(present), to: storage.of(kind) })
    return true
  })
}

type Way = { from: Store; to: Store }

/** Copies every version that is not there yet. One that fails stops no other; that some have failed is thrown at the end. */
async function copyAll(moving: Moving, way: Way): Promise<void> {
  const { db, say } = moving
  const { versions, bytes } = await countLeft(db.single)
  if (versions > 0)
    say(
      `From ${way.from.place} to ${way.to.place}: ${versions} files with what was made of them, ${formatBytes(bytes)}.`,
    )
  let done = 0
  let failed = 0
  let saidAt = performance.now()
  for await (const version of versionsWithFiles(db.single, notMoved)) {
    await copyVersion(moving, way, version).catch((error: unknown) => {
      failed += 1
      say(`The file ${version.versionId} of the video ${version.videoId} was not moved: ${saidOf(error)}`)
    })
    done += 1
    if (performance.now() - saidAt < sayEveryMs) continue
    saidAt = performance.now()
    say(`${done} of ${versions}`)
  }
  if (failed > 0)
    throw new Error(`${failed} of ${versions} were not moved. Nothing was removed; run this once more.`)
  await copyModel(moving, way)
}

/** The model by which speech is recognised, where one was sent. */
async function copyModel({ storage }: Moving, way: Way): Promise<void> {
  const scratch = await storage.scratch.open(randomUUID())
  try {
    for await (const file of way.from.list(modelPrefix))
      await copyOnce(way, file, path.join(scratch, 'model'))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function copyVersion({ db, storage }: Moving, way: Way, version: Version): Promise<void> {
  const { organizationId, versionId } = version
  const scratch = await storage.scratch.open(versionId)
  try {
    const files = (await filesIn(way.from, version)).values()
    const row = async (_: unknown, place: number) => {
      for (const file of files) await copyOnce(way, file, path.join(scratch, `file-${place}`))
    }
    // A store answers many at once as fast as one: most files are small, and most of the time is waiting.
    const ended = await Promise.allSettled(Array.from({ length: atOnce }, row))
    const fault = ended.find(({ status }) => status === 'rejected')
    if (fault?.status === 'rejected') throw fault.reason
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  await db.as({ organizationId }, (tx) =>
    tx.execute(sql`insert into moved_files (version_id, organization_id) select id, organization_id from video_versions
      where id = ${versionId} and organization_id = ${organizationId} on conflict do nothing`),
  )
}

const sayEveryMs = 5_000
const atOnce = 8
const tries = 5

/** Copies one file by way of a place on this machine, and reads it back. Whoever removes a video meanwhile removes it from the former store first. */
async function copyOnce(way: Way, file: StoredObject, local: string): Promise<void> {
  const { from, to } = way
  for (let left = tries; ; left--) {
    try {
      const before = await hashIn(from, file.key)
      if (before === undefined) return await to.remove(file.key)
      if ((await to.head(file.key))?.size === file.size && (await hashIn(to, file.key)) === before) return
      await rm(local, { force: true })
      await from.copyTo(file.key, local)
      await to.putFile(file.key, local)
      const after = await hashIn(to, file.key)
      if (!(await from.head(file.key))) return await to.remove(file.key)
      if (after === before) return
      if (left === 0) throw new Error(`${file.key} is not the same in ${to.place} as in ${from.place}.`)
    } catch (error) {
      if (left === 0 || !isAway(error)) throw error
      await new Promise((resolve) => {
        setTimeout(resolve, awayMs)
      })
    }
  }
}

const awayMs = 3_000

/** SHA-256 in hex of an object; undefined where there is none. */
export async function hashIn(store: Store, key: string): Promise<string | undefined> {
  const stream = await store.read(key).catch(absent(undefined))
  if (!stream) return undefined
  const hash = createHash('sha256')
  for await (const piece of stream) hash.update(piece as Buffer)
  return hash.digest('hex')
}

async function openUploads({ single }: Database, store: StoreKind): Promise<number> {
  const { rowCount } = await single.execute(sql`select 1 from uploads where store = ${store}
    union all select 1 from speech_models where store = ${store} and state = 'arriving'`)
  return rowCount ?? 0
}

/** Removes the files from the former store, once all of them are in the present one. */
export async function forgetFormer(moving: Moving): Promise<void> {
  const { db, storage, say } = moving
  const { kind, former } = await readHolding(db.single)
  if (former === null) return say('There is no store before this one: nothing is to be forgotten.')
  const [from, to] = [storage.of(former), storage.of(kind)]
  await copyAll(moving, { from, to })
  const open = await openUploads(db, former)
  if (open > 0)
    throw new Error(
      `${open} unfinished uploads lie in ${from.place} and end there. Run this once more afterwards; nothing was removed.`,
    )
  // Nothing begins or is stored there since the move began, so from here on nothing is needed there.
  for (const prefix of [...tops.map((top) => `${top}/`), modelPrefix, 'sending/'])
    await from.removeBelow(prefix)
  // What a crash has left of uploads is in no list of files; those of a backup that is being made are not ours.
  for await (const upload of from.uploads.list()) if (isOurUpload(upload.key)) await from.uploads.drop(upload)
  await db.as('system', async (tx) => {
    await forgetFormerPlace(tx)
    await tx.execute(sql`delete from moved_files`)
  })
  // While it is looked at, it has to say whose it is.
  await from.remove('installation')
  say(`The files of ${from.place} are removed; they lie in ${to.place}.`)
}
