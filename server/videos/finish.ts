import { hasRow, type Database } from '../platform/db/client.ts'
import { tryLock } from '../platform/db/locks.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { markProcessing } from './queries.ts'
import { deletedAmong, expireUploads, findUploads, markUploaded, type UploadRow } from './upload-queries.ts'
import { uploadDays } from './upload-store.ts'

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

/**
 * Housekeeping of files: finishes uploads that were complete when a server died, fails those that nobody finished within seven
 * days, and removes the files of deleted videos.
 */
export async function sweepUploads(services: Needs): Promise<void> {
  await healUploads(services)
  const expired = await services.db.as('system', (tx) => expireUploads(tx, uploadDays))
  for (const versionId of expired)
    await unlessCopied(services.db, () => services.storage.dropUpload(versionId))
  await removeDeleted(services)
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
  const known = new Map(
    (
      await findUploads(
        db,
        files.map((file) => file.versionId),
      )
    ).map((upload) => [upload.versionId, upload]),
  )
  for (const { versionId, modifiedAt } of files) {
    const upload = known.get(versionId)
    if (upload && upload.size === (await storage.uploadSize(versionId))) await finishUpload(services, upload)
    // A young file may belong to an announcement that is about to commit.
    else if (!upload && Date.now() - modifiedAt.getTime() > 3_600_000) await storage.dropUpload(versionId)
  }
}

async function removeDeleted({ db, storage }: Needs): Promise<void> {
  const videos = (await storage.listVideos()).filter(({ videoId }) => isId.test(videoId))
  const deleted = await deletedAmong(
    db,
    videos.map(({ videoId }) => videoId),
  )
  for (const { organizationId, videoId } of videos)
    if (deleted.has(videoId)) await unlessCopied(db, () => storage.removeVideo(organizationId, videoId))
}
