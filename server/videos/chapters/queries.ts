import * as z from 'zod/mini'
import { inOrder } from '#contract/videos/chapter-text.ts'
import { Chapters } from '#contract/videos/chapters.ts'
import { StoredChapters, type KeptChapter } from '#contract/videos/shown-chapters.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { mappedBy, movedBy, type Replacement } from '../../duty/replaced.ts'

const Playing = z.extend(z.omit(Chapters, { chapters: true }), {
  organizationId: z.string(),
  chapters: StoredChapters,
})

/** What is kept of the version that plays; undefined while none does. */
export async function findChapters(tx: Tx, videoId: string): Promise<z.infer<typeof Playing> | undefined> {
  return row(
    tx,
    Playing,
    sql`select n.id as "versionId", n.organization_id as "organizationId", n.duration_ms as "durationMs", c.chapters,
        ${isoText(sql`coalesce(c.updated_at, n.ready_at)`)} as "updatedAt"
      from videos v join video_versions n on n.id = v.current_version_id
      left join video_chapters c on c.version_id = n.id
      where v.id = ${videoId} and v.deleted_at is null and n.ready_at is not null and n.duration_ms > 0`,
  )
}

/** All chapters of a version, in place of those that were there. */
export async function storeChapters(
  tx: Tx,
  versionId: string,
  chapters: readonly KeptChapter[],
): Promise<void> {
  await tx.execute(
    sql`insert into video_chapters (version_id, organization_id, chapters)
      select id, organization_id, ${JSON.stringify(inOrder(chapters))}::jsonb from video_versions where id = ${versionId}
      on conflict (version_id) do update set chapters = excluded.chapters, updated_at = now()`,
  )
}

const Before = z.object({ chapters: StoredChapters })

/**
 * Gives a version the chapters of the one before. Those that begin in what stayed move along with it; the others keep their times, and
 * somebody is asked to check them.
 */
export async function carryChapters(tx: Tx, { change, before, after }: Replacement): Promise<void> {
  const found = await row(
    tx,
    Before,
    sql`select chapters from video_chapters where version_id = ${before.id}`,
  )
  if (!found?.chapters || found.chapters.length === 0) return
  const { unchanged } = mappedBy(change, before.durationMs, after.durationMs)
  const carried = found.chapters.map(({ startMs, title, toCheck }): KeptChapter => {
    const [moved] = movedBy([[startMs, startMs + 1]], unchanged)
    return { startMs: moved?.[0] ?? startMs, title, toCheck: toCheck || !moved }
  })
  await storeChapters(tx, after.id, carried)
}
