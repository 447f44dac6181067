import * as z from 'zod/mini'
import { shownOf, StoredChapters, type ShownChapter } from '#contract/videos/shown-chapters.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { VersionKey } from '../../platform/storage/keys.ts'

const Kept = z.object({ chapters: StoredChapters })

/** What viewers of a version are shown. */
export async function shownChapters(
  tx: Tx,
  { versionId, organizationId }: Pick<VersionKey, 'versionId' | 'organizationId'>,
): Promise<ShownChapter[]> {
  const found = await row(
    tx,
    Kept,
    sql`select chapters from video_chapters where version_id = ${versionId} and organization_id = ${organizationId}`,
  )
  return shownOf(found?.chapters ?? null)
}

/** Among the files of a version, though it lies in the database. */
export const chapterFile = 'chapters.json'

/** The multivariant playlist of a version with the way to its chapters, as Apple's players look for them. */
export function withChapters(master: string, chapters: readonly ShownChapter[]): string {
  if (chapters.length === 0) return master
  const data = `#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="${chapterFile}"`
  return master.replace(/^#EXTM3U$/m, (line) => `${line}\n${data}`)
}

/**
 * The same chapters in the form that those players read. Each ends where the next one begins, so that none says how long it is. Their
 * language is not known, which `und` says.
 */
export function chaptersAsJson(chapters: readonly ShownChapter[]): string {
  return JSON.stringify(
    chapters.map(({ startMs, title }, at) => ({
      chapter: at + 1,
      'start-time': startMs / 1_000,
      titles: [{ language: 'und', title }],
    })),
  )
}
