import { eachApart } from '../../platform/aside.ts'
import { toTheEnd } from '../../platform/failures.ts'
import { hasRow, type Database } from '../../platform/db/client.ts'
import { tryLock } from '../../platform/db/locks.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { markProcessing } from '../queries.ts'
import { deletedAmong, expireUploads, findUploads, markUploaded, type UploadRow } from './queries.ts'
import { uploadDays } from './receive.ts'

type Needs = Pick<Services, 'db' | 'jobs' | 'storage'>

/**
 * The last byte is on disk: the file becomes the source, and the video goes to processing. Harmless when repeated, so whoever
 * finds a complete upload after a crash calls it again.
 */
export async function finishUpload({ db, jobs, storage }: Needs, upload: UploadRow): Promise<void> {
  const { organizationId, videoId, versionId } = upload
  await storage.keepSource({ organizationId, videoId, versionId })
  await db.as({ organizationId }, async (tx) => {
    if (!(await markUploaded(tx, versionId))) return
    await markProcessing(tx, { videoId, versionId })
    await jobs.send(tx, 'video.probe', { organizationId, videoId, versionId })
  })
}

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Also true, and put right, when a server died between the last byte and the note about it. */
export async function isComplete(services: Needs, upload: UploadRow): Promise<boolean> {
  if (upload.uploadedAt !== null) return true
  const arrived = await services.storage.uploadSize(upload.versionId)
  const moved = arrived === undefined && (await services.storage.hasSource(upload))
  if (arrived !== upload.size && !moved) return false
  await finishUpload(services, upload)
  return true
}

/**
 * Housekeeping of files: finishes uploads that were complete when a server died, fails those that nobody finished within seven
 * days, and removes the files of deleted videos.
 */
export async function sweepUploads(services: Needs): Promise<void> {
  await toTheEnd([() => healUploads(services), () => dropExpired(services), () => removeDeleted(services)])
}

async function dropExpired({ db, storage }: Needs): Promise<void> {
  const expired = await db.as('system', (tx) => expireUploads(tx, uploadDays))
  await toTheEnd(expired.map((versionId) => () => unlessCopied(db, () => storage.dropUpload(versionId))))
}

/** Whoever copies files into a backup finds all that its tables name; what is left over goes an hour later. */
async function unlessCopied(db: Database, remove: () => Promise<void>): Promise<void> {
  await db.as('system', async (tx) => {
    if (await hasRow(tx, sql`select 1 where ${tryLock('fileRemoval')}`)) await remove()
  })
}

/** Finishes complete uploads; drops files that belong to no announced upload any more. */
export async function healUploads(services: Needs): Promise<void> {
  const { db, storage } = services
  const files = (await storage.listUploads()).filter(({ versionId }) => isId.test(versionId))
  const announced = await findUploads(
    db,
    files.map(({ versionId }) => versionId),
  )
  const known = new Set(announced.map(({ versionId }) => versionId))
  // A young file may belong to an announcement that is about to commit.
  const isLeft = ({ versionId, modifiedAt }: (typeof files)[number]) =>
    !known.has(versionId) && Date.now() - modifiedAt.getTime() > 3_600_000
  const nameOf = ({ versionId }: { versionId: string }) => ({ item: versionId })
  const list = { db, loop: 'uploads', nameOf } as const
  await toTheEnd([
    () => eachApart(list, announced, (upload) => isComplete(services, upload)),
    () => eachApart(list, files.filter(isLeft), ({ versionId }) => storage.dropUpload(versionId)),
  ])
}

async function removeDeleted({ db, storage }: Needs): Promise<void> {
  const videos = (await storage.listVideos()).filter(({ videoId }) => isId.test(videoId))
  const deleted = await deletedAmong(
    db,
    videos.map(({ videoId }) => videoId),
  )
  const gone = videos.filter(({ videoId }) => deleted.has(videoId))
  const nameOf = ({ videoId }: { videoId: string }) => ({ item: `video ${videoId}` })
  await eachApart({ db, loop: 'housekeeping', nameOf }, gone, ({ organizationId, videoId }) =>
    unlessCopied(db, () => storage.removeVideo(organizationId, videoId)),
  )
}
