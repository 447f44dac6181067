import type { Playback, Video, VideoDetail } from '#contract/videos.ts'
import { row, rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { hasWords } from '../db/search.ts'
import { mediaExpiry, mediaPath, signMedia } from '../http/media-link.ts'
import { decodeCursor, encodeCursor, iso, nextPath } from '../http/paging.ts'
import { needsVideo } from '../matters/lists.ts'
import type { Keys } from '../keys.ts'

export const uploadPath = '/api/uploads'

type VideoRow = Omit<Video, 'poster' | 'uploadUrl' | 'createdAt' | 'updatedAt'> & {
  createdAt: Date
  updatedAt: Date
  playingId: string | null
  poster: string | null
  posterSmall: string | null
  storyboard: string | null
}

/** The version that plays gives the facts; the newest one says how far its upload is. */
const selectVideo = sql`
  select v.id, v.organization_id as "organizationId", o.name as "organizationName", v.project_id as "projectId", v.title, v.description, v.state,
    case when v.state = 'uploading' then newest.received_bytes::float8 / newest.size
      when v.state = 'ready' then 1 else v.progress end as progress,
    v.failure, v.privacy, playing.duration_ms as "durationMs", playing.width, playing.height,
    newest.size::float8 as size, newest.received_bytes::float8 as "uploadedBytes", newest.file_name as "fileName",
    coalesce(v.current_version_id, newest.id) as "versionId", v.current_version_id as "playingId",
    playing.poster, playing.poster_small as "posterSmall", playing.storyboard->>'file' as storyboard,
    v.created_at as "createdAt", v.updated_at as "updatedAt"
  from videos v
  join organizations o on o.id = v.organization_id
  left join video_versions playing on playing.id = v.current_version_id
  left join lateral (select x.id, x.size, x.received_bytes, x.file_name from video_versions x
    where x.video_id = v.id order by x.number desc limit 1) newest on true`

/** Milliseconds of the version that plays, for the life of its links. */
function grantOf(found: VideoRow & { playingId: string }) {
  return {
    organizationId: found.organizationId,
    videoId: found.id,
    versionId: found.playingId,
    seconds: (found.durationMs ?? 0) / 1000,
  }
}

function isPlayable(found: VideoRow): found is VideoRow & { playingId: string } {
  return found.playingId !== null
}

function toVideo(found: VideoRow, keys: Keys): Video {
  const { playingId: _playing, posterSmall, storyboard: _storyboard, ...shown } = found
  const poster =
    isPlayable(found) && posterSmall !== null
      ? mediaPath(signMedia(keys, { ...grantOf(found), scope: 'pictures' }), grantOf(found), posterSmall)
      : null
  return {
    ...shown,
    poster,
    uploadUrl: found.state === 'uploading' && found.versionId ? `${uploadPath}/${found.versionId}` : null,
    createdAt: iso(new Date(found.createdAt)),
    updatedAt: iso(new Date(found.updatedAt)),
  }
}

function playbackOf(found: VideoRow, keys: Keys): Playback | null {
  if (!isPlayable(found)) return null
  const grant = grantOf(found)
  const token = signMedia(keys, grant)
  const file = (name: string | null) => (name === null ? null : mediaPath(token, grant, name))
  return {
    hls: mediaPath(token, grant, 'master.m3u8'),
    poster: file(found.poster),
    storyboard: file(found.storyboard),
    expiresAt: iso(mediaExpiry(token) ?? new Date()),
  }
}

export type VideoFilter = {
  organizationId?: string | undefined
  projectId?: string | undefined
  state?: string | undefined
  keyword?: string | undefined
  attention?: 'failed_videos' | undefined
}

type Listing = { url: string; offset: number; limit: number; after?: string | undefined; keys: Keys }

function conditions(filter: VideoFilter): SQL {
  const { organizationId, projectId, state, keyword, attention } = filter
  const all = [
    sql`v.deleted_at is null`,
    ...(organizationId ? [sql`v.organization_id = ${organizationId}`] : []),
    ...(projectId ? [sql`v.project_id = ${projectId}`] : []),
    ...(state ? [sql`v.state = ${state}`] : []),
    ...(keyword ? [hasWords(sql`v.search`, keyword)] : []),
    ...(attention ? [needsVideo(organizationId ?? null)] : []),
  ]
  return sql.join(all, sql` and `)
}

/** Newest first. */
export async function listVideos(tx: Tx, filter: VideoFilter, listing: Listing) {
  const { url, offset, limit, after, keys } = listing
  const where = conditions(filter)
  const position = after === undefined ? undefined : decodeCursor(after, 2)
  const behind = position
    ? sql`and (v.created_at, v.id) < (${position[0]}::timestamptz, ${position[1]}::uuid)`
    : sql``
  const found = await rows<VideoRow>(
    tx,
    sql`${selectVideo} where ${where} ${behind} order by v.created_at desc, v.id desc
      limit ${limit + 1} offset ${position ? 0 : offset}`,
  )
  const { total } = (await row<{ total: number }>(
    tx,
    sql`select count(*)::int as total from (select 1 from videos v where ${where} limit 10001) counted`,
  )) ?? { total: 0 }
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const more = found.length > limit && last
  return {
    items: items.map((item) => toVideo(item, keys)),
    total: Math.min(total, 10_000),
    ...(total > 10_000 ? { totalIsMinimum: true } : {}),
    offset,
    limit,
    next: more ? nextPath(url, encodeCursor([iso(new Date(last.createdAt)), last.id])) : null,
  }
}

async function findVideo(tx: Tx, videoId: string): Promise<VideoRow | undefined> {
  return row<VideoRow>(tx, sql`${selectVideo} where v.id = ${videoId} and v.deleted_at is null`)
}

export async function readVideo(tx: Tx, videoId: string, keys: Keys): Promise<VideoDetail | undefined> {
  const found = await findVideo(tx, videoId)
  return found && { ...toVideo(found, keys), playback: playbackOf(found, keys) }
}

export type NewVideo = {
  organizationId: string
  projectId: string | null
  title: string
  fileName: string
  size: number
  createdBy: string
}

/** A video that waits for its bytes; answers its id. */
export async function insertVideo(tx: Tx, video: NewVideo): Promise<string> {
  const inserted = await row<{ id: string }>(
    tx,
    sql`with announced as (
        insert into videos (organization_id, project_id, title, created_by)
        values (${video.organizationId}, ${video.projectId}, ${video.title}, ${video.createdBy}) returning id, organization_id)
      insert into video_versions (organization_id, video_id, number, file_name, size)
        select organization_id, id, 1, ${video.fileName}, ${video.size} from announced returning video_id as id`,
  )
  if (!inserted) throw new Error('nothing was inserted')
  return inserted.id
}

export type LockedVideo = {
  id: string
  organizationId: string
  projectId: string | null
  title: string
  description: string | null
  privacy: Video['privacy']
  state: Video['state']
  updatedAt: Date
}

/** The row itself, held until the transaction ends. */
export async function lockVideo(tx: Tx, videoId: string): Promise<LockedVideo | undefined> {
  const found = await row<LockedVideo>(
    tx,
    sql`select id, organization_id as "organizationId", project_id as "projectId", title, description, privacy, state,
        updated_at as "updatedAt" from videos where id = ${videoId} and deleted_at is null for update`,
  )
  return found && { ...found, updatedAt: new Date(found.updatedAt) }
}

export type VideoChange = Pick<LockedVideo, 'id' | 'title' | 'description' | 'projectId' | 'privacy'>

export async function changeVideo(tx: Tx, change: VideoChange): Promise<void> {
  await tx.execute(
    sql`update videos set title = ${change.title}, description = ${change.description}, project_id = ${change.projectId},
      privacy = ${change.privacy}, updated_at = now() where id = ${change.id}`,
  )
}

export async function removeVideo(tx: Tx, videoId: string): Promise<void> {
  await tx.execute(sql`update videos set deleted_at = now(), updated_at = now() where id = ${videoId}`)
}

/** The newest version that has a source and no result; what a retry works on. */
export async function retryableVersion(tx: Tx, videoId: string): Promise<string | undefined> {
  const found = await row<{ id: string }>(
    tx,
    sql`select id from video_versions where video_id = ${videoId} and uploaded_at is not null and ready_at is null
      order by number desc limit 1`,
  )
  return found?.id
}

/** Uploaded and waiting for the media process. */
export async function markProcessing(tx: Tx, key: { videoId: string; versionId: string }): Promise<void> {
  await tx.execute(sql`update video_versions set failure = null where id = ${key.versionId}`)
  await tx.execute(
    sql`update videos set state = 'processing', progress = 0, failure = null, updated_at = now() where id = ${key.videoId}`,
  )
}
