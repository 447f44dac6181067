import { sessionFlags } from '#contract/track-limits.ts'
import type { Ranges } from '#server/db/columns.ts'
import { allTogether, rows as dbRows, type Tx } from '#server/db/client.ts'
import { sql } from '../db/drizzle.ts'
import { unionOf } from './credit.ts'
import type { EventChange, PlayEvent } from './events.ts'
import { recordset, type Outcome, type StoredSession } from './store.ts'

/** One session: how it stands in the sums now, and how it shall; null stands for not at all. */
export type Change = { session: StoredSession; before: Outcome | null; after: Outcome | null }

/**
 * A table of sums: its key, what else a new row says, and the columns that are added up. All of them are kept by adding what a
 * session is worth now and taking away what it was worth before, so that no order of events can make a difference.
 */
type SumTable = { name: string; key: Columns; facts: Columns; sums: readonly string[] }
type Columns = Record<string, 'uuid' | 'text' | 'int'>
type Key = Record<string, string | number | null>
type Sums = Record<string, number>
type Row = { key: Key; sums: Sums }

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
  sums: ['sessions_delta', 'passes_delta'],
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

/** Sessions of programs stand in one figure only, which says how many of them there are. */
export function counts(outcome: Outcome | null): outcome is Outcome {
  return outcome !== null && (outcome.flags & sessionFlags.bot) === 0
}

/** Brings every table of sums from what the sessions of one video were worth to what they are worth. */
export async function writeSums(tx: Tx, changes: Change[], events: EventChange[]): Promise<void> {
  const ledgers = {
    heat: ledgerOf(heat),
    heatDays: ledgerOf(heatDays),
    viewerDays: ledgerOf(viewerDays),
    dayRollups: ledgerOf(dayRollups),
  }
  for (const { session, before, after } of changes) {
    if (before) addSession(ledgers, session, { outcome: before, sign: -1 })
    if (after) addSession(ledgers, session, { outcome: after, sign: 1 })
  }
  for (const own of Map.groupBy(changes, viewerOf).values()) addViewer(ledgers.heat, own)
  const byId = new Map(changes.map((change) => [change.session.id, change]))
  for (const { session, before, after } of events) {
    const change = byId.get(session.id)
    if (counts(change?.before ?? null)) addEvents(ledgers.heat, session, { events: before, sign: -1 })
    if (counts(change?.after ?? null)) addEvents(ledgers.heat, session, { events: after, sign: 1 })
  }
  await allTogether(Object.values(ledgers).map((ledger) => write(tx, ledger)))
}

export const viewerOf = ({ session }: { session: StoredSession }) =>
  `${session.versionId} ${session.viewerKey}`

/** `rowOf`: the row with this id, made when there is none. */
type Ledger = { table: SumTable; rows: Map<string, Row>; rowOf: (id: string, key: () => Key) => Sums }

function ledgerOf(table: SumTable): Ledger {
  const rows = new Map<string, Row>()
  const zeros = Object.fromEntries(table.sums.map((name) => [name, 0]))
  function rowOf(id: string, key: () => Key): Sums {
    const known = rows.get(id)
    if (known) return known.sums
    const made = { key: key(), sums: { ...zeros } }
    rows.set(id, made)
    return made.sums
  }
  return { table, rows, rowOf }
}

function add(sums: Sums, values: Sums): void {
  for (const name in values) sums[name] = (sums[name] ?? 0) + (values[name] ?? 0)
}

type Ledgers = Record<'heat' | 'heatDays' | 'viewerDays' | 'dayRollups', Ledger>

/** A session counts on the day (UTC) on which it began. */
function addSession(
  { heat, heatDays, viewerDays, dayRollups }: Ledgers,
  session: StoredSession,
  { outcome, sign }: { outcome: Outcome; sign: 1 | -1 },
): void {
  const { organizationId: organization_id, videoId: video_id, versionId: version_id } = session
  const day = new Date(session.startedAt).toISOString().slice(0, 10)
  const ofDay = dayRollups.rowOf(`${organization_id} ${day}`, () => ({ organization_id, day, video_id }))
  if (!counts(outcome)) return add(ofDay, { bots: sign })
  const has = (flag: number) => ((outcome.flags & flag) === 0 ? 0 : sign)
  const plays = has(sessionFlags.played)
  const common = { sessions: sign, plays, watch_ms: sign * outcome.watchMs }
  add(ofDay, {
    ...common,
    impressions: has(sessionFlags.impressed),
    anonymous: session.userId === null ? sign : 0,
    capped: has(sessionFlags.capped),
    refused: has(sessionFlags.refused),
    batches_seen: sign * outcome.batchesSeen,
    batches_expected: sign * outcome.batchesExpected,
  })
  const { viewerKey: viewer_key, userId: user_id } = session
  const whose = () => ({ organization_id, day, video_id, viewer_key, user_id })
  add(viewerDays.rowOf(`${day} ${viewer_key}`, whose), { ...common, wall_ms: sign * outcome.wallMs })
  const dayAt = (sec: number) =>
    heatDays.rowOf(`${version_id} ${day} ${sec}`, () => ({ version_id, organization_id, video_id, day, sec }))
  addCurve(outcome.passes, (sec, n) => {
    bump(heatAt(heat, session, sec), 'passes_delta', sign * n)
    bump(dayAt(sec), 'passes_delta', sign * n)
  })
  addCurve(outcome.coverage, (sec, n) => bump(dayAt(sec), 'sessions_delta', sign * n))
  if (plays !== 0) bump(heatAt(heat, session, secondOf(outcome.position, session)), 'exits', sign)
}

function heatAt(heat: Ledger, session: StoredSession, sec: number): Sums {
  const { versionId: version_id, organizationId: organization_id, videoId: video_id } = session
  return heat.rowOf(`${version_id} ${sec}`, () => ({ version_id, organization_id, video_id, sec }))
}

function bump(sums: Sums, column: string, n: number): void {
  sums[column] = (sums[column] ?? 0) + n
}

/** Somebody who saw a second in two sessions is one viewer of it: only what is covered anew is added. */
function addViewer(heat: Ledger, own: Change[]): void {
  const [first] = own
  if (!first) return
  const coverageOf = (which: 'before' | 'after') =>
    unionOf(own.flatMap((change) => (counts(change[which]) ? (change[which]?.coverage ?? []) : [])))
  const step = (sign: 1 | -1) => (sec: number, n: number) =>
    bump(heatAt(heat, first.session, sec), 'viewers_delta', sign * n)
  addCurve(coverageOf('before'), step(-1))
  addCurve(coverageOf('after'), step(1))
}

function addEvents(
  heat: Ledger,
  session: StoredSession,
  { events, sign }: { events: Map<number, PlayEvent>; sign: 1 | -1 },
): void {
  const count = (ms: unknown, column: string) => {
    if (typeof ms === 'number') bump(heatAt(heat, session, secondOf(ms, session)), column, sign)
  }
  for (const { type, positionMs, data } of events.values()) {
    if (type === 'pause') count(positionMs, 'pauses')
    if (type !== 'seek') continue
    count(data?.['from'], 'seek_out')
    count(data?.['to'], 'seek_in')
  }
}

/** The second that an instant of the video lies in; the very end belongs to the last one. */
function secondOf(ms: number, { durationMs }: StoredSession): number {
  const last = Math.max(0, Math.ceil(durationMs / 1000) - 1)
  return Math.min(last, Math.max(0, Math.floor(ms / 1000)))
}

/** The first second whose middle is not before this instant. */
const middleFrom = (ms: number) => Math.max(0, Math.ceil((ms - 500) / 1000))

/** Second s belongs to a range that contains the instant s + 0.5 s. Tells the steps of the curve. */
function addCurve(ranges: Ranges, step: (sec: number, n: number) => void): void {
  for (const [start, end] of ranges) {
    const [from, to] = [middleFrom(start), middleFrom(end)]
    if (from >= to) continue
    step(from, 1)
    step(to, -1)
  }
}

/** One statement, which finds each row by its key whatever the planner believes; a row that has come to nothing goes. */
async function write(tx: Tx, { table, rows }: Ledger): Promise<void> {
  const changed = [...rows.values()].flatMap((row) =>
    table.sums.some((sum) => row.sums[sum] !== 0) ? [Object.assign(row.key, row.sums)] : [],
  )
  if (changed.length === 0) return
  const name = sql.raw(table.name)
  const columns = { ...table.key, ...table.facts }
  const text = (list: readonly string[], of: (column: string) => string, by = ', ') =>
    sql.raw(list.map(of).join(by))
  const typed = [
    ...Object.entries(columns).map(([column, type]) => `${column} ${type}`),
    ...table.sums.map((sum) => `${sum} bigint`),
  ].join(', ')
  const keys = Object.keys(table.key)
  const keyColumns = text(keys, String)
  const all = text([...Object.keys(columns), ...table.sums], String)
  const emptied = await dbRows<object>(
    tx,
    sql`with written as (insert into ${name} as t (${all}) select ${all} from ${recordset(changed)} as g(${sql.raw(typed)})
        on conflict (${keyColumns}) do update set ${text(table.sums, (sum) => `${sum} = t.${sum} + excluded.${sum}`)} returning t.*)
      select ${keyColumns} from written where ${text(table.sums, (sum) => `${sum} = 0`, ' and ')}`,
  )
  if (emptied.length === 0) return
  const keyTypes = Object.entries(table.key).map(([column, type]) => `${column} ${type}`)
  await tx.execute(sql`delete from ${name} t using ${recordset(emptied)} as g(${sql.raw(keyTypes.join(', '))})
    where ${text(keys, (column) => `t.${column} = g.${column}`, ' and ')}`)
}
