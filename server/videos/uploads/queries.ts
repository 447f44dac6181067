import * as z from 'zod/mini'
import { arrayOf, type Database, hasRow, row, rows, type Tx } from '../../platform/db/client.ts'
import { notify } from '../../notifications/notify.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { VersionKey } from '../../platform/storage/paths.ts'
import { Id } from '../../platform/db/rows.ts'

export const UploadRow = z.extend(VersionKey, {
  fileName: z.string(),
  size: z.number(),
  createdAt: z.string(),
  uploadedAt: z.nullable(z.string()),
  expired: z.boolean(),
})
export type UploadRow = z.infer<typeof UploadRow>

const select = sql`select x.id as "versionId", x.video_id as "videoId", x.organization_id as "organizationId",
    x.file_name as "fileName", x.size::float8 as size, ${isoText(sql`x.created_at`)} as "createdAt", x.uploaded_at as "uploadedAt",
    coalesce(x.failure, v.failure) is not distinct from 'upload_expired' as expired
  from video_versions x join videos v on v.id = x.video_id and v.deleted_at is null`

/** An announced upload of a video that still exists, of whatever organization: the caller's right is checked by the caller. */
export async function findUpload(db: Database, versionId: string): Promise<UploadRow | undefined> {
  return row(db.single, UploadRow, sql`${select} where x.id = ${versionId}`)
}

/** Announced uploads of existing videos: those of the given ids, and all that are not finished, the oldest first. */
export async function findUploads(db: Database, versionIds: string[]): Promise<UploadRow[]> {
  return rows(
    db.single,
    UploadRow,
    sql`${select} where x.id = any(${arrayOf(versionIds, 'uuid')})
    or x.uploaded_at is null and x.failure is null order by x.created_at`,
  )
}

/** True for the one call that turns an upload into an uploaded version. */
export async function markUploaded(tx: Tx, versionId: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`update video_versions set uploaded_at = now(), received_bytes = size
      where id = ${versionId} and uploaded_at is null returning 1`,
  )
}

const Expired = z.object({
  versionId: z.string(),
  videoId: z.nullable(z.string()),
  organizationId: z.nullable(z.string()),
  createdBy: z.nullable(z.string()),
})

/** Marks uploads that nobody finished in time; answers their versions. */
export async function expireUploads(tx: Tx, days: number): Promise<string[]> {
  const expired = await rows(
    tx,
    Expired,
    sql`with late as (
        update video_versions set failure = 'upload_expired'
        where uploaded_at is null and failure is null and created_at < now() - make_interval(days => ${days})
        returning id, video_id),
      failed as (
        update videos v set state = 'failed', failure = 'upload_expired', updated_at = now()
        from late where v.id = late.video_id and v.state = 'uploading'
        returning late.id, v.id as video_id, v.organization_id, v.created_by)
      select late.id as "versionId", failed.video_id as "videoId", failed.organization_id as "organizationId",
        failed.created_by as "createdBy" from late left join failed using (id)`,
  )
  await notify(
    tx,
    expired.flatMap(({ versionId, videoId, organizationId, createdBy }) =>
      videoId === null || createdBy === null
        ? []
        : [
            {
              organizationId,
              userId: createdBy,
              kind: 'video.failed',
              entityId: videoId,
              cause: versionId,
            } as const,
          ],
    ),
  )
  return expired.map(({ versionId }) => versionId)
}

/** Those of the given videos that people have deleted, and that nobody can bring back any more. */
export async function deletedAmong(db: Database, videoIds: string[]): Promise<Set<string>> {
  const found = await rows(
    db.single,
    Id,
    sql`select v.id from videos v where v.id = any(${arrayOf(videoIds, 'uuid')}) and v.deleted_at is not null
      and not exists (select 1 from operation_rows r join operations p on p.id = r.operation_id
        where r.entity_id = v.id and r.entity = 'video' and r.outcome = 'removed' and r.undo is null
          and (p.undo_until > now() or p.state in ('running', 'cancelling', 'undoing')))`,
  )
  return new Set(found.map(({ id }) => id))
}
