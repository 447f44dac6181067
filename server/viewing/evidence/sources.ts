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
  /** Of a program: it counts in nothing. */
  isBot: boolean
  /** Epoch milliseconds at which the server last heard of it. */
  lastAt: number
}

const segmentMs = segmentSeconds * 1_000
/** What rounding, and the last picture of a segment, may come to. */
const roundingMs = 500
/** The record of handing out is written about a second later; so long it may be behind what the player reports. */
const behindMs = 5_000

/**
 * What counts and was never handed out to the session that reported it. Two things are explained and left out: rounding, and up to
 * one segment beside a part that was handed out, because the connection may have broken off in the midst of a segment.
 */
export function unservedOf({ coverage, served }: Pick<Sources, 'coverage' | 'served'>): Ranges {
  if (served === null) return []
  const touches = ([start, end]: [number, number]) => served.some(([a, b]) => b === start || a === end)
  return minus(coverage, served).filter((piece) => {
    const length = piece[1] - piece[0]
    return length > roundingMs && !(length <= segmentMs && touches(piece))
  })
}

export function stateOf(session: Sources, now: number): EvidenceState {
  const { coverage, served, isOpened, lastAt } = session
  if (coverage.length === 0) return isOpened || (served?.length ?? 0) > 0 ? 'delivered' : 'none'
  if (served === null) return 'likely'
  if (unservedOf(session).length === 0) return 'proven'
  return now - lastAt < behindMs ? 'likely' : 'contradicted'
}

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
