import * as z from 'zod/mini'
import { VideoChange } from '#contract/videos/replacements.ts'
import { rows, type Tx } from '../platform/db/client.ts'
import type { Ranges } from '../platform/db/multirange.ts'
import { sql } from '../platform/db/sql.ts'
import { completedAt, lengthOf, unionOf, type Piece } from '../tracking/credit.ts'
import { mappedBy, movedBy } from './replaced.ts'
import { minus } from '../tracking/ranges.ts'

const Version = z.object({
  id: z.string(),
  /** The instant is in milliseconds since the epoch. */
  readyAt: z.number(),
  durationMs: z.number(),
  /** Null means that this version took the place of none. */
  change: z.nullable(VideoChange),
})
export type Version = z.infer<typeof Version>

/** Finds the versions that were ever ready, in their order. The last one is the one that plays. */
export function versionsOf(tx: Tx, videoId: string): Promise<Version[]> {
  return rows(
    tx,
    Version,
    sql`select id, (extract(epoch from ready_at) * 1000)::float8 as "readyAt", duration_ms as "durationMs", change
      from video_versions where video_id = ${videoId} and ready_at is not null and duration_ms is not null order by number`,
  )
}

/** `owed` are the stretches of a version that somebody has to see anew; it is null where the version replaced none that counted. */
export type Had = { coverage: Ranges; owed: Ranges | null; coveredAt: number | null }
export type Viewing = {
  countsFrom: number
  /** It began to count with the version that was ready then, and whoever owes it was done with the one before. */
  isAgain: boolean
  /** The share of the length that has to be covered, between 0 and 1, as the newest session has it. */
  theta: number
  /** The pieces of each version come from the sessions that count. */
  pieces: ReadonlyMap<string, Piece[]>
  /** This was written down for one version, and it stays whatever became of the sessions behind it. */
  stored: { versionId: string; coverage: Ranges; owed: Ranges | null } | null
}

const nothing: Had = { coverage: [], owed: null, coveredAt: null }

/** Carries what somebody had of the version before over to the one after it. Whoever had covered the version before has all that stayed. */
function carried({ coverage, owed, coveredAt }: Had, before: Version, after: Version): Had {
  if (after.change === null) return { ...nothing, owed: [] }
  const mapped = mappedBy(after.change, before.durationMs, after.durationMs)
  if (mapped.owed.length === 0)
    return { coverage: movedBy(coverage, mapped.unchanged), owed: owed ?? [], coveredAt }
  if (coveredAt !== null)
    return { coverage: minus([[0, after.durationMs]], mapped.owed), owed: mapped.owed, coveredAt: null }
  const stillOwed = unionOf([...mapped.owed, ...movedBy(owed ?? [], mapped.unchanged)])
  return { coverage: movedBy(coverage, mapped.unchanged), owed: stillOwed, coveredAt: null }
}

/** Cuts a piece off where another version was ready, so that only what was played before it counts. */
function until(piece: Piece, end: number): Piece[] {
  if (piece.from >= end) return []
  const most = piece.start + ((end - piece.from) * piece.rate) / 100
  return [{ ...piece, end: Math.min(piece.end, Math.floor(most)) }]
}

const rangesOf = (pieces: readonly Piece[]): Ranges => pieces.map(({ start, end }) => [start, end])

/**
 * Returns the part that is owed both by what was written down and by the sessions. Either of them may not know that enough of the version
 * before was seen: the first because that was counted later, the other because sessions are not kept for ever.
 */
function lesserOf(one: Ranges | null, other: Ranges | null): Ranges | null {
  return one && other ? minus(one, minus(one, other)) : (one ?? other)
}

/** Returns when the last part of what is owed was there, in milliseconds since the epoch; null means that something is missing. */
function reachedAt(had: Had, pieces: Piece[], needs: { durationMs: number; theta: number }): number | null {
  const { durationMs, theta } = needs
  const owed = had.owed ?? []
  const isEnough = (coverage: Ranges) =>
    lengthOf(coverage) >= theta * durationMs &&
    lengthOf(minus(owed, coverage)) <= (1 - theta) * lengthOf(owed)
  if (durationMs <= 0 || !isEnough(unionOf([...had.coverage, ...rangesOf(pieces)]))) return null
  const exact = owed.length === 0 ? completedAt(pieces, theta * durationMs) : null
  if (exact !== null) return exact
  const inOrder = pieces.toSorted((a, b) => a.from - b.from)
  const isReached = (n: number) => isEnough(unionOf([...had.coverage, ...rangesOf(inOrder.slice(0, n))]))
  let [short, enough] = [0, inOrder.length]
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (isReached(middle)) enough = middle
    else short = middle
  }
  const last = inOrder[enough - 1]
  return last ? Math.ceil(last.from + ((last.end - last.start) * 100) / last.rate) : null
}

/**
 * Works out what somebody has of the version that plays, through all the versions that it replaced. What was played of a version counts as
 * long as that version was the one that played. Whatever has changed since the duty began to count, or whatever made it owed again, has to
 * be seen itself. Versions that were replaced before then do not matter.
 */
export function carriedThrough(versions: readonly Version[], viewing: Viewing): Had {
  const { countsFrom, isAgain, theta, pieces, stored } = viewing
  let had = nothing
  for (const [index, version] of versions.entries()) {
    const before = versions[index - 1]
    const isFirst = isAgain && version.readyAt === countsFrom
    if (isFirst) had = { ...nothing, coveredAt: countsFrom }
    had = before && (isFirst || version.readyAt > countsFrom) ? carried(had, before, version) : nothing
    if (stored?.versionId === version.id)
      had = {
        ...had,
        coverage: unionOf([...had.coverage, ...stored.coverage]),
        owed: lesserOf(stored.owed, had.owed),
      }
    const end = versions[index + 1]?.readyAt ?? Infinity
    const played = (pieces.get(version.id) ?? []).flatMap((piece) => until(piece, end))
    const coveredAt = had.coveredAt ?? reachedAt(had, played, { durationMs: version.durationMs, theta })
    had = { ...had, coverage: unionOf([...had.coverage, ...rangesOf(played)]), coveredAt }
  }
  return had
}
