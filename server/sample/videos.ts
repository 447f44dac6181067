import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { chaptersIn } from '#contract/videos/chapter-text.ts'
import { arrayOf, requireRow, row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { sourceKey, VersionKey } from '../platform/storage/keys.ts'
import { storeCaption } from '../videos/captions/queries.ts'
import { readCaptionFile } from '../videos/captions/read.ts'
import { storeChapters } from '../videos/chapters/queries.ts'
import { sha256Of } from '../videos/uploads/known.ts'
import { processVideo } from '../videos/process.ts'
import type { SampleVideo } from './plan.ts'

export type ReadyVideo = VersionKey & { title: string; durationMs: number }

/** As if they had been made when the organization began. */
export async function backdate(tx: Tx, organizationId: string, sinceDays: number): Promise<void> {
  const begun = sql`now() - make_interval(days => ${sinceDays}::int)`
  await tx.execute(
    sql`update projects set created_at = ${begun} + interval '1 day' where organization_id = ${organizationId}`,
  )
  await tx.execute(
    sql`with v as (update videos set created_at = ${begun} + interval '5 days' where organization_id = ${organizationId} returning id, created_at)
      update video_versions n set uploaded_at = v.created_at, ready_at = v.created_at + interval '10 minutes'
      from v where v.id = n.video_id and n.number = 1`,
  )
}

/** Adds one sample video the way a person's would be: a source file, the same processing, the same rows. Finds it when it is there. */
export async function addVideo(
  services: Services,
  organizationId: string,
  video: SampleVideo,
): Promise<ReadyVideo> {
  const earlier = await find(services, organizationId, video.title)
  if (earlier?.durationMs) return { ...earlier, durationMs: earlier.durationMs }
  const key = earlier ?? (await announce(services, organizationId, video))
  if (!(await services.storage.head(sourceKey(key)))) await keepClip(services, key, video)
  await services.db.as({ organizationId }, async (tx) => {
    await tx.execute(
      sql`update video_versions set uploaded_at = coalesce(uploaded_at, now()) where organization_id = ${organizationId} and id = ${key.versionId}`,
    )
    await tx.execute(
      sql`update videos set state = 'processing', progress = 0 where organization_id = ${organizationId} and id = ${key.videoId}`,
    )
  })
  await processVideo(services, key, new AbortController().signal)
  const ready = await find(services, organizationId, video.title)
  if (!ready?.durationMs) throw new Error(`the sample video "${video.title}" could not be made`)
  const made = { ...ready, durationMs: ready.durationMs }
  if (video.chapters !== undefined) await addChapters(services, made, video.chapters)
  for (const language of video.captions ?? [])
    await addCaptions(services, made, { clip: video.clip, language })
  return made
}

async function addCaptions(
  { db }: Services,
  { organizationId, videoId, versionId }: ReadyVideo,
  { clip, language }: { clip: string; language: string },
): Promise<void> {
  const fileName = `${clip}.${language}.vtt`
  const text = await readCaptionFile(await readFile(new URL(`clips/${fileName}`, import.meta.url)), 'vtt')
  const place = { versionId, language, kind: 'captions' } as const
  const made = { ...place, organizationId, videoId, format: 'vtt', fileName, madeFor: 1 } as const
  await db.as({ organizationId }, (tx) => storeCaption(tx, made, text))
}

async function addChapters({ db }: Services, video: ReadyVideo, text: string): Promise<void> {
  const { organizationId, versionId, durationMs } = video
  const found = chaptersIn(text, durationMs)
  if ('line' in found)
    throw new Error(`line ${found.line} of the chapters of "${video.title}": ${found.fault}`)
  const chapters = found.chapters.map(({ startMs, title }) => ({ startMs, title, toCheck: false }))
  await db.as({ organizationId }, (tx) => storeChapters(tx, versionId, chapters))
}

const VideoRow = z.extend(VersionKey, { title: z.string(), durationMs: z.nullable(z.number()) })
type VideoRow = z.infer<typeof VideoRow>

async function find({ db }: Services, organizationId: string, title: string): Promise<VideoRow | undefined> {
  return db.as({ organizationId }, (tx) =>
    row(
      tx,
      VideoRow,
      sql`select v.organization_id as "organizationId", v.id as "videoId", n.id as "versionId", v.title,
          case when v.state = 'ready' then n.duration_ms end as "durationMs"
        from videos v join video_versions n on n.video_id = v.id and n.organization_id = v.organization_id
        where v.organization_id = ${organizationId} and v.title = ${title} and v.deleted_at is null order by n.number limit 1`,
    ),
  )
}

const PlayingRow = z.extend(VersionKey, { title: z.string(), durationMs: z.number() })

type Sought = { organizationId: string; title: string; at?: Date }

/** The version of a sample video that played at an instant; before there was any, the first one. */
export function findPlaying(tx: Tx, { organizationId, title, at = new Date() }: Sought): Promise<ReadyVideo> {
  const wasReady = sql`(n.ready_at <= ${at.toISOString()})`
  return requireRow(
    tx,
    PlayingRow,
    sql`select v.organization_id as "organizationId", v.id as "videoId", n.id as "versionId", v.title, n.duration_ms as "durationMs"
      from videos v join video_versions n on n.video_id = v.id and n.ready_at is not null and n.duration_ms is not null
      where v.organization_id = ${organizationId} and v.title = ${title} and v.deleted_at is null
      order by ${wasReady} desc, case when ${wasReady} then -n.number else n.number end limit 1`,
  )
}

const MadeVideo = z.object({ videoId: z.string(), versionId: z.string() })

async function announce({ db }: Services, organizationId: string, video: SampleVideo): Promise<VersionKey> {
  return db.as({ organizationId }, async (tx) => {
    await tx.execute(
      sql`insert into projects (organization_id, name) values (${organizationId}, ${video.project})
        on conflict do nothing`,
    )
    const made = await row(
      tx,
      MadeVideo,
      sql`with added as (
          insert into videos (organization_id, project_id, title, description, tags)
          select ${organizationId}, p.id, ${video.title}, ${video.description}, ${arrayOf(video.tags, 'text')}
          from projects p where p.organization_id = ${organizationId} and p.name = ${video.project} and p.deleted_at is null
          returning id)
        insert into video_versions (organization_id, video_id, number, file_name, size, received_bytes)
        select ${organizationId}, id, 1, ${`${video.clip}.mp4`}, 1, 1 from added returning video_id as "videoId", id as "versionId"`,
    )
    if (!made) throw new Error('the sample video was not written')
    return { organizationId, ...made }
  })
}

export async function keepClip(
  { db, storage }: Services,
  key: VersionKey,
  { clip }: Pick<SampleVideo, 'clip'>,
): Promise<void> {
  const file = new URL(`clips/${clip}.mp4`, import.meta.url)
  const { size } = await stat(file)
  const sha256 = await sha256Of(fileURLToPath(file))
  await (await storage.main()).put(sourceKey(key), await readFile(file))
  await db.as({ organizationId: key.organizationId }, (tx) =>
    tx.execute(
      sql`update video_versions set size = ${size}, received_bytes = ${size}, sha256 = ${sha256}
        where organization_id = ${key.organizationId} and id = ${key.versionId}`,
    ),
  )
}
