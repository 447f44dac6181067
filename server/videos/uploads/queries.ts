import * as z from 'zod/mini'
import { isFree } from '../../platform/aside.ts'
import { arrayOf, type Database, hasRow, row, rows, type Tx } from '../../platform/db/client.ts'
import { notify } from '../../notifications/notify.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { VersionKey } from '../../platform/storage/keys.ts'
import { storeKinds, type StoredPart, type StoreKind } from '../../platform/storage/store.ts'

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

/** Announced uploads of existing videos, those of the given ids that are not finished. */
export async function findUploads(db: Database, versionIds: readonly string[]): Promise<UploadRow[]> {
  return rows(
    db.single,
    UploadRow,
    sql`${select} where x.id = any(${arrayOf(versionIds, 'uuid')}) and x.uploaded_at is null and x.failure is null`,
  )
}

/** Uploads of which all has arrived, and that are not finished. */
export async function completeUploads(tx: Tx): Promise<UploadRow[]> {
  return rows(
    tx,
    UploadRow,
    sql`${select} join uploads u on u.version_id = x.id and u.arrived = x.size where x.uploaded_at is null order by x.created_at`,
  )
}

const UploadState = z.object({
  store: z.enum(storeKinds),
  storeId: z.string(),
  /** Bytes that have arrived durably. */
  arrived: z.number(),
  headBytes: z.number(),
  headSha256: z.nullable(z.string()),
  tailBytes: z.number(),
  tailSha256: z.nullable(z.string()),
})
export type UploadState = z.infer<typeof UploadState>

const stateColumns = sql`u.store, u.store_id as "storeId", u.arrived::float8 as arrived, u.head_bytes as "headBytes",
  u.head_sha256 as "headSha256", u.tail_bytes as "tailBytes", u.tail_sha256 as "tailSha256"`

type Whose = Pick<VersionKey, 'organizationId' | 'versionId'>

const isOf = ({ organizationId, versionId }: Whose) =>
  sql`u.version_id = ${versionId} and u.organization_id = ${organizationId}`

/** What has arrived of an upload; undefined before its first byte, and after its last. */
export function findState(tx: Tx, whose: Whose): Promise<UploadState | undefined> {
  return row(tx, UploadState, sql`select ${stateColumns} from uploads u where ${isOf(whose)}`)
}

type Beginning = { store: StoreKind; storeId: string; arrived: number }

/** False when another process has begun it meanwhile, or when files lie elsewhere by now. */
export function noteBeginning(
  tx: Tx,
  { organizationId, versionId }: Whose,
  begun: Beginning,
): Promise<boolean> {
  return hasRow(
    tx,
    sql`with known as (select 1 from file_stores where kind = ${begun.store} for share)
      insert into uploads (version_id, organization_id, store, store_id, arrived)
      select ${versionId}, ${organizationId}, ${begun.store}, ${begun.storeId}, ${begun.arrived} from known
      on conflict do nothing returning 1`,
  )
}

/** Forgets what has arrived, because the store has it no more, or because it is at its end. */
export async function forgetUpload(tx: Tx, whose: Whose): Promise<void> {
  await tx.execute(sql`delete from uploads u where ${isOf(whose)}`)
}

/** A sender that was silent for so long has probably lost its network: the one that comes back takes over. */
const silence = sql`interval '5 seconds'`

/** Lets one connection write, at whatever process it ends. Returns false while another one does. */
export function takeHold(tx: Tx, versionId: string, holder: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`update uploads set holder = ${holder}, held_at = now()
      where version_id = ${versionId} and (holder is null or held_at < now() - ${silence}) returning 1`,
  )
}

export async function releaseHold(tx: Tx, versionId: string, holder: string): Promise<void> {
  await tx.execute(
    sql`update uploads set holder = null, held_at = null where version_id = ${versionId} and holder = ${holder}`,
  )
}

export type Held = { versionId: string; holder: string }
const isHeld = ({ versionId, holder }: Held) => sql`version_id = ${versionId} and holder = ${holder}`

/** Says that bytes come in, and shows how many there are. Returns false when another connection has taken over. */
export function keepHold(tx: Tx, held: Held, received: number): Promise<boolean> {
  return hasRow(
    tx,
    sql`with mine as (update uploads set held_at = now() where ${isHeld(held)} returning version_id),
      shown as (update video_versions set received_bytes = ${received}
        where id = (select version_id from mine) and uploaded_at is null)
      select 1 from mine`,
  )
}

const Tail = z.object({ tail: z.nullable(z.instanceof(Buffer)) })

export async function readTail(tx: Tx, held: Held): Promise<Buffer> {
  const found = await row(tx, Tail, sql`select tail from uploads where ${isHeld(held)}`)
  return found?.tail ?? Buffer.alloc(0)
}

const PartNumber = z.object({ number: z.number() })

/** A number for a part that no other part will have, whoever writes it; undefined when another connection has taken over. */
export async function nextPart(tx: Tx, held: Held): Promise<number | undefined> {
  const found = await row(
    tx,
    PartNumber,
    sql`update uploads set parts = parts + 1, held_at = now() where ${isHeld(held)} returning parts as number`,
  )
  return found?.number
}

export type Arrival = {
  arrived: number
  /** Is kept here, where it is too short for the store. */
  tail: Buffer | null
  /** Was written to the store. */
  part: { number: number; etag: string } | undefined
  ends: Pick<UploadState, 'headBytes' | 'headSha256' | 'tailBytes' | 'tailSha256'>
}

/** Notes durably what has arrived. Returns false when another connection has taken over. */
export function noteArrival(tx: Tx, held: Held, { arrived, tail, part, ends }: Arrival): Promise<boolean> {
  return hasRow(
    tx,
    sql`with mine as (update uploads set arrived = ${arrived}, tail = ${tail}, held_at = now(), head_bytes = ${ends.headBytes},
          head_sha256 = ${ends.headSha256}, tail_bytes = ${ends.tailBytes}, tail_sha256 = ${ends.tailSha256}
        where ${isHeld(held)} returning version_id, organization_id),
      part as (insert into upload_parts (version_id, organization_id, number, etag)
        select version_id, organization_id, ${part?.number ?? 0}::int, ${part?.etag ?? ''} from mine where ${part !== undefined}),
      shown as (update video_versions set received_bytes = ${arrived}
        where id = (select version_id from mine) and uploaded_at is null)
      select 1 from mine`,
  )
}

const Part = z.object({ number: z.number(), etag: z.string() })

export function findParts(tx: Tx, { versionId }: Whose): Promise<StoredPart[]> {
  return rows(
    tx,
    Part,
    sql`select number, etag from upload_parts where version_id = ${versionId} order by number`,
  )
}

const Known = z.object({ storeId: z.string() })

/** Those of the given uploads of a store that belong to an unfinished upload of this installation. */
export async function knownAmong(
  tx: Tx,
  store: StoreKind,
  storeIds: readonly string[],
): Promise<Set<string>> {
  const found = await rows(
    tx,
    Known,
    sql`select store_id as "storeId" from uploads where store = ${store} and store_id = any(${arrayOf(storeIds, 'text')})
      union select store_id from speech_models where store = ${store} and store_id = any(${arrayOf(storeIds, 'text')})`,
  )
  return new Set(found.map(({ storeId }) => storeId))
}

/** Holds for a deleted video `v` that nobody can bring back any more. */
const isGone = sql`not exists (select 1 from operation_rows r join operations p on p.id = r.operation_id
  where r.entity_id = v.id and r.entity = 'video' and r.outcome = 'removed' and r.undo is null
    and (p.undo_until > now() or p.state in ('running', 'cancelling', 'undoing')))`

/** Announced uploads that nobody can finish any more, because their video was deleted for good or their time is over. */
export function endedUploads(tx: Tx): Promise<VersionKey[]> {
  return rows(
    tx,
    VersionKey,
    sql`select x.id as "versionId", x.video_id as "videoId", x.organization_id as "organizationId"
      from uploads u join video_versions x on x.id = u.version_id join videos v on v.id = x.video_id
      where (x.failure = 'upload_expired' or v.deleted_at is not null and ${isGone}) and ${isFree('uploads', sql`x.id::text`)} limit 1000`,
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

/** Marks uploads that nobody finished in time. */
export async function expireUploads(tx: Tx, days: number): Promise<void> {
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
}

const VideoKey = z.object({ organizationId: z.string(), videoId: z.string() })
export type VideoKey = z.infer<typeof VideoKey>

/** As the removal of a video `v` is called where it is set aside. */
const removalName = sql`'video ' || v.id`

/** Deleted videos that nobody can bring back any more, and whose files are not removed yet. */
export function videosToRemove(tx: Tx): Promise<VideoKey[]> {
  return rows(
    tx,
    VideoKey,
    sql`select v.organization_id as "organizationId", v.id as "videoId" from videos v
      where v.deleted_at is not null and v.files_removed_at is null and ${isGone} and ${isFree('housekeeping', removalName)}
      order by v.deleted_at limit 1000`,
  )
}

export async function noteRemoved(tx: Tx, { videoId }: VideoKey): Promise<void> {
  await tx.execute(
    sql`delete from captions c using videos v where v.id = c.video_id and v.id = ${videoId} and v.deleted_at is not null`,
  )
  await tx.execute(
    sql`update videos set files_removed_at = now() where id = ${videoId} and deleted_at is not null`,
  )
}

/** Work on the video has ended only after its files were removed, and may have left some: they are removed once more. */
export async function removeOnceMore(tx: Tx, { videoId }: VideoKey): Promise<void> {
  await tx.execute(
    sql`update videos set files_removed_at = null where id = ${videoId} and deleted_at is not null`,
  )
}
