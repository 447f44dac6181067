import * as z from 'zod/mini'
import { refusals } from '#contract/evidence/evidence.ts'
import { sessionFlags, spanFlags, type SpanRefusal } from '#contract/tracking/track-limits.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { arrayOf, rows, together, type Tx } from '#server/platform/db/client.ts'
import { idsOf } from '#server/platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { PlayClaims } from '#server/tracking/ingest/token.ts'
import { SpanFacts } from './credit.ts'
import { isDoubtful, markVouched } from './served/doubt.ts'
import { columnsOf, epochMs, listed, selected } from './lists.ts'
import { LogRow, Outcome, StoredFacts, type StoredSession } from './stored-session.ts'

const logColumns = (
  claims: SQL,
) => sql`id, received_at::text as at, ${sql.raw(epochMs('received_at'))} as "receivedAt", session_id as "sessionId",
  batch::float8 as batch, elapsed_ms::float8 as "elapsedMs", ${claims} as claims, spans, events, state, ended, dropped, capped,
  user_agent as "userAgent", network`

export const PendingRow = z.extend(LogRow, { id: z.string(), at: z.string() })
export type PendingRow = z.infer<typeof PendingRow>

const ClaimedRow = z.extend(z.omit(PendingRow, { claims: true }), { claims: z.nullable(PlayClaims) })

/**
 * Reads batches of one video that are not aggregated yet, oldest first. `since` is when the oldest came, so that no other day of the log is
 * looked at. `at` keeps the exact instant, which is half of the key.
 */
export async function pendingRows(
  tx: Tx,
  videoId: string,
  { since, limit }: { since: string; limit: number },
): Promise<PendingRow[]> {
  // All tokens of a session are the same one, the largest part of a row; it is read once.
  const found = await rows(
    tx,
    ClaimedRow,
    sql`select ${logColumns(sql`case when n = 1 then claims end`)} from (
        select b.*, row_number() over (partition by session_id) as n from (
          select * from track_batches where video_id = ${videoId} and not folded
            and received_at >= ${since}::timestamptz order by received_at limit ${limit}) b) b`,
  )
  const tokens = new Map<string, PlayClaims>()
  for (const { sessionId, claims } of found) if (claims) tokens.set(sessionId, claims)
  return found
    .flatMap((one) => {
      const claims = tokens.get(one.sessionId)
      return claims ? [Object.assign(one, { claims })] : []
    })
    .sort((a, b) => a.receivedAt - b.receivedAt)
}

/** Reads everything that the log still keeps of these sessions, all of it received in that time. */
export async function rowsOfSessions(
  tx: Tx,
  sessionIds: string[],
  { since, until }: { since: string; until: string },
): Promise<LogRow[]> {
  return rows(
    tx,
    PendingRow,
    sql`select ${logColumns(sql`claims`)} from track_batches where session_id = any(${arrayOf(sessionIds, 'uuid')})
        and received_at between ${since}::timestamptz and ${until}::timestamptz
        and not exists (select from set_aside s where s.loop = 'evidence' and s.item = video_id || ' ' || track_batches.id) order by received_at`,
  )
}

const LogKey = z.object({ id: z.string(), at: z.string() })
/** The key names a batch in the log; `at` keeps the exact instant. */
export type LogKey = z.infer<typeof LogKey>

/** Reads the keys of the same batches as `pendingRows`, without what they say. */
export function pendingKeys(
  tx: Tx,
  videoId: string,
  { since, limit }: { since: string; limit: number },
): Promise<LogKey[]> {
  return rows(
    tx,
    LogKey,
    sql`select id, received_at::text as at from track_batches where video_id = ${videoId} and not folded
      and received_at >= ${since}::timestamptz order by received_at limit ${limit}`,
  )
}

/** Reads batches in the order of their keys. Those that are not kept any more are left out. */
export function rowsOfLog(tx: Tx, keys: readonly LogKey[]): Promise<LogRow[]> {
  return rows(
    tx,
    PendingRow,
    sql`select ${logColumns(sql`claims`)} from track_batches where id = any(${idsOf(keys)})
      and received_at between ${keys[0]?.at ?? null}::timestamptz and ${keys.at(-1)?.at ?? null}::timestamptz order by received_at`,
  )
}

/**
 * Marks batches as aggregated. The rows are found by the index of what waits, and the ids are compared in a form that the planner makes a
 * look-up in a hash of.
 */
export async function markAggregated(tx: Tx, videoId: string, done: readonly LogKey[]): Promise<void> {
  const ids = idsOf(done)
  await tx.execute(sql`
    update track_batches set folded = true
    where video_id = ${videoId} and not folded
      and received_at between ${done[0]?.at ?? null}::timestamptz and ${done.at(-1)?.at ?? null}::timestamptz
      and (id in (select unnest(${ids}))) is true`)
}

const SessionRow = z.extend(z.extend(StoredFacts, Outcome.shape), {
  batches: z.string(),
  coverage: z.string(),
})
type SessionRow = z.infer<typeof SessionRow>

/** This is a span with what became of it. */
export const JudgedSpan = z.extend(SpanFacts, { refused: z.nullable(z.enum(refusals)) })
export type JudgedSpan = z.infer<typeof JudgedSpan>
const SpanRow = z.extend(JudgedSpan, { sessionId: z.string() })

/** Reads the spans of these sessions (a condition on their ids), session by session in the order of their index. */
export function spansOf(tx: Tx, sessions: SQL): Promise<z.infer<typeof SpanRow>[]> {
  return rows(
    tx,
    SpanRow,
    sql`select ${selected(spanTypes)} from play_spans where session_id ${sessions} order by session_id, i`,
  )
}

/** Reads every session that these viewers ever had with the video, with its spans in the order of their index. */
export async function sessionsOf(tx: Tx, videoId: string, viewerKeys: string[]): Promise<StoredSession[]> {
  const whose = sql`video_id = ${videoId} and viewer_key = any(${arrayOf(viewerKeys, 'text')})`
  const [found, spans] = await together(
    rows(
      tx,
      SessionRow,
      sql`select ${selected(sessionTypes)} from play_sessions where ${whose} order by started_at, id`,
    ),
    spansOf(tx, sql`in (select id from play_sessions where ${whose})`),
  )
  const sessions = new Map(found.map((one) => [one.id, sessionFrom(one)]))
  await markVouched(tx, sessions.values())
  for (const { sessionId, refused, ...span } of spans) {
    const session = sessions.get(sessionId)
    session?.spans.push(span)
    session?.refusals.set(span.i, refused)
  }
  return [...sessions.values()]
}

function sessionFrom(row: SessionRow): StoredSession {
  const { coverage, passes, watchMs, wallMs, batchesSeen, batchesExpected, ...facts } = row
  const flags = facts.flags | (isDoubtful(facts.flags) ? spanFlags.program : 0)
  const { position } = facts
  const batches = parseRanges(row.batches)
  const sums = { watchMs, wallMs, batchesSeen, batchesExpected, flags: facts.flags, position }
  return {
    ...facts,
    flags,
    batches,
    isPersons: !isDoubtful(flags) || (flags & sessionFlags.mixed) !== 0,
    isVouched: false,
    networkBatch: batches[0]?.[0] ?? Infinity,
    spans: [],
    refusals: new Map(),
    stored: { ...sums, coverage: parseRanges(coverage), passes },
    touched: false,
    changedSpans: new Set(),
  }
}

const sessionTypes = {
  id: 'uuid',
  organizationId: 'uuid',
  videoId: 'uuid',
  versionId: 'uuid',
  transmissionId: 'uuid',
  deliveryId: 'uuid',
  userId: 'uuid',
  viewerKey: 'text',
  startedAt: 'ms',
  zeroAt: 'ms',
  lastAt: 'ms',
  impressionMs: 'int',
  durationMs: 'int',
  maxRate: 'int',
  theta: 'float8',
  position: 'int',
  positionBatch: 'int',
  batches: 'int4multirange',
  dropped: 'int',
  ended: 'bool',
  userAgent: 'text',
  network: 'text',
  run: 'uuid',
  saidBy: 'text',
  signedInBy: 'text',
  flags: 'int',
  coverage: 'int4multirange',
  passes: 'int[]',
  watchMs: 'bigint',
  wallMs: 'bigint',
  batchesSeen: 'int',
  batchesExpected: 'int',
} as const

/** Writes sessions. Only the aggregation does so, one process per video, so what was read and merged is simply written back. */
export async function writeSessions(
  tx: Tx,
  list: { session: StoredSession; after: Outcome }[],
): Promise<void> {
  if (list.length === 0) return
  const columns = columnsOf(sessionTypes)
  const sessions = list.map(({ session, after }) => ({ ...session, ...after }))
  await tx.execute(sql`
    insert into play_sessions (${columns}) select ${columns} from ${listed(sessions, sessionTypes)} g
    on conflict (id) do update set zero_at = excluded.zero_at, last_at = excluded.last_at, impression_ms = excluded.impression_ms,
      position = excluded.position, position_batch = excluded.position_batch, batches = excluded.batches,
      dropped = excluded.dropped, ended = excluded.ended, user_agent = excluded.user_agent, network = excluded.network, run = excluded.run,
      said_by = excluded.said_by, signed_in_by = excluded.signed_in_by,
      flags = excluded.flags, coverage = excluded.coverage, passes = excluded.passes, watch_ms = excluded.watch_ms,
      wall_ms = excluded.wall_ms, batches_seen = excluded.batches_seen, batches_expected = excluded.batches_expected`)
}

const spanTypes = {
  sessionId: 'uuid',
  i: 'int',
  startMs: 'int',
  endMs: 'int',
  wallMs: 'int',
  rate: 'int',
  flags: 'int',
  beganMs: 'bigint',
  seenMs: 'bigint',
  refused: 'text',
} as const

/** Writes spans that have grown, and those that are judged otherwise than before. */
export async function writeSpans(
  tx: Tx,
  list: { session: StoredSession; refused: ReadonlyMap<number, SpanRefusal | null> }[],
): Promise<void> {
  const changed = list.flatMap(({ session, refused }) => {
    const { id: sessionId, organizationId } = session
    const refusalOf = (i: number) => refused.get(i) ?? null
    return session.spans
      .filter(({ i }) => session.changedSpans.has(i) || (session.refusals.get(i) ?? null) !== refusalOf(i))
      .map((span) => Object.assign({ sessionId, organizationId, refused: refusalOf(span.i) }, span))
  })
  if (changed.length === 0) return
  const written = { ...spanTypes, organizationId: 'uuid' } as const
  const columns = columnsOf(written)
  await tx.execute(sql`
    insert into play_spans (${columns}) select ${columns} from ${listed(changed, written)} g
    on conflict (session_id, i) do update set start_ms = excluded.start_ms, end_ms = excluded.end_ms, wall_ms = excluded.wall_ms,
      rate = excluded.rate, flags = excluded.flags, began_ms = excluded.began_ms, seen_ms = excluded.seen_ms,
      refused = excluded.refused`)
}
