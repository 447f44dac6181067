import * as z from 'zod/mini'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { rows, type Tx } from '#server/platform/db/client.ts'
import type { Ranges } from '#server/platform/db/multirange.ts'
import { sql } from '../platform/db/sql.ts'
import { completedAt, creditViewer, lengthOf, noCredit, unionOf, type Credit, type Piece } from './credit.ts'
import { isProgram, judged, placeOf, senderFlags } from './served/doubt.ts'
import { minus } from './ranges.ts'
import { stateOfAll, withheldOf, type Sources } from './served/sources.ts'
import { columnsOf, listed } from './lists.ts'
import type { Outcome, StoredSession } from './stored-session.ts'
import { counts, dayOf, viewerOf, type SessionChange } from './sums.ts'

export type Credited = { session: StoredSession; before: Outcome | null; after: Outcome; credit: Credit }
/** This is the worth of a session, with what both sources know of it. */
export type Founded = Credited & { sources: Sources }

/** These bits follow from the spans and are therefore set anew each time. */
const derived =
  sessionFlags.played | sessionFlags.concurrent | sessionFlags.refused | sessionFlags.bot | sessionFlags.mixed

/**
 * Works out what every session is worth, each viewer apart from the others. Programs earn nothing and take nobody's time. Sessions in
 * `entering` stand in no sum yet, although they are stored.
 */
export function creditAll(sessions: StoredSession[], entering: ReadonlySet<string>): Credited[] {
  const viewers = Map.groupBy(sessions, ({ viewerKey }) => viewerKey)
  return [...viewers.values()].flatMap((all) => {
    const own = all.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1))
    const credits = creditsOf(own)
    return own.map((session) => {
      const credit = credits.get(session.id) ?? (isSealed(session) ? keptCredit(session) : noCredit())
      const before = entering.has(session.id) ? null : session.stored
      return { session, before, after: outcomeOf(session, credit), credit }
    })
  })
}

/**
 * Works out credits by the spans of one viewer's sessions, in the order of their beginning. Programs earn nothing and take nobody's time.
 */
export function creditsOf(own: StoredSession[]): Map<string, Credit> {
  const credits = creditViewer(
    own.filter((session) => !isProgram(session) && !isSealed(session)).map((session) => judged(session)),
  )
  for (const { id, isVouched, spans } of own) {
    const refused = credits.get(id)?.refused
    if (isVouched && refused)
      for (const span of spans) refused.set(span.i, refused.get(placeOf(span)) ?? null)
  }
  return credits
}

/** Returns whether the spans of a session are kept no longer. Then what they were worth once stays what it is worth. */
function isSealed({ spans, stored }: StoredSession): boolean {
  return spans.length === 0 && stored !== null && stored.passes.length > 0
}

function keptCredit({ stored, startedAt }: StoredSession): Credit {
  if (!stored) return noCredit()
  const pieces = stored.passes.map(([start, end]): Piece => ({ start, end, from: startedAt, rate: 100 }))
  const { coverage, watchMs, wallMs } = stored
  return {
    ...noCredit(),
    pieces,
    coverage,
    watchMs,
    wallMs,
    flags: stored.flags & derived,
    firstPlayAt: startedAt,
  }
}

/**
 * Returns how many reports there must have been. A report that is not acknowledged is told again by a later one, so as long as no span is
 * missing, a missing number means that nothing was lost, and only those that arrived are counted.
 */
function reportsExpected(session: StoredSession): number {
  if (isSealed(session)) return session.stored?.batchesExpected ?? 0
  const places = new Set(session.spans.map(placeOf))
  const isWhole = places.size === Math.max(-1, ...places) + 1
  return isWhole ? lengthOf(session.batches) : (session.batches.at(-1)?.[1] ?? 0)
}

function outcomeOf(session: StoredSession, credit: Credit): Outcome {
  return {
    flags: (session.flags & ~derived) | credit.flags | senderFlags(session),
    coverage: credit.coverage,
    passes: credit.pieces.map(({ start, end }) => [start, end]),
    watchMs: credit.watchMs,
    wallMs: credit.wallMs,
    position: session.position,
    batchesSeen: lengthOf(session.batches),
    batchesExpected: reportsExpected(session),
  }
}

/** Returns what lies in these pieces and in none of the parts that are withheld. */
function without(pieces: Piece[], withheld: Ranges): Piece[] {
  if (withheld.length === 0) return pieces
  return pieces.flatMap(({ start, end, from, rate }) =>
    minus([[start, end]], withheld).map(([a, b]): Piece => ({
      start: a,
      end: b,
      from: from + Math.ceil(((a - start) * 100) / rate),
      rate,
    })),
  )
}

/** An organization asks for at least this evidence before something counts for a completion. */
export type Least = Parameters<typeof withheldOf>[1]

/** Returns the pieces of a session that count for a completion. */
export const countingPieces = ({ credit, sources }: Founded, least: Least): Piece[] =>
  without(credit.pieces, withheldOf(sources, least))

/** Adds up sessions that belong together. Completion needs the share of the newest session's token, from time that is not contradicted. */
function sumOf(group: Founded[], least: Least) {
  const pieces = group.flatMap((one) => countingPieces(one, least))
  const coverage = unionOf(group.flatMap(({ credit }) => credit.coverage))
  const newest = group.reduce((a, b) => (a.session.startedAt >= b.session.startedAt ? a : b)).session
  const latest = group.reduce((a, b) => (a.session.lastAt >= b.session.lastAt ? a : b)).session
  const plays = group.map(({ credit }) => credit.firstPlayAt).filter((at) => at !== null)
  return {
    organizationId: newest.organizationId,
    coverage,
    coveredMs: lengthOf(coverage),
    watchMs: group.reduce((sum, { credit }) => sum + credit.watchMs, 0),
    plays: plays.length,
    firstPlayAt: plays.length === 0 ? null : Math.min(...plays),
    firstAt: Math.min(...group.map(({ session }) => session.startedAt)),
    lastAt: latest.lastAt,
    position: latest.position,
    coveredAt: newest.durationMs > 0 ? completedAt(pieces, newest.theta * newest.durationMs) : null,
    evidence: stateOfAll(group.map(({ sources }) => sources)),
  }
}

const sumTypes = {
  organizationId: 'uuid',
  coverage: 'int4multirange',
  coveredMs: 'int',
  watchMs: 'bigint',
  lastAt: 'ms',
  coveredAt: 'ms',
  evidence: 'text',
} as const
const viewerTypes = {
  versionId: 'uuid',
  viewerKey: 'text',
  videoId: 'uuid',
  userId: 'uuid',
  plays: 'int',
  firstAt: 'ms',
  position: 'int',
  playedOn: 'text',
  ...sumTypes,
} as const
const deliveryTypes = {
  transmissionId: 'uuid',
  deliveryId: 'uuid',
  openedAt: 'ms',
  firstPlayAt: 'ms',
  ...sumTypes,
} as const

function playedOn(group: Credited[]): string | null {
  const played = group.filter(({ after }) => (after.flags & sessionFlags.played) !== 0)
  return played.length === 0 ? null : dayOf(Math.max(...played.map(({ session }) => session.startedAt)))
}

const WrittenViewer = z.object({ key: z.string(), isCompleted: z.boolean() })

/**
 * Writes viewers. `covered_at` is sticky: it may move towards the past and never goes away. Returns the viewers who have covered enough and
 * of whom that is not all written down, as their completion or as that of one of their deliveries.
 */
export async function writeViewers(tx: Tx, credited: Founded[], least: Least): Promise<string[]> {
  const groups = Map.groupBy(
    credited.filter(({ after }) => counts(after)),
    viewerOf,
  )
  const list = [...groups.values()].flatMap((group) => {
    const first = group[0]?.session
    if (!first) return []
    const { versionId, viewerKey, videoId, userId } = first
    return [{ versionId, viewerKey, videoId, userId, playedOn: playedOn(group), ...sumOf(group, least) }]
  })
  if (list.length === 0) return []
  const columns = columnsOf(viewerTypes)
  const written = await rows(
    tx,
    WrittenViewer,
    sql`
    insert into viewer_videos as v (${columns}) select ${columns} from ${listed(list, viewerTypes)} g
    on conflict (version_id, viewer_key) do update set
      coverage = excluded.coverage, covered_ms = excluded.covered_ms, watch_ms = excluded.watch_ms, plays = excluded.plays,
      first_at = excluded.first_at, last_at = excluded.last_at, position = excluded.position,
      played_on = excluded.played_on, covered_at = least(v.covered_at, excluded.covered_at),
      evidence = excluded.evidence
    returning viewer_key as key, coalesce(completed_at <= covered_at, false) as "isCompleted"`,
  )
  const open = new Set(written.filter(({ isCompleted }) => !isCompleted).map(({ key }) => key))
  for (const { session } of credited) if (session.deliveryId !== null) open.add(session.viewerKey)
  return list.flatMap((one) => (one.coveredAt !== null && open.has(one.viewerKey) ? [one.viewerKey] : []))
}

/**
 * Takes viewers, and what is known of deliveries, away when none of their sessions counts any more. Where the sessions are still there and
 * turned out to be a program's, completions stay.
 */
export async function removeViewers(tx: Tx, changes: SessionChange[]): Promise<void> {
  const emptied = (of: (change: SessionChange) => string | null) =>
    [...Map.groupBy(changes, of)].flatMap(([key, group]) =>
      key !== null && group.some(({ before }) => counts(before)) && !group.some(({ after }) => counts(after))
        ? group
            .slice(0, 1)
            .map(({ session: { versionId, viewerKey, transmissionId, deliveryId }, after }) => {
              return { versionId, viewerKey, transmissionId, deliveryId, isGone: after === null }
            })
        : [],
    )
  const viewers = emptied(viewerOf)
  const deliveries = emptied(({ session }) => session.deliveryId)
  const isOver = sql`(g.is_gone or t.covered_at is null)`
  const nothing = sql`coverage = '{}', covered_ms = 0, watch_ms = 0, evidence = 'none'`
  if (viewers.length > 0) {
    const theirs = sql`${listed(viewers, { versionId: 'uuid', viewerKey: 'text', isGone: 'bool' })} g
      where t.version_id = g.version_id and t.viewer_key = g.viewer_key`
    await tx.execute(sql`delete from viewer_videos t using ${theirs} and ${isOver}`)
    await tx.execute(sql`update viewer_videos t set ${nothing}, plays = 0, played_on = null from ${theirs}`)
  }
  if (deliveries.length > 0) {
    const theirs = sql`${listed(deliveries, { transmissionId: 'uuid', deliveryId: 'uuid', isGone: 'bool' })} g
      where t.transmission_id = g.transmission_id and t.delivery_id = g.delivery_id`
    await tx.execute(sql`delete from delivery_viewing t using ${theirs} and ${isOver}`)
    await tx.execute(sql`update delivery_viewing t set ${nothing} from ${theirs}`)
  }
}

export async function writeDeliveries(tx: Tx, credited: Founded[], least: Least): Promise<void> {
  const counting = credited.filter(({ session, after }) => session.deliveryId !== null && counts(after))
  const list = [...Map.groupBy(counting, ({ session }) => session.deliveryId).values()].flatMap((group) => {
    const first = group[0]?.session
    if (!first) return []
    const opened = group
      // Somebody who has played it has opened it, even when the news of that got lost.
      .flatMap(({ session: { impressionMs, zeroAt }, credit }) =>
        impressionMs === null ? (credit.firstPlayAt ?? []) : zeroAt + impressionMs,
      )
    const { transmissionId, deliveryId } = first
    const openedAt = opened.length === 0 ? null : Math.min(...opened)
    return [{ transmissionId, deliveryId, openedAt, ...sumOf(group, least) }]
  })
  if (list.length === 0) return
  const columns = columnsOf(deliveryTypes)
  await tx.execute(sql`
    insert into delivery_viewing as d (${columns}) select ${columns} from ${listed(list, deliveryTypes)} g
    on conflict (transmission_id, delivery_id) do update set
      opened_at = least(d.opened_at, excluded.opened_at), first_play_at = least(d.first_play_at, excluded.first_play_at), last_at = excluded.last_at,
      coverage = excluded.coverage, covered_ms = excluded.covered_ms, watch_ms = excluded.watch_ms,
      covered_at = least(d.covered_at, excluded.covered_at), evidence = excluded.evidence`)
}
