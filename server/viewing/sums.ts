import { sessionFlags } from '#contract/track-limits.ts'
import type { Ranges } from '#server/db/columns.ts'
import type { Tx } from '#server/db/client.ts'
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
  for (const ledger of Object.values(ledgers)) await write(tx, ledger)
}

export const viewerOf = ({ session }: { session: StoredSession }) =>
  `${session.versionId} ${session.viewerKey}`

type Ledger = { table: SumTable; rows: Map<string, Key & Sums>; add: (key: Key, sums: Sums) => void }

function ledgerOf(table: SumTable): Ledger {
  const rows = new Map<string, Key & Sums>()
  const names = Object.keys(table.key)
  function add(key: Key, sums: Sums): void {
    const id = names.map((name) => key[name]).join(' ')
    const row = rows.get(id)
    if (!row) return void rows.set(id, Object.assign({}, key, sums))
    for (const [name, value] of Object.entries(sums)) row[name] = (row[name] ?? 0) + value
  }
  return { table, rows, add }
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
  if (!counts(outcome)) return dayRollups.add({ organization_id, day, video_id }, { bots: sign })
  const has = (flag: number) => ((outcome.flags & flag) === 0 ? 0 : sign)
  const plays = has(sessionFlags.played)
  const common = { sessions: sign, plays, watch_ms: sign * outcome.watchMs }
  dayRollups.add(
    { organization_id, day, video_id },
    {
      ...common,
      impressions: has(sessionFlags.impressed),
      anonymous: session.userId === null ? sign : 0,
      capped: has(sessionFlags.capped),
      refused: has(sessionFlags.refused),
      batches_seen: sign * outcome.batchesSeen,
      batches_expected: sign * outcome.batchesExpected,
    },
  )
  viewerDays.add(
    { organization_id, day, video_id, viewer_key: session.viewerKey, user_id: session.userId },
    { ...common, wall_ms: sign * outcome.wallMs },
  )
  const place = { version_id, organization_id, video_id }
  addCurve(outcome.passes, (sec, n) => {
    heat.add({ ...place, sec }, { passes_delta: sign * n })
    heatDays.add({ ...place, day, sec }, { passes_delta: sign * n })
  })
  addCurve(outcome.coverage, (sec, n) => heatDays.add({ ...place, day, sec }, { sessions_delta: sign * n }))
  if (plays !== 0) heat.add({ ...place, sec: secondOf(outcome.position, session) }, { exits: sign })
}

/** Somebody who saw a second in two sessions is one viewer of it: only what is covered anew is added. */
function addViewer(heat: Ledger, own: Change[]): void {
  const [first] = own
  if (!first) return
  const { versionId: version_id, organizationId: organization_id, videoId: video_id } = first.session
  const coverageOf = (which: 'before' | 'after') =>
    unionOf(own.flatMap((change) => (counts(change[which]) ? (change[which]?.coverage ?? []) : [])))
  const add = (sign: 1 | -1) => (sec: number, n: number) =>
    heat.add({ version_id, organization_id, video_id, sec }, { viewers_delta: sign * n })
  addCurve(coverageOf('before'), add(-1))
  addCurve(coverageOf('after'), add(1))
}

function addEvents(
  heat: Ledger,
  session: StoredSession,
  { events, sign }: { events: Map<number, PlayEvent>; sign: 1 | -1 },
): void {
  const { versionId: version_id, organizationId: organization_id, videoId: video_id } = session
  const add = (ms: unknown, column: string) => {
    if (typeof ms !== 'number') return
    heat.add({ version_id, organization_id, video_id, sec: secondOf(ms, session) }, { [column]: sign })
  }
  for (const { type, positionMs, data } of events.values()) {
    if (type === 'pause') add(positionMs, 'pauses')
    if (type !== 'seek') continue
    add(data?.['from'], 'seek_out')
    add(data?.['to'], 'seek_in')
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

/** One statement; a row that has come to nothing goes. */
async function write(tx: Tx, { table, rows }: Ledger): Promise<void> {
  const { name, key, facts, sums } = table
  const changed = [...rows.values()].filter((row) => sums.some((sum) => (row[sum] ?? 0) !== 0))
  if (changed.length === 0) return
  const columns = { ...key, ...facts }
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
  const each = (list: readonly string[], text: (column: string) => string, by = ', ') =>
    list.map(text).join(by)
  const parts = {
    types: [...types, ...sums.map((sum) => `${sum} bigint`)].join(', '),
    on: each(Object.keys(key), (column) => `t.${column} = g.${column}`, ' and '),
    nothing: each(sums, (sum) => `t.${sum} + coalesce(g.${sum}, 0) = 0`, ' and '),
    set: each(sums, (sum) => `${sum} = t.${sum} + coalesce(g.${sum}, 0)`),
    into: [...Object.keys(columns), ...sums].join(', '),
    values: [
      ...Object.keys(columns).map((column) => `g.${column}`),
      ...sums.map((sum) => `coalesce(g.${sum}, 0)`),
    ],
  }
  await tx.execute(sql`merge into ${sql.raw(name)} t using ${recordset(changed)} as g(${sql.raw(parts.types)})
    on ${sql.raw(parts.on)}
    when matched and ${sql.raw(parts.nothing)} then delete
    when matched then update set ${sql.raw(parts.set)}
    when not matched then insert (${sql.raw(parts.into)}) values (${sql.raw(parts.values.join(', '))})`)
}
