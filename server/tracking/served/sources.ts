import * as z from 'zod/mini'
import type { JudgedPart, SourceReason, SourceState } from '#contract/evidence/certificate-format.ts'
import type { EvidenceState } from '#contract/tracking/evidence-states.ts'
import type { Organization } from '#contract/directory/organizations.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import { recordOf, servedRecordStates, type ServedRecordState } from '#server/tracking/served/served-run.ts'
import type { Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { lengthOf, unionOf } from '../credit.ts'
import { minus } from '../ranges.ts'

/** Two sources know this of one session: what earned credit, and what was handed out; `served` is null where nothing was. */
export type Sources = {
  coverage: Ranges
  served: Ranges | null
  /** This says what follows from a gap in `served`. */
  record: ServedRecordState
  /** It is true when the player was seen, or anything of it was heard. */
  isOpened: boolean
  /** The session is a program's, and counts in nothing. */
  isBot: boolean
}

/** A statement tells this of a session by `sourceColumns`. */
export const SourceRow = z.object({
  coverage: z.string(),
  served: z.nullable(z.string()),
  record: z.enum(servedRecordStates),
  flags: z.number(),
  impressionMs: z.nullable(z.number()),
})

/** These columns are taken from `play_sessions p` and `served_parts s`; one of the two may be missing. */
export const sourceColumns = sql`coalesce(p.coverage, '{}')::text as coverage, s.parts::text as served, ${recordOf('p')} as record,
  coalesce(p.flags, 0) as flags, p.impression_ms as "impressionMs"`

export function sourcesOf(
  { served, record, flags, impressionMs }: Omit<z.infer<typeof SourceRow>, 'coverage'>,
  coverage: Ranges,
): Sources {
  return {
    coverage,
    served: served === null ? null : parseRanges(served),
    record,
    isOpened: impressionMs !== null || (flags & sessionFlags.played) !== 0,
    isBot: (flags & sessionFlags.bot) !== 0,
  }
}

/** Rounding, and the last picture of a segment, may add up to this beside a part that was handed out. */
const roundingMs = 500
/**
 * A connection may break off in the midst of a segment, so this much beside what was handed out is explained, once in a session. It is half
 * of the longest segment that there ever was, so that what was judged stays as it was judged when segments become shorter.
 */
const brokenOffMs = 3_000

/**
 * Returns what counts and is not in the record of what was handed out to the session that reported it, except what is explained. Where
 * nothing was handed out, nothing is explained.
 */
function unrecordedOf({ coverage, served }: Pick<Sources, 'coverage' | 'served'>): Ranges {
  const parts = served ?? []
  const touches = ([start, end]: [number, number]) => parts.some(([a, b]) => b === start || a === end)
  let explained = 0
  return minus(coverage, parts).filter((piece) => {
    const length = piece[1] - piece[0]
    if (length > brokenOffMs || !touches(piece)) return true
    if (length <= roundingMs) return false
    explained += length
    return explained > brokenOffMs
  })
}

/** Returns what counts and was never handed out to the session that reported it. It is empty where its record may lack parts. */
export function unservedOf(session: Pick<Sources, 'coverage' | 'served' | 'record'>): Ranges {
  return session.record === 'whole' ? unrecordedOf(session) : []
}

export type Judgement = { state: EvidenceState; reason: SourceReason }

export function judge(session: Sources): Judgement {
  const { coverage, served, isOpened, record } = session
  if (coverage.length === 0)
    return isOpened || (served?.length ?? 0) > 0
      ? { state: 'delivered', reason: 'nothing_counts' }
      : { state: 'none', reason: 'nothing_counts' }
  if (served !== null && unrecordedOf(session).length === 0) return { state: 'proven', reason: 'handed_out' }
  if (record === 'none') return { state: 'likely', reason: 'no_record' }
  if (record === 'broken') return { state: 'likely', reason: 'record_broken' }
  return record === 'behind'
    ? { state: 'checking', reason: 'record_behind' }
    : { state: 'contradicted', reason: 'not_handed_out' }
}

export const stateOf = (session: Sources): EvidenceState => judge(session).state

/**
 * Judges several sessions together. One contradiction contradicts, and all that counts must be proven to be proven. While the record of one
 * of them is behind, it is being checked.
 */
export function stateOfAll(sessions: readonly Sources[]): EvidenceState {
  const judged = sessions
    .filter(({ isBot }) => !isBot)
    .map((session) => ({ coverage: session.coverage, state: stateOf(session) }))
  for (const state of ['checking', 'contradicted'] as const)
    if (judged.some((one) => one.state === state)) return state
  const all = unionOf(judged.flatMap(({ coverage }) => coverage))
  const proven = unionOf(judged.flatMap(({ coverage, state }) => (state === 'proven' ? coverage : [])))
  if (all.length > 0) return lengthOf(minus(all, proven)) === 0 ? 'proven' : 'likely'
  return judged.some(({ state }) => state === 'delivered') ? 'delivered' : 'none'
}

/** Returns what counts in a session but not for a completion, because it is not as well founded as the organization asks. */
export function withheldOf(session: Sources, least: 'likely' | 'proven'): Ranges {
  const { state } = judge(session)
  if (state === 'proven') return []
  if (least === 'proven') return session.coverage
  return state === 'contradicted' || state === 'checking' ? unrecordedOf(session) : []
}

/**
 * Has viewers looked at again whose completion was withheld, where less is asked for than before. Completions that were given stay in any
 * case.
 */
export async function followRequiredEvidence(
  tx: Tx,
  before: Organization | null,
  after: Organization,
): Promise<void> {
  if (before?.policies.completionEvidence !== 'proven' || after.policies.completionEvidence === 'proven')
    return
  await tx.execute(sql`update viewer_videos set evidence = 'checking'
    where organization_id = ${after.id} and covered_at is null and covered_ms > 0`)
}

/** Judges each part of `covered` by the best that the sessions say of it. Neighbours that are alike are one part. */
export function judgedParts(covered: Ranges, sessions: readonly Sources[]): JudgedPart[] {
  const judged = sessions
    .filter(({ isBot }) => !isBot)
    .map((session) => Object.assign({ session }, judge(session)))
  const parts: JudgedPart[] = []
  let open = covered
  const take = (ranges: Ranges, state: SourceState, reason: SourceReason) => {
    const remaining = minus(open, unionOf(ranges))
    for (const [fromMs, toMs] of minus(open, remaining)) parts.push({ fromMs, toMs, state, reason })
    open = remaining
  }
  const coverageOf = (wanted: SourceReason): Ranges =>
    judged.flatMap(({ reason, session }) => (reason === wanted ? session.coverage : []))
  take(coverageOf('handed_out'), 'proven', 'handed_out')
  take(
    judged.flatMap(({ session }) => unservedOf(session)),
    'contradicted',
    'not_handed_out',
  )
  for (const reason of ['record_broken', 'record_behind', 'no_record'] as const)
    take(coverageOf(reason), 'likely', reason)
  take(coverageOf('not_handed_out'), 'likely', 'beside_that')
  take(open, 'likely', 'no_record')
  return parts.toSorted((a, b) => a.fromMs - b.fromMs)
}

/**
 * This condition on a column `evidence` of `viewer_videos` or `delivery_viewing` holds for one state. Somebody without a row there (null,
 * by an outer join) has no sign at all. It must not be asked where only completions may be told (`showsPersons`).
 */
export function hasEvidence(column: SQL, state: EvidenceState): SQL {
  return sql`coalesce(${column}, 'none') = ${state}`
}
