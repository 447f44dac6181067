import type { JudgedPart, SourceReason } from '#contract/certificate-format.ts'
import type { EvidenceState } from '#contract/evidence.ts'
import type { Ranges } from '#server/db/columns.ts'
import { segmentSeconds } from '#server/media/ladder.ts'
import { lengthOf, unionOf } from '../credit.ts'
import { minus } from './ranges.ts'

/** What two sources know of one session: what earned credit, and what was handed out; null without any record of that. */
export type Sources = {
  coverage: Ranges
  served: Ranges | null
  /** The player was seen, or anything of it was heard. */
  isOpened: boolean
  /** While it ran, a server was killed that may have handed out more than it wrote down. */
  isRecordBroken: boolean
  /** Of a program: it counts in nothing. */
  isBot: boolean
  /** Epoch milliseconds at which the server last heard of it. */
  lastAt: number
}

const segmentMs = segmentSeconds * 1_000
/** What rounding, and the last picture of a segment, may come to. */
const roundingMs = 500
/** The record is written about a second later, and a killed server is noticed after eight; so long nobody is accused. */
const behindMs = 10_000

/**
 * What counts and is not in the record of what was handed out to the session that reported it. Two things are explained and left
 * out: rounding, and up to one segment beside a part that was handed out, because the connection may have broken off in the midst of
 * a segment.
 */
function unrecordedOf({ coverage, served }: Pick<Sources, 'coverage' | 'served'>): Ranges {
  if (served === null) return []
  const touches = ([start, end]: [number, number]) => served.some(([a, b]) => b === start || a === end)
  return minus(coverage, served).filter((piece) => {
    const length = piece[1] - piece[0]
    return length > roundingMs && !(length <= segmentMs && touches(piece))
  })
}

/** What counts and was never handed out to the session that reported it: nothing where its record may lack parts. */
export function unservedOf(session: Pick<Sources, 'coverage' | 'served' | 'isRecordBroken'>): Ranges {
  return session.isRecordBroken ? [] : unrecordedOf(session)
}

export type Judgement = { state: EvidenceState; reason: SourceReason }

export function judge(session: Sources, now: number): Judgement {
  const { coverage, served, isOpened, isRecordBroken, lastAt } = session
  if (coverage.length === 0)
    return isOpened || (served?.length ?? 0) > 0
      ? { state: 'delivered', reason: 'nothing_counts' }
      : { state: 'none', reason: 'nothing_counts' }
  if (served === null) return { state: 'likely', reason: 'no_record' }
  if (unrecordedOf(session).length === 0) return { state: 'proven', reason: 'handed_out' }
  if (isRecordBroken) return { state: 'likely', reason: 'record_broken' }
  return now - lastAt < behindMs
    ? { state: 'likely', reason: 'record_behind' }
    : { state: 'contradicted', reason: 'not_handed_out' }
}

export const stateOf = (session: Sources, now: number): EvidenceState => judge(session, now).state

/** What is true of several sessions together: one contradiction contradicts, and all that counts must be proven to be proven. */
export function stateOfAll(sessions: readonly Sources[], now: number): EvidenceState {
  const judged = sessions
    .filter(({ isBot }) => !isBot)
    .map((session) => ({ coverage: session.coverage, state: stateOf(session, now) }))
  if (judged.some(({ state }) => state === 'contradicted')) return 'contradicted'
  const all = unionOf(judged.flatMap(({ coverage }) => coverage))
  const proven = unionOf(judged.flatMap(({ coverage, state }) => (state === 'proven' ? coverage : [])))
  if (all.length > 0) return lengthOf(minus(all, proven)) === 0 ? 'proven' : 'likely'
  return judged.some(({ state }) => state === 'delivered') ? 'delivered' : 'none'
}

/** Each part of `covered` by the best that the sessions say of it; neighbours that are alike are one part. */
export function judgedParts(covered: Ranges, sessions: readonly Sources[], now: number): JudgedPart[] {
  const judged = sessions
    .filter(({ isBot }) => !isBot)
    .map((session) => Object.assign({ session }, judge(session, now)))
  const parts: JudgedPart[] = []
  let open = covered
  const take = (ranges: Ranges, state: EvidenceState, reason: SourceReason) => {
    const rest = minus(open, unionOf(ranges))
    for (const [fromMs, toMs] of minus(open, rest)) parts.push({ fromMs, toMs, state, reason })
    open = rest
  }
  const of = (wanted: EvidenceState, reason?: SourceReason) =>
    judged.filter((one) => one.state === wanted && (reason === undefined || one.reason === reason))
  const coverageOf = (some: typeof judged): Ranges => some.flatMap(({ session }) => session.coverage)
  take(coverageOf(of('proven')), 'proven', 'handed_out')
  take(
    of('contradicted').flatMap(({ session }) => unservedOf(session)),
    'contradicted',
    'not_handed_out',
  )
  for (const reason of ['record_broken', 'record_behind', 'no_record'] as const)
    take(coverageOf(of('likely', reason)), 'likely', reason)
  take(coverageOf(of('contradicted')), 'likely', 'beside_that')
  take(open, 'likely', 'no_record')
  return parts.toSorted((a, b) => a.fromMs - b.fromMs)
}
