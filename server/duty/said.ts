import * as z from 'zod/mini'
import type { Unheard } from '#contract/evidence/unheard.ts'
import { spoken } from '#contract/videos/moments.ts'
import type { Part } from '#contract/tracking/missing-parts.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

const SaidCue = z.object({ startMs: z.number(), endMs: z.number(), text: z.string() })
/** Something that is said from one moment to another; `text` as a VTT has it. */
export type SaidCue = z.infer<typeof SaidCue>

const Track = z.object({ language: z.string(), cues: z.array(SaidCue) })
/** Everything that is said in a version of a video, in one language. */
export type SaidTrack = z.infer<typeof Track>

/** What was said in some parts: as much of it as fits, and whether there is more. */
export type SaidText = { text: string; isAll: boolean }

/** Signs. Nobody reads on for longer to learn what they have not heard. */
const longestSaid = 300

/** Where something is left out between two texts, or behind the last one. */
const omission = '…'

/**
 * What is said within these parts, in whole cues: those of which at least half lies in the parts. Cues between which others were heard are
 * set apart. Where it is more than anybody reads, cues at the end are left out; the first is always there.
 */
export function saidWithin(cues: readonly SaidCue[], parts: readonly Part[]): SaidText {
  const told: string[] = []
  let length = 0
  let before = -1
  for (const [at, cue] of cues.entries()) {
    const text = isWithin(cue, parts) ? spoken(cue.text) : ''
    if (text === '') continue
    const words = before >= 0 && before < at - 1 ? `${omission} ${text}` : text
    length += words.length + 1
    if (told.length > 0 && length > longestSaid)
      return { text: `${told.join(' ')} ${omission}`, isAll: false }
    told.push(words)
    before = at
  }
  return { text: told.join(' '), isAll: true }
}

function isWithin({ startMs, endMs }: SaidCue, parts: readonly Part[]): boolean {
  const inside = parts.reduce(
    (sum, [from, to]) => sum + Math.max(0, Math.min(to, endMs) - Math.max(from, startMs)),
    0,
  )
  return inside * 2 >= endMs - startMs && inside > 0
}

/** The same with its language; null where nothing is said there. */
export function unheardOf(track: SaidTrack | undefined, parts: readonly Part[]): Unheard | null {
  const said = saidWithin(track?.cues ?? [], parts)
  return track && said.text !== '' ? { language: track.language, ...said } : null
}

type Wanted = { organizationId: string; versionId: string; language: string }

/**
 * What is said in a version, in this language where it has captions in it, else in those that are shown from the start, else in the first;
 * undefined without any. Of captions and subtitles in one language the captions are taken, because they tell what is heard.
 */
export function saidIn(
  tx: Tx,
  { organizationId, versionId, language }: Wanted,
): Promise<SaidTrack | undefined> {
  return row(
    tx,
    Track,
    sql`select c.language, c.cues from captions c
      where c.organization_id = ${organizationId} and c.version_id = ${versionId} and c.kind <> 'descriptions' and c.cue_count > 0
      order by split_part(c.language, '-', 1) = split_part(${language}, '-', 1) desc, c.language = ${language} desc, c.is_default desc,
        c.kind, c.language limit 1`,
  )
}
