import * as z from 'zod/mini'
import { VideoChange } from '#contract/videos/replacements.ts'
import { waitingFailures, type VideoFailure } from '#contract/videos/videos.ts'
import { arrayOf, asSystem, type Database, hasRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { audit } from '../platform/http/audit.ts'
import { notify } from '../notifications/notify.ts'
import type { ProcessedVideo } from '../media/process.ts'
import { VersionKey } from '../platform/storage/keys.ts'
import { carryOver, multirange } from '../duty/replaced.ts'
import { carryChapters } from './chapters/queries.ts'
import { carryCaptions } from './captions/carry.ts'

const Begun = z.object({ acceptIncomplete: z.boolean(), sha256: z.nullable(z.string()) })

/** How the version is to be read; undefined when there is nothing to do any more: the video is deleted, or the version is ready. */
export function beginProcessing(tx: Tx, key: VersionKey): Promise<z.infer<typeof Begun> | undefined> {
  return row(
    tx,
    Begun,
    sql`update videos v set state = 'processing', progress = 0, failure = null, updated_at = now()
      from video_versions x
      where v.id = ${key.videoId} and v.deleted_at is null and v.state <> 'archived'
        and x.id = ${key.versionId} and x.video_id = v.id and x.uploaded_at is not null and x.ready_at is null
      returning coalesce((x.probe->>'acceptIncomplete')::boolean, false) as "acceptIncomplete", x.sha256`,
  )
}

/** Which file it was, for whoever has to prove it later. */
export async function keepHash(db: Database, { versionId }: VersionKey, sha256: string): Promise<void> {
  await db.single.execute(sql`update video_versions set sha256 = ${sha256} where id = ${versionId}`)
}

/** False when nobody waits for the result any more. */
export async function showProgress(db: Database, key: VersionKey, fraction: number): Promise<boolean> {
  const shown = await db.single.execute(
    sql`update videos set progress = ${fraction} where id = ${key.videoId} and deleted_at is null and state = 'processing'`,
  )
  return shown.rowCount === 1
}

/** Holds the version until the transaction ends; false when it is ready already or its video deleted. */
export async function claimResult(tx: Tx, key: VersionKey): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from video_versions x join videos v on v.id = x.video_id and v.deleted_at is null
      where x.id = ${key.versionId} and x.ready_at is null for update of x`,
  )
}

/** The version is immutable from here on, and it is the one that plays. */
export async function storeResult(tx: Tx, key: VersionKey, made: ProcessedVideo): Promise<void> {
  const { durationMs, width, height, renditions, storyboard, poster, posterSmall, blur, bytes, warnings } =
    made
  const hasSound = made.files.some(({ name }) => name.startsWith('audio/'))
  const replaced = await replacedBy(tx, key)
  await tx.execute(
    sql`update video_versions set duration_ms = ${durationMs}, width = ${width}, height = ${height},
        renditions = ${JSON.stringify(renditions)}::jsonb, storyboard = ${JSON.stringify(storyboard)}::jsonb,
        poster = ${poster}, poster_small = ${posterSmall}, probe = ${JSON.stringify({ blur, bytes, warnings, hasSound })}::jsonb,
        failure = null, ready_at = now()
      where id = ${key.versionId}`,
  )
  const video = await row(
    tx,
    Uploaded,
    sql`update videos set state = 'ready', progress = 1, failure = null, current_version_id = ${key.versionId},
      updated_at = now() where id = ${key.videoId} ${uploaded}`,
  )
  if (replaced) await replace(tx, key, { ...replaced, durationMs })
  await tellUploader(tx, key, { video, kind: 'video.ready' })
}

const Replaced = z.object({ change: VideoChange, beforeId: z.string(), beforeMs: z.number() })

/** What this version takes the place of, and what its author said about that; undefined for the first one. */
function replacedBy(tx: Tx, { versionId, videoId }: VersionKey) {
  return row(
    tx,
    Replaced,
    sql`select x.change, p.id as "beforeId", p.duration_ms as "beforeMs" from video_versions x
      join videos v on v.id = x.video_id join video_versions p on p.id = v.current_version_id and p.id <> x.id and p.duration_ms is not null
      where x.id = ${versionId} and v.id = ${videoId} and x.change is not null`,
  )
}

type Replacing = z.infer<typeof Replaced> & { durationMs: number }

async function replace(
  tx: Tx,
  { organizationId, videoId, versionId }: VersionKey,
  { change, beforeId, beforeMs, durationMs }: Replacing,
): Promise<void> {
  const before = { id: beforeId, durationMs: beforeMs }
  const after = { id: versionId, durationMs }
  const { owed, owedParts } = await carryOver(tx, { organizationId, videoId }, { change, before, after })
  await tx.execute(
    sql`update video_versions set owed_parts = ${multirange(owedParts)} where id = ${versionId}`,
  )
  await carryChapters(tx, { change, before, after })
  await carryCaptions(tx, { change, before, after })
  const entry = { organizationId, action: 'video.replaced', entity: 'video', entityId: videoId } as const
  await audit(tx, 'system', {
    ...entry,
    after: { owed, change, lengthMs: durationMs, lengthBeforeMs: beforeMs },
  })
}

/** A video that has an older version keeps playing it. */
export async function storeFailure(tx: Tx, key: VersionKey, reason: VideoFailure): Promise<void> {
  await tx.execute(
    sql`update video_versions set failure = ${reason} where id = ${key.versionId} and ready_at is null`,
  )
  const video = await row(
    tx,
    Uploaded,
    sql`update videos set state = case when current_version_id is null then 'failed' else 'ready' end,
      failure = ${reason}, progress = 0, updated_at = now()
      where id = ${key.videoId} and deleted_at is null and state = 'processing' ${uploaded}`,
  )
  await tellUploader(tx, key, { video, kind: 'video.failed', goesOn: isWaiting(reason) })
}

const Uploaded = z.object({
  createdBy: z.nullable(z.string()),
  updatedAt: z.string(),
  isDeleted: z.boolean(),
})
type Uploaded = z.infer<typeof Uploaded>

const uploaded = sql`returning created_by as "createdBy", ${isoText(sql`updated_at`)} as "updatedAt", deleted_at is not null as "isDeleted"`

type UploadNotice = { video: Uploaded | undefined; kind: 'video.ready' | 'video.failed'; goesOn?: boolean }

/** A version becomes ready once; it may fail, be tried again and fail again. */
async function tellUploader(
  tx: Tx,
  { organizationId, videoId, versionId }: VersionKey,
  { video, kind, goesOn = false }: UploadNotice,
): Promise<void> {
  if (!video || video.createdBy === null || video.isDeleted) return
  // What goes on by itself is told once, however often it is tried.
  const cause = kind === 'video.ready' ? versionId : `${versionId} ${goesOn ? 'waits' : video.updatedAt}`
  await notify(tx, [{ organizationId, userId: video.createdBy, kind, entityId: videoId, cause }])
}

/** Takes videos out of the line. Whoever brings one back finds it in line again, see `orphanedVersions`. */
export async function leaveLine(tx: Tx, videoIds: readonly string[]): Promise<void> {
  const leave = sql`delete from pgboss.job where name in ('video.probe', 'video.process') and state < 'active'
      and data->>'videoId' = any(${arrayOf(videoIds, 'text')})`
  // The rights to the videos were looked at; jobs belong to the system.
  await asSystem(tx, () => tx.execute(leave))
}

const OrphanedVersionsRow = z.extend(VersionKey, { usedUp: z.boolean() })

/** Versions that wait for processing although no job will ever come for them, and whether their jobs have been used up. */
export async function orphanedVersions(tx: Tx): Promise<(VersionKey & { usedUp: boolean })[]> {
  return rows(
    tx,
    OrphanedVersionsRow,
    sql`select x.organization_id as "organizationId", x.video_id as "videoId", x.id as "versionId",
        exists (select 1 from pgboss.job j where j.name in ('video.probe', 'video.process') and j.state = 'failed'
          and j.data->>'versionId' = x.id::text and j.completed_on > v.updated_at) as "usedUp"
      from videos v join video_versions x on x.video_id = v.id
      where v.state = 'processing' and v.deleted_at is null and x.uploaded_at is not null and x.ready_at is null
        and x.failure is null and v.updated_at < now() - interval '10 seconds'
        and not exists (select 1 from pgboss.job j where j.name in ('video.probe', 'video.process') and j.state in ('created', 'retry', 'active')
          and j.data->>'versionId' = x.id::text)
      limit 100`,
  )
}

const waiting = arrayOf(waitingFailures, 'text')
const isWaiting = (reason: VideoFailure) => waitingFailures.some((one) => one === reason)

const StalledVersion = z.extend(VersionKey, { isDue: z.boolean() })

/** Versions that the installation could not convert, and whether the pause until their next try is over. */
export async function stalledVersions(tx: Tx): Promise<z.infer<typeof StalledVersion>[]> {
  return rows(
    tx,
    StalledVersion,
    sql`select x.organization_id as "organizationId", x.video_id as "videoId", x.id as "versionId",
        v.updated_at < now() - greatest('1 minute', least('1 hour', v.updated_at - x.uploaded_at)) as "isDue"
      from videos v join video_versions x on x.video_id = v.id and x.failure = any(${waiting}) and x.ready_at is null
      where v.failure = any(${waiting}) and v.deleted_at is null and v.state in ('failed', 'ready')
      order by v.updated_at limit 100`,
  )
}

/** False when somebody else has begun it again, or nobody wants it any more. */
export async function resumeVersion(tx: Tx, { versionId }: VersionKey): Promise<boolean> {
  return hasRow(
    tx,
    sql`with version as (update video_versions set failure = null
        where id = ${versionId} and failure = any(${waiting}) and ready_at is null returning video_id)
      update videos set state = 'processing', progress = 0, failure = null, updated_at = now()
      where id = (select video_id from version) and failure = any(${waiting}) and deleted_at is null returning id`,
  )
}
