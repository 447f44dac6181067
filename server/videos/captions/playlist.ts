import * as z from 'zod/mini'
import { captionFile, captionLabel, ShownCaption } from '#contract/videos/shown-captions.ts'
import { row, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { VersionKey } from '../../platform/storage/keys.ts'
import { asVtt, Cue } from './cues.ts'

/** What is shown with a version, in the order of a player's list. */
export function shownCaptions(
  tx: Tx,
  { versionId, organizationId }: Pick<VersionKey, 'versionId' | 'organizationId'>,
): Promise<ShownCaption[]> {
  return rows(
    tx,
    ShownCaption,
    sql`select id, language, kind, is_default as "isDefault", revision from captions
      where version_id = ${versionId} and organization_id = ${organizationId} and cue_count > 0 order by is_default desc, language, kind`,
  )
}

const forAll = 'public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound'

/**
 * The multivariant playlist of a version with its captions. Descriptions are no subtitles to HLS, which knows them as sound alone; the page
 * reads them aloud.
 */
export function withCaptions(master: string, all: readonly ShownCaption[]): string {
  const texts = all.filter(({ kind }) => kind !== 'descriptions')
  if (texts.length === 0) return master
  const media = texts.map((one) => {
    const names = `NAME="${captionLabel(one, all)}",LANGUAGE="${one.language}"`
    const use = `DEFAULT=${one.isDefault ? 'YES' : 'NO'},AUTOSELECT=YES,FORCED=NO`
    const marks = one.kind === 'captions' ? `,CHARACTERISTICS="${forAll}"` : ''
    return `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",${names},${use}${marks},URI="${captionFile(one, 'm3u8')}"\n`
  })
  return master
    .replaceAll(/^(#EXT-X-STREAM-INF:.*)$/gm, '$1,SUBTITLES="captions"')
    .replace(/^#EXT-X-STREAM-INF/m, (first) => `${media.join('')}${first}`)
}

const name = /^captions\/([0-9a-f-]{36})-([0-9a-f]{16})\.(vtt|m3u8)$/

const Stored = z.object({
  head: z.string(),
  cues: z.array(Cue),
  revision: z.string(),
  durationMs: z.nullable(z.number()),
})

/** A file that is made of what the database has. `isLasting`: its address never means anything else. */
type MadeFile = { text: string; isLasting: boolean }

/** Undefined for a name that is none of captions, or of none that are there. */
export async function captionFileOf(
  tx: Tx,
  { versionId, organizationId }: VersionKey,
  file: string,
): Promise<MadeFile | undefined> {
  const [, id, revision, ending] = name.exec(file) ?? []
  if (id === undefined) return undefined
  const found = await row(
    tx,
    Stored,
    sql`select c.head, c.cues, c.revision, x.duration_ms as "durationMs" from captions c join video_versions x on x.id = c.version_id
      join videos v on v.id = x.video_id and v.deleted_at is null
      where c.id::text = ${id} and c.version_id = ${versionId} and c.organization_id = ${organizationId}`,
  )
  if (!found) return undefined
  const isLasting = ending === 'vtt' && found.revision === revision
  if (ending === 'vtt') return { text: asVtt(found), isLasting }
  // One segment that is as long as the video: text is small, and no player has to find the cue that crosses from one into the next.
  const seconds = (found.durationMs ?? 0) / 1_000
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.ceil(seconds))}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXTINF:${seconds.toFixed(3)},`,
    `${id}-${found.revision}.vtt`,
    '#EXT-X-ENDLIST',
  ]
  return { text: `${lines.join('\n')}\n`, isLasting }
}
