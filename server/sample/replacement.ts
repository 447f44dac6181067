import type { VideoChange } from '#contract/videos/replacements.ts'
import { hasRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { insertVersion } from '../videos/queries.ts'
import { processVideo } from '../videos/process.ts'
import { noteAll, type Author } from './diary.ts'
import type { SampleReplacement } from './duties.ts'
import { findPlaying, keepClip } from './videos.ts'

type Place = { services: Services; organizationId: string; sender: Author }

/** Another file takes the place of a video; whoever is done owes what has changed of it. As if that had been then. */
export async function replaceSample(
  { services, organizationId, sender }: Place,
  { video, clip, partMs: [from, to] }: SampleReplacement,
  at: number,
): Promise<void> {
  const { db } = services
  const then = new Date(at).toISOString()
  const change: VideoChange = { matters: 'parts', parts: [[from, to]], alsoDone: true }
  const key = await db.as({ organizationId }, async (tx) => {
    const { videoId } = await findPlaying(tx, { organizationId, title: video })
    const body = { fileName: `${clip}.mp4`, size: 1, change }
    const versionId = await insertVersion(tx, { id: videoId, organizationId }, body)
    const about = { organizationId, entity: 'video', entityId: videoId, by: sender }
    await noteAll(tx, [{ ...about, action: 'video.replace', at: new Date(at), after: body }])
    await tx.execute(sql`update video_versions set uploaded_at = ${then} where id = ${versionId}`)
    // Whoever has uploaded it is told that it is ready.
    await tx.execute(sql`update videos set created_by = ${sender.id} where id = ${videoId}`)
    return { organizationId, videoId, versionId }
  })
  await keepClip(services, key, { clip })
  await processVideo(services, key, new AbortController().signal)
  await db.as({ organizationId }, async (tx) => {
    const isReady = await hasRow(
      tx,
      sql`update video_versions set ready_at = ${then} where id = ${key.versionId} and ready_at is not null returning id`,
    )
    if (!isReady) throw new Error(`the new version of "${video}" could not be made`)
  })
}
