import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import { VideoChange, type replaceVideo } from '#contract/videos/replacements.ts'
import { tracksOf, type CaptionTrack } from '#contract/videos/shown-captions.ts'
import { type Playback, Video, VideoDetail, type videoSorts } from '#contract/videos/videos.ts'
import { shownCaptions } from './captions/playlist.ts'
import { shownChapters } from './chapters/playlist.ts'
import { arrayOf, requireRow, row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { called, isoText } from '../platform/db/search.ts'
import { orderFrom, type ListQuery, type Sorts } from '../platform/http/lists/keyset.ts'
import { readList } from '../platform/http/lists/list.ts'
import { mediaExpiry, mediaPath, signMedia } from '../platform/http/pages/media-link.ts'
import { queuePlaces } from '../platform/jobs/fair-order.ts'
import type { Keys } from '../platform/keys.ts'
import { readReadiness } from './readiness.ts'
import { matchingVideos, type VideoFilter } from './filter.ts'
import { Id, insertedId } from '../platform/db/rows.ts'

export const uploadPath = '/api/uploads'

const VideoRow = z.extend(z.omit(Video, { conversion: true, poster: true, uploadUrl: true }), {
  playingId: z.nullable(z.string()),
  poster: z.nullable(z.string()),
  posterSmall: z.nullable(z.string()),
  storyboard: z.nullable(z.string()),
  warnings: VideoDetail.shape.warnings,
  sha256: VideoDetail.shape.sha256,
})
type VideoRow = z.infer<typeof VideoRow>

/** The version that plays gives the facts; the newest one says how far its upload is. */
const columns = sql`v.id, v.organization_id as "organizationId", o.name as "organizationName", v.project_id as "projectId", v.title, v.description, v.tags, v.state,
    case when v.state = 'uploading' then newest.received_bytes::float8 / newest.size
      when v.state = 'ready' then 1 else v.progress end as progress,
    v.failure, v.privacy, playing.duration_ms as "durationMs", playing.width, playing.height,
    newest.size::float8 as size, newest.received_bytes::float8 as "uploadedBytes", newest.file_name as "fileName",
    coalesce(v.current_version_id, newest.id) as "versionId", v.current_version_id as "playingId",
    coalesce(playing.probe->'warnings', '[]') as warnings, newest.sha256, playing.poster, playing.poster_small as "posterSmall", playing.storyboard->>'file' as storyboard,
    ${isoText(sql`v.created_at`)} as "createdAt", ${isoText(sql`v.updated_at`)} as "updatedAt"`

const joins = sql`join organizations o on o.id = v.organization_id
  left join video_versions playing on playing.id = v.current_version_id
  left join lateral (select x.id, x.size, x.received_bytes, x.file_name, x.sha256 from video_versions x
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

/** Where the conversions of the given videos stand, by the id of the video. */
async function conversionsOf(tx: Tx, found: readonly VideoRow[]): Promise<Conversions> {
  const ids = found.flatMap(({ id, state }) => (state === 'processing' ? [id] : []))
  const places = await queuePlaces(tx, 'video.process', { name: 'videoId', ids })
  return new Map(Array.from(places, ([id, place]) => [id, { place }]))
}

type Conversions = ReadonlyMap<string, Video['conversion']>
type VideoContext = { keys: Keys; conversions: Conversions }

function toVideo(found: VideoRow, { keys, conversions }: VideoContext): Video {
  const {
    playingId: _playing,
    posterSmall,
    storyboard: _storyboard,
    warnings: _warnings,
    sha256: _sha256,
    ...shown
  } = found
  const poster =
    isPlayable(found) && posterSmall !== null
      ? mediaPath(signMedia(keys, { ...grantOf(found), scope: 'pictures' }), grantOf(found), posterSmall)
      : null
  return {
    ...shown,
    conversion: conversions.get(found.id) ?? null,
    poster,
    uploadUrl: found.state === 'uploading' && found.versionId ? `${uploadPath}/${found.versionId}` : null,
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
    expiresAt: (mediaExpiry(token) ?? new Date()).toISOString(),
  }
}

type Sort = (typeof videoSorts)[number]

export const sorts: Sorts<Sort> = {
  title: { by: called(sql`v.title`), type: 'text' },
  createdAt: { by: sql`v.created_at`, type: 'timestamptz' },
  duration: { by: sql`v.length_ms`, type: 'float8' },
}

type Listing = { request: FastifyRequest; query: ListQuery & { sort: Sort }; keys: Keys }

export async function listVideos(tx: Tx, filter: VideoFilter, { request, query, keys }: Listing) {
  const page = await readList(tx, {
    query,
    request,
    Row: VideoRow,
    columns,
    from: sql`videos v`,
    where: matchingVideos(filter),
    order: orderFrom(query.sort, sorts, sql`v.id`),
    joined: sql`v ${joins}`,
  })
  const conversions = await conversionsOf(tx, page.items)
  return { ...page, items: page.items.map((found) => toVideo(found, { keys, conversions })) }
}

export async function readVideo(tx: Tx, videoId: string, keys: Keys): Promise<VideoDetail> {
  const found = await requireRow(
    tx,
    VideoRow,
    sql`select ${columns} from videos v ${joins} where v.id = ${videoId} and v.deleted_at is null`,
  )
  const conversions = await conversionsOf(tx, [found])
  return {
    ...toVideo(found, { keys, conversions }),
    playback: playbackOf(found, keys),
    warnings: found.warnings,
    sha256: found.sha256,
    replaced: await replacedBy(tx, found),
    chapters: isPlayable(found) ? await shownChapters(tx, grantOf(found)) : [],
    tracks: await tracksIn(tx, found, keys),
    readiness: await readReadiness(tx, found.id),
  }
}

async function tracksIn(tx: Tx, found: VideoRow, keys: Keys): Promise<CaptionTrack[]> {
  if (!isPlayable(found)) return []
  const grant = grantOf(found)
  const token = signMedia(keys, grant)
  return tracksOf(await shownCaptions(tx, grant), (file) => mediaPath(token, grant, file))
}

const Replaced = z.object({ number: z.number(), at: z.string(), change: VideoChange })

/** What the author of the version that plays said of it, where there was one before. */
async function replacedBy(tx: Tx, { playingId }: VideoRow): Promise<VideoDetail['replaced']> {
  const found = await row(
    tx,
    Replaced,
    sql`select number, ${isoText(sql`coalesce(ready_at, created_at)`)} as at, change from video_versions
      where id = ${playingId} and change is not null`,
  )
  if (!found) return null
  const { number, at, change } = found
  if (change.matters === 'whole') return { number, at, parts: null }
  return { number, at, parts: change.matters === 'parts' ? change.parts : [] }
}

type NewVideo = {
  organizationId: string
  projectId: string | null
  title: string
  fileName: string
  size: number
  createdBy: string
}

/** A video that waits for its bytes; answers its id. */
export async function insertVideo(tx: Tx, video: NewVideo): Promise<string> {
  return insertedId(
    tx,
    sql`with announced as (
        insert into videos (organization_id, project_id, title, created_by)
        values (${video.organizationId}, ${video.projectId}, ${video.title}, ${video.createdBy}) returning id, organization_id)
      insert into video_versions (organization_id, video_id, number, file_name, size)
        select organization_id, id, 1, ${video.fileName}, ${video.size} from announced returning video_id as id`,
  )
}

type NewVersion = ParsedBody<typeof replaceVideo>

/** A further version that waits for its bytes, in place of one whose bytes have not all arrived; answers its id. */
export async function insertVersion(
  tx: Tx,
  { id, organizationId }: Pick<LockedVideo, 'id' | 'organizationId'>,
  { fileName, size, change }: NewVersion,
): Promise<string> {
  await tx.execute(
    sql`update video_versions set failure = 'upload_expired' where video_id = ${id} and uploaded_at is null and failure is null`,
  )
  return insertedId(
    tx,
    sql`insert into video_versions (organization_id, video_id, number, file_name, size, change)
      select ${organizationId}, ${id}, max(x.number) + 1, ${fileName}, ${size}, ${JSON.stringify(change)}::jsonb
      from video_versions x where x.video_id = ${id} returning id`,
  )
}

const LockedVideo = z.pick(Video, {
  id: true,
  organizationId: true,
  projectId: true,
  title: true,
  description: true,
  tags: true,
  privacy: true,
  state: true,
  failure: true,
  updatedAt: true,
})
export type LockedVideo = z.infer<typeof LockedVideo>

/** The row itself, held until the transaction ends. */
export function lockVideo(tx: Tx, videoId: string): Promise<LockedVideo> {
  return requireRow(
    tx,
    LockedVideo,
    sql`select id, organization_id as "organizationId", project_id as "projectId", title, description, tags, privacy, state,
        failure, ${isoText(sql`updated_at`)} as "updatedAt" from videos where id = ${videoId} and deleted_at is null for update`,
  )
}

type ChangedVideo = Pick<LockedVideo, 'id' | 'title' | 'description' | 'tags' | 'projectId' | 'privacy'>

export async function changeVideo(tx: Tx, change: ChangedVideo): Promise<void> {
  await tx.execute(
    sql`update videos set title = ${change.title}, description = ${change.description}, project_id = ${change.projectId},
      tags = ${arrayOf(change.tags, 'text')}, privacy = ${change.privacy}, updated_at = now() where id = ${change.id}`,
  )
}

/** The newest version that has a source and no result; what a retry works on. */
export async function retryableVersion(tx: Tx, videoId: string): Promise<string | undefined> {
  const found = await row(
    tx,
    Id,
    sql`select id from video_versions where video_id = ${videoId} and uploaded_at is not null and ready_at is null
      order by number desc limit 1`,
  )
  return found?.id
}

/** Uploaded and waiting for the media process, which looks at the file before its conversion gets in line. */
export async function markProcessing(
  tx: Tx,
  key: { videoId: string; versionId: string; acceptIncomplete?: boolean },
): Promise<void> {
  const known = JSON.stringify({ acceptIncomplete: key.acceptIncomplete ?? false })
  await tx.execute(
    sql`update video_versions set failure = null, probe = ${known}::jsonb where id = ${key.versionId}`,
  )
  await tx.execute(
    sql`update videos set state = 'processing', progress = 0, failure = null, updated_at = now() where id = ${key.videoId}`,
  )
}
