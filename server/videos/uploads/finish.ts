import path from 'node:path'
import { Readable } from 'node:stream'
import { eachApart } from '../../platform/aside.ts'
import { toTheEnd } from '../../platform/failures.ts'
import { hasRow, type Database } from '../../platform/db/client.ts'
import { tryLock } from '../../platform/db/locks.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { isOurUpload, prefixesOf, sourceKey } from '../../platform/storage/keys.ts'
import type { Store, Uploading } from '../../platform/storage/store.ts'
import { markProcessing } from '../queries.ts'
import {
  completeUploads,
  endedUploads,
  expireUploads,
  findParts,
  findState,
  findUploads,
  forgetUpload,
  knownAmong,
  markUploaded,
  noteRemoved,
  videosToRemove,
  type UploadRow,
  type UploadState,
  type VideoKey,
} from './queries.ts'
import { beginUpload, uploadDays } from './receive.ts'

type Needs = Pick<Services, 'db' | 'jobs' | 'storage'>

/**
 * The last byte is kept: the upload becomes the source, and the video goes to processing. Harmless when repeated, so whoever finds a
 * complete upload after a crash calls it again.
 */
async function finishUpload({ db, jobs, storage }: Needs, upload: UploadRow): Promise<void> {
  const { organizationId, videoId, versionId, size } = upload
  const state = await findState(db.single, upload)
  if (state) {
    const parts = await findParts(db.single, upload)
    const target = { key: sourceKey(upload), id: state.storeId }
    await storage.of(state.store).uploads.complete(target, { parts, size })
  }
  await db.as({ organizationId }, async (tx) => {
    if (!(await markUploaded(tx, versionId))) return
    await forgetUpload(tx, upload)
    await markProcessing(tx, { videoId, versionId })
    await jobs.send(tx, 'video.probe', { organizationId, videoId, versionId })
  })
}

/** Finishes an upload of which all has arrived, also when a server died before it could. Returns what has arrived where it is not all. */
export async function finishIfComplete(
  services: Needs,
  upload: UploadRow,
): Promise<'complete' | UploadState | undefined> {
  if (upload.uploadedAt !== null) return 'complete'
  const state = (await findState(services.db.single, upload)) ?? (await begin(services, upload))
  if (state !== 'complete' && state?.arrived !== upload.size) return state
  await finishUpload(services, upload)
  return 'complete'
}

/** Before its first byte. Releases before this one kept nothing in the database: what they left in a folder is found. */
async function begin(
  { db, storage }: Needs,
  upload: UploadRow,
): Promise<'complete' | UploadState | undefined> {
  if ((await storage.head(sourceKey(upload)))?.size === upload.size) return 'complete'
  await beginUpload({ db, store: await storage.main() }, upload)
  return findState(db.single, upload)
}

/**
 * Housekeeping of files: finishes uploads that were complete when a server died, fails those that nobody finished within seven
 * days, and removes the files of deleted videos.
 */
export async function sweepUploads(services: Needs): Promise<void> {
  await toTheEnd([() => healUploads(services), () => dropEnded(services), () => removeDeleted(services)])
}

async function dropEnded({ db, storage }: Needs): Promise<void> {
  await db.as('system', (tx) => expireUploads(tx, uploadDays))
  const ended = await endedUploads(db.single)
  await eachApart({ db, loop: 'uploads', nameOf }, ended, async (key) => {
    const state = await findState(db.single, key)
    if (state)
      await unlessCopied(db, () =>
        storage.of(state.store).uploads.drop({ key: sourceKey(key), id: state.storeId }),
      )
    await forgetUpload(db.single, key)
  })
}

const nameOf = ({ versionId }: { versionId: string }) => ({ item: versionId })

/** Whoever copies files into a backup finds all that its tables name; what is left over goes an hour later. */
async function unlessCopied(db: Database, remove: () => Promise<void>): Promise<void> {
  await db.as('system', async (tx) => {
    if (await hasRow(tx, sql`select 1 where ${tryLock('fileRemoval')}`)) await remove()
  })
}

const youngMs = 3_600_000

/** Finishes complete uploads; drops what lies in a store and belongs to no announced upload and no speech model any more. */
export async function healUploads(services: Needs): Promise<void> {
  const { db, storage } = services
  await toTheEnd([
    async () => {
      const waited = await completeUploads(db.single)
      await eachApart({ db, loop: 'uploads', nameOf }, waited, (upload) => finishIfComplete(services, upload))
    },
    async () => healStore(services, await storage.main()),
  ])
}

type Unfinished = Uploading & { modifiedAt: Date }

async function healStore(services: Needs, store: Store): Promise<void> {
  const { db } = services
  const found: Unfinished[] = await Readable.from(store.uploads.list()).toArray()
  const known = await knownAmong(
    db.single,
    store.kind,
    found.map(({ id }) => id),
  )
  const isOurs = ({ key }: Unfinished) => store.kind === 'folder' || isOurUpload(key)
  const unknown = found.filter((upload) => isOurs(upload) && !known.has(upload.id))
  const announced = new Map(
    (
      await findUploads(
        db,
        unknown.map(versionOf).filter((id) => isId.test(id)),
      )
    ).map((one) => [one.versionId, one]),
  )
  const list = { db, loop: 'uploads', nameOf: ({ id }: { id: string }) => ({ item: id }) } as const
  await eachApart(list, unknown, async (upload) => {
    const waited = announced.get(versionOf(upload))
    // What was begun by a release that kept nothing in the database goes on where its file ends.
    if (waited && store.kind === 'folder') await finishIfComplete(services, waited)
    // A young one may belong to an announcement that is about to commit.
    else if (Date.now() - upload.modifiedAt.getTime() > youngMs) await store.uploads.drop(upload)
  })
}

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A source is called by its version, last of all. */
const versionOf = ({ key }: { key: string }): string => path.posix.basename(key)

async function removeDeleted({ db, storage }: Needs): Promise<void> {
  const nameOfVideo = ({ videoId }: VideoKey) => ({ item: `video ${videoId}` })
  const gone = await videosToRemove(db.single)
  await eachApart({ db, loop: 'housekeeping', nameOf: nameOfVideo }, gone, (video) =>
    unlessCopied(db, async () => {
      for (const prefix of prefixesOf(video)) await storage.removeBelow(prefix)
      await noteRemoved(db.single, video)
    }),
  )
}
