import * as z from 'zod/mini'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import type { Ranges } from '#server/platform/db/multirange.ts'
import { allTogether, rows, type Tx } from '#server/platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { quartileInstants } from './curves.ts'
import { lengthOf, unionOf } from './credit.ts'
import type { EventChange, PlayEvent } from './ingest/events.ts'
import { listed, type ListTypes } from './lists.ts'
import type { Outcome, StoredSession } from './stored-session.ts'

/** This is one session as it stands in the sums now, and as it shall; null stands for not at all. */
export type SessionChange = { session: StoredSession; before: Outcome | null; after: Outcome | null }

/**
 * This is a table of sums, with its key, what else a new row says, and the columns that are added up. All of them are kept by adding what a
 * session is worth now and taking away what it was worth before, so that no order of events can make a difference.
 */
type SumTable = { name: string; key: ListTypes; facts: ListTypes; sums: readonly string[] }
const SumsRow = z.record(z.string(), z.nullable(z.union([z.string(), z.number()])))
type SumsRow = z.infer<typeof SumsRow>

const heat: SumTable = {
  name: 'video_heat',
  key: { version_id: 'uuid', sec: 'int' },
  facts: { organization_id: 'uuid', video_id: 'uuid' },
  sums: ['viewers_delta', 'passes_delta', 'seek_in', 'seek_out', 'pauses', 'exits'],
}
const heatDays: SumTable = {
  name: 'video_heat_days',
  key: { version_id: 'uuid', day: 'text', sec: 'int' },
  facts: { organization_id: 'uuid', video_id: 'uuid' },
  sums: ['sessions_delta', 'passes_delta', 'seek_in', 'seek_out', 'pauses', 'exits'],
}
const viewerDays: SumTable = {
  name: 'viewer_days',
  key: { organization_id: 'uuid', day: 'text', video_id: 'uuid', viewer_key: 'text' },
  facts: { user_id: 'uuid' },
  sums: ['sessions', 'plays', 'watch_ms', 'wall_ms'],
}
const dayRollups: SumTable = {
  name: 'day_rollups',
  key: { organization_id: 'uuid', day: 'text', video_id: 'uuid' },
  facts: {},
  sums: [
    'watch_ms',
    'plays',
    'sessions',
    'impressions',
    'anonymous',
    'bots',
    'capped',
    'refused',
    'batches_seen',
    'batches_expected',
  ],
}

const audienceDays: SumTable = {
  name: 'audience_days',
  key: { version_id: 'uuid', day: 'text' },
  facts: { organization_id: 'uuid', video_id: 'uuid' },
  sums: [
    'impressions',
    'plays',
    'seen_plays',
    'watch_ms',
    'wall_ms',
    'covered_ms',
    'quarter',
    'half',
    'three_quarters',
    'whole',
    'viewers',
    'named',
    'seeing',
    'seeing_viewers',
  ],
}

/** Returns whether a session counts. Those of programs stand in one figure only, which says how many of them there are. */
export function counts(outcome: Outcome | null): outcome is Outcome {
  return outcome !== null && (outcome.flags & sessionFlags.bot) === 0
}

/** Brings every table of sums from what the sessions of one video were worth to what they are worth. */
export async function writeSums(tx: Tx, changes: SessionChange[], events: EventChange[]): Promise<void> {
  const ledgers = {
    heat: ledgerOf(heat),
    heatDays: ledgerOf(heatDays),
    viewerDays: ledgerOf(viewerDays),
    dayRollups: ledgerOf(dayRollups),
    audienceDays: ledgerOf(audienceDays),
  }
  const byId = new Map(changes.map((change) => [change.session.id, change]))
  for (const change of changes) {
    if (isSame(change)) continue
    addSession(ledgers, change, -1)
    addSession(ledgers, change, 1)
  }
  for (const own of Map.groupBy(changes, viewerOf).values()) if (!own.every(isSame)) addViewer(ledgers, own)
  for (const { session, before, after } of events) {
    const change = byId.get(session.id)
    if (counts(change?.before ?? null)) addEvents(ledgers, session, { events: before, sign: -1 })
    if (counts(change?.after ?? null)) addEvents(ledgers, session, { events: after, sign: 1 })
  }
  await allTogether(Object.values(ledgers).map((ledger) => write(tx, ledger)))
}

/** Returns whether a session is worth what it was, as most sessions of a viewer are, because they are over. */
export function isSame({ before, after }: SessionChange): boolean {
  if (before === null || after === null) return before === after
  return (
    before.flags === after.flags &&
    before.position === after.position &&
    before.watchMs === after.watchMs &&
    before.wallMs === after.wallMs &&
    before.batchesSeen === after.batchesSeen &&
    before.batchesExpected === after.batchesExpected &&
    String(before.passes) === String(after.passes) &&
    String(before.coverage) === String(after.coverage)
  )
}

export const viewerOf = ({ session }: { session: StoredSession }) =>
  `${session.versionId} ${session.viewerKey}`

/** Rows to be written are kept in groups, so that the many rows of one curve are found by their second alone. */
type Ledger = { table: SumTable; groups: Map<string, Map<number, SumsRow>>; zeros: SumsRow }
type Ledgers = Record<'heat' | 'heatDays' | 'viewerDays' | 'dayRollups' | 'audienceDays', Ledger>

function ledgerOf(table: SumTable): Ledger {
  return { table, groups: new Map(), zeros: Object.fromEntries(table.sums.map((name) => [name, 0])) }
}

/** Returns the row of a group with this number, which is made when there is none. */
function groupOf({ groups, zeros }: Ledger, id: string, whose: SumsRow): (n: number) => SumsRow {
  const known = groups.get(id)
  const group = known ?? new Map<number, SumsRow>()
  if (!known) groups.set(id, group)
  return (n) => {
    const row = group.get(n) ?? { ...whose, sec: n, ...zeros }
    group.set(n, row)
    return row
  }
}

function add(row: SumsRow, values: Record<string, number>): void {
  for (const name in values) bump(row, name, values[name] ?? 0)
}

function bump(row: SumsRow, column: string, n: number): void {
  row[column] = Number(row[column]) + n
}

const dayMs = 86_400_000
const dayNames = new Map<number, string>()

/** Returns the day (UTC) of an instant, as ISO date. Few days are asked for very often, and making their names takes long. */
export function dayOf(ms: number): string {
  const day = Math.floor(ms / dayMs)
  const known = dayNames.get(day)
  if (known !== undefined) return known
  const name = new Date(day * dayMs).toISOString().slice(0, 10)
  if (dayNames.size > 1_000) dayNames.clear()
  dayNames.set(day, name)
  return name
}

/** A session counts on the day on which it began. */
function addSession(ledgers: Ledgers, { session, before, after }: SessionChange, sign: 1 | -1): void {
  const outcome = sign === 1 ? after : before
  if (outcome === null) return
  const { organizationId: organization_id, videoId: video_id } = session
  const day = dayOf(session.startedAt)
  const ofDay = groupOf(ledgers.dayRollups, day, { organization_id, day, video_id })(0)
  if (!counts(outcome)) return bump(ofDay, 'bots', sign)
  const has = (flag: number) => ((outcome.flags & flag) === 0 ? 0 : sign)
  const [plays, impressions] = [has(sessionFlags.played), has(sessionFlags.impressed)]
  const [watch_ms, wall_ms] = [sign * outcome.watchMs, sign * outcome.wallMs]
  add(ofDay, {
    sessions: sign,
    plays,
    watch_ms,
    impressions,
    anonymous: session.userId === null ? sign : 0,
    capped: has(sessionFlags.capped),
    refused: has(sessionFlags.refused),
    batches_seen: sign * outcome.batchesSeen,
    batches_expected: sign * outcome.batchesExpected,
  })
  const { viewerKey: viewer_key, userId: user_id } = session
  const whose = { organization_id, day, video_id, viewer_key, user_id }
  add(groupOf(ledgers.viewerDays, `${day} ${viewer_key}`, whose)(0), {
    sessions: sign,
    plays,
    watch_ms,
    wall_ms,
  })
  const audience = audienceOn(ledgers, session, day)
  add(audience, { impressions, plays, watch_ms, wall_ms })
  if (plays !== 0) addPlay(audience, session, { outcome, sign })
  const [at, dayAt] = curvesOf(ledgers, session)
  addCurve(outcome.passes, (sec, n) => {
    bump(at(sec), 'passes_delta', sign * n)
    bump(dayAt(sec), 'passes_delta', sign * n)
  })
  addCurve(outcome.coverage, (sec, n) => bump(dayAt(sec), 'sessions_delta', sign * n))
  if (plays === 0) return
  const last = secondOf(outcome.position, session)
  bump(at(last), 'exits', sign)
  bump(dayAt(last), 'exits', sign)
}

const reached = ['quarter', 'half', 'three_quarters', 'whole'] as const

function addPlay(
  audience: SumsRow,
  { durationMs }: StoredSession,
  { outcome: { flags, coverage }, sign }: { outcome: Outcome; sign: 1 | -1 },
): void {
  bump(audience, 'covered_ms', sign * lengthOf(coverage))
  if ((flags & sessionFlags.impressed) !== 0) bump(audience, 'seen_plays', sign)
  for (const [n, instant] of quartileInstants(durationMs).entries())
    if (coverage.some(([start, end]) => start <= instant && instant < end))
      bump(audience, reached[n] ?? 'whole', sign)
}

function audienceOn(ledgers: Ledgers, session: StoredSession, day: string): SumsRow {
  const { versionId: version_id, organizationId: organization_id, videoId: video_id } = session
  return groupOf(ledgers.audienceDays, `${version_id} ${day}`, {
    version_id,
    organization_id,
    video_id,
    day,
  })(0)
}

type Curve = (sec: number) => SumsRow

/** Returns the curve of all time and that of the session's day, by second. */
function curvesOf(ledgers: Ledgers, session: StoredSession): [Curve, Curve] {
  const { versionId: version_id, organizationId: organization_id, videoId: video_id } = session
  const whose = { version_id, organization_id, video_id }
  const day = dayOf(session.startedAt)
  return [
    groupOf(ledgers.heat, version_id, whose),
    groupOf(ledgers.heatDays, `${version_id} ${day}`, { ...whose, day }),
  ]
}

function addViewer(ledgers: Ledgers, own: SessionChange[]): void {
  const [first] = own
  if (!first) return
  for (const [which, sign] of [
    ['before', -1],
    ['after', 1],
  ] as const) {
    const counted = own.flatMap(({ session, [which]: outcome }) =>
      counts(outcome) ? [{ session, outcome }] : [],
    )
    // Somebody who saw a second in two sessions is one viewer of it, so only what is covered anew is added.
    const [at] = curvesOf(ledgers, first.session)
    const coverage = unionOf(counted.flatMap(({ outcome }) => outcome.coverage))
    addCurve(coverage, (sec, n) => bump(at(sec), 'viewers_delta', sign * n))
    const addOnLast = (column: string, flags: number) => {
      const days = counted
        .filter(({ outcome }) => (outcome.flags & flags) === flags)
        .map(({ session }) => session.startedAt)
      if (days.length > 0) bump(audienceOn(ledgers, first.session, dayOf(Math.max(...days))), column, sign)
    }
    const { played, impressed } = sessionFlags
    addOnLast('viewers', played)
    if (first.session.userId !== null) addOnLast('named', played)
    addOnLast('seeing', impressed)
    addOnLast('seeing_viewers', played | impressed)
  }
}

function addEvents(
  ledgers: Ledgers,
  session: StoredSession,
  { events, sign }: { events: Map<number, PlayEvent>; sign: 1 | -1 },
): void {
  const curves = curvesOf(ledgers, session)
  const count = (ms: unknown, column: string) => {
    if (typeof ms === 'number') for (const at of curves) bump(at(secondOf(ms, session)), column, sign)
  }
  for (const { type, positionMs, data } of events.values()) {
    if (type === 'pause') count(positionMs, 'pauses')
    if (type !== 'seek') continue
    count(data?.['from'], 'seek_out')
    count(data?.['to'], 'seek_in')
  }
}

/** Returns the second in which an instant of the video lies. The very end belongs to the last one. */
function secondOf(ms: number, { durationMs }: StoredSession): number {
  const last = Math.max(0, Math.ceil(durationMs / 1000) - 1)
  return Math.min(last, Math.max(0, Math.floor(ms / 1000)))
}

/** Returns the first second whose middle is not before this instant. */
const middleFrom = (ms: number) => Math.max(0, Math.ceil((ms - 500) / 1000))

/** Passes the steps of the curve on. Second s belongs to a range that contains the instant s + 0.5 s. */
function addCurve(ranges: Ranges, step: (sec: number, n: number) => void): void {
  for (const [start, end] of ranges) {
    const [from, to] = [middleFrom(start), middleFrom(end)]
    if (from >= to) continue
    step(from, 1)
    step(to, -1)
  }
}

/**
 * Writes the sums with one statement, which finds each row by its key whatever the planner believes. A row that has come to nothing goes.
 */
async function write(tx: Tx, { table, groups }: Ledger): Promise<void> {
  const changed = [...groups.values()].flatMap((group) =>
    [...group.values()].filter((row) => table.sums.some((sum) => row[sum] !== 0)),
  )
  if (changed.length === 0) return
  const name = sql.raw(table.name)
  const sums = Object.fromEntries(table.sums.map((sum) => [sum, 'bigint'] as const))
  const types = { ...table.key, ...table.facts, ...sums }
  const text = (list: readonly string[], of: (column: string) => string, by = ', ') =>
    sql.raw(list.map(of).join(by))
  const keys = Object.keys(table.key)
  const keyColumns = text(keys, String)
  const all = text(Object.keys(types), String)
  const emptied = await rows(
    tx,
    SumsRow,
    sql`with written as (insert into ${name} as t (${all}) select ${all} from ${listed(changed, types)} g
        on conflict (${keyColumns}) do update set ${text(table.sums, (sum) => `${sum} = t.${sum} + excluded.${sum}`)}
        returning ${text(keys, (key) => `t.${key}`)}, ${text(table.sums, (sum) => `t.${sum} = 0`, ' and ')} as is_empty)
      select ${keyColumns} from written where is_empty`,
  )
  if (emptied.length === 0) return
  await tx.execute(sql`delete from ${name} t using ${listed(emptied, table.key)} g
    where ${text(keys, (column) => `t.${column} = g.${column}`, ' and ')}`)
}
