import type { VideoChange } from '#contract/videos/replacements.ts'
import type { Ranges } from '../platform/db/multirange.ts'
import type { Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { unionOf } from '../tracking/credit.ts'
import { minus, within } from '../tracking/ranges.ts'
import { lockVideo } from '../tracking/video-lock.ts'

/** A video that was converted anew may be longer or shorter by this number of milliseconds, which is a few frames. */
const sameLengthMs = 100

type UnchangedParts = { parts: Ranges; shift: number }
/**
 * `owed` are the stretches of the new version that have to be seen. `kept` are those of the old one that stayed, and by how many
 * milliseconds they have moved.
 */
export type Mapped = { owed: Ranges; unchanged: readonly UnchangedParts[] }

/**
 * Maps the old version onto the new one (all values are milliseconds). A stretch that takes more or less time than before moves all that
 * comes after it by the difference. With several stretches nobody knows which of them it was, so all of the new version is owed.
 */
export function mappedBy(change: VideoChange, beforeMs: number, afterMs: number): Mapped {
  const all: Mapped = { owed: [[0, afterMs]], unchanged: [] }
  const both = Math.min(beforeMs, afterMs)
  if (change.matters === 'whole') return all
  if (change.matters === 'nothing') return { owed: [], unchanged: [{ parts: [[0, both]], shift: 0 }] }
  const owed = within(change.parts, afterMs)
  const [first, ...others] = owed
  if (!first) return all
  const shift = afterMs - beforeMs
  if (Math.abs(shift) <= sameLengthMs)
    return { owed, unchanged: [{ parts: minus([[0, both]], owed), shift: 0 }] }
  const [from, to] = first
  if (others.length > 0 || to - shift < from) return all
  return {
    owed,
    unchanged: [
      { parts: within([[0, from]], beforeMs), shift: 0 },
      { parts: minus([[0, beforeMs]], [[0, to - shift]]), shift },
    ],
  }
}

/** Returns the parts of the old version that stayed, at their places in the new one (milliseconds). */
export function movedBy(stretches: Ranges, unchanged: readonly UnchangedParts[]): Ranges {
  return unionOf(
    unchanged.flatMap(({ parts, shift }) =>
      minus(stretches, minus(stretches, parts)).map(([from, to]): [number, number] => [
        from + shift,
        to + shift,
      ]),
    ),
  )
}

export const multirange = (ranges: Ranges): SQL =>
  sql`${`{${ranges.map(([from, to]) => `[${from},${to})`).join(',')}}`}::int4multirange`

/** Does in SQL what `movedBy` does, for a multirange that is an expression. */
function moved(stretches: SQL, unchanged: readonly UnchangedParts[]): SQL {
  const pieces = unchanged.map(
    ({ parts, shift }) =>
      sql`select int4range(lower(x) + ${shift}::int, upper(x) + ${shift}::int) as part from unnest(${stretches} * ${multirange(parts)}) x`,
  )
  if (pieces.length === 0) return sql`'{}'::int4multirange`
  return sql`coalesce((select range_agg(m.part) from (${sql.join(pieces, sql` union all `)}) m), '{}')`
}

/** This expression gives the total length of a multirange, in milliseconds. */
export const lengthIn = (ranges: SQL): SQL =>
  sql`(select coalesce(sum(upper(x) - lower(x)), 0)::int from unnest(${ranges}) x)`

type Length = { id: string; durationMs: number }
export type Replacement = { change: VideoChange; before: Length; after: Length }
type Place = { organizationId: string; videoId: string }

/**
 * Carries what people owe over to a new version. Whoever owes the video, or will again when they come back, owes of it what has changed,
 * and has of it what they had seen of the version before. Returns what is owed of it, and how much that is (ms).
 */
export async function carryOver(
  tx: Tx,
  { organizationId, videoId }: Place,
  replacement: Replacement,
): Promise<{ owedParts: Ranges; owed: 'whole' | 'parts' | 'nothing' }> {
  const { change, before, after } = replacement
  // Nobody counts what was watched of the old one meanwhile.
  await lockVideo(tx, videoId)
  const { owed, unchanged } = mappedBy(change, before.durationMs, after.durationMs)
  const ofVideo = sql`p.organization_id = ${organizationId} and p.video_id = ${videoId}
    and (p.state in ('open', 'waived') or p.ending in ('left', 'exempted'))`
  await carry(tx, ofVideo, replacement)
  if (owed.length === 0) return { owedParts: owed, owed: 'nothing' }
  return { owedParts: owed, owed: unchanged.length === 0 ? 'whole' : 'parts' }
}

/** Moves obligations `p` from one version to the next; whoever had seen enough of that has all that stayed. */
export async function carry(tx: Tx, which: SQL, { change, before, after }: Replacement): Promise<void> {
  const { owed, unchanged } = mappedBy(change, before.durationMs, after.durationMs)
  const unowed = multirange(minus([[0, after.durationMs]], owed))
  const isOwed = owed.length > 0
  await tx.execute(
    sql`update obligations o set version_id = ${after.id}, coverage = g.coverage, covered_ms = ${lengthIn(sql`g.coverage`)},
        owed_parts = g.owed, covered_at = case when ${isOwed} then null else o.covered_at end, updated_at = now()
      from (select p.id,
          case when ${isOwed} and p.covered_at is not null then ${unowed}
            when p.version_id = ${before.id} then ${moved(sql`p.coverage`, unchanged)} else '{}' end as coverage,
          ${multirange(owed)} + case when p.covered_at is null and p.version_id = ${before.id}
            then ${moved(sql`coalesce(p.owed_parts, '{}')`, unchanged)} else '{}' end as owed
        from obligations p where ${which}) g
      where o.id = g.id`,
  )
}
