import * as z from 'zod/mini'
import { refusals } from '#contract/evidence.ts'
import type { SpanRefusal } from '#contract/track-limits.ts'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import { arrayOf, rows, together, type Tx } from '#server/platform/db/client.ts'
import { idsOf } from '#server/platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { PlayClaims } from '#server/tracking/token.ts'
import { type SessionFacts, SpanFacts } from './credit.ts'
import { listed } from './lists.ts'
import { LogRow } from './merge.ts'

/** What a session is worth: everything that the sums of videos, days and viewers are made of. */
export const Outcome = z.object({
  flags: z.number(),
  coverage: z.array(z.tuple([z.number(), z.number()])),
  /** Stretches that earned credit, repeats kept. */
  passes: z.array(z.tuple([z.number(), z.number()])),
  watchMs: z.number(),
  wallMs: z.number(),
  position: z.number(),
  batchesSeen: z.number(),
  batchesExpected: z.number(),
})
export type Outcome = z.infer<typeof Outcome>

/** A session with its spans, in the order of their index. Times are epoch milliseconds. */
export type StoredSession = SessionFacts & {
  organizationId: string
  videoId: string
  versionId: string
  transmissionId: string | null
  deliveryId: string | null
  userId: string | null
  viewerKey: string
  lastAt: number
  impressionMs: number | null
  theta: number
  position: number
  positionBatch: number
  batches: Ranges
  dropped: number
  ended: boolean
  flags: number
  userAgent: string | null
  network: string | null
  /** The run that kept a record of what was handed out when it opened; null: none was kept. */
  run: string | null
  /** The batch that came from `network`. */
  networkBatch: number
  refusals: Map<number, string | null>
  /** As it stands in the sums now; null while it is in none. */
  stored: Outcome | null
  /** Something new was merged into it. */
  touched: boolean
  changedSpans: Set<number>
}

/** Columns hold whole milliseconds; what the conversion adds to them is rounded away. */
const epochMs = (column: string) => sql.raw(`round(date_part('epoch', ${column}) * 1000)`)

const passesText = (ranges: Ranges) => `{${ranges.map(([a, b]) => `{${a},${b}}`).join(',')}}`
export const rangesText = (ranges: Ranges) => `{${ranges.map(([a, b]) => `[${a},${b})`).join(',')}}`

const logColumns = (
  claims: SQL,
) => sql`id, received_at::text as at, ${epochMs('received_at')} as "receivedAt", session_id as "sessionId",
  batch::float8 as batch, elapsed_ms::float8 as "elapsedMs", ${claims} as claims, spans, events, state, ended, dropped, capped,
  user_agent as "userAgent", network`

export const PendingRow = z.extend(LogRow, { id: z.string(), at: z.string() })
export type PendingRow = z.infer<typeof PendingRow>

const ClaimedRow = z.extend(z.omit(PendingRow, { claims: true }), { claims: z.nullable(PlayClaims) })

/**
 * Batches of one video that are not aggregated yet, oldest first; `since`: when the oldest came, so that no other day of the log is
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

/** Everything that the log still keeps of these sessions, all of it received in that time. */
export async function rowsOfSessions(
  tx: Tx,
  sessionIds: string[],
  { since, until }: { since: string; until: string },
): Promise<LogRow[]> {
  return rows(
    tx,
    PendingRow,
    sql`select ${logColumns(sql`claims`)} from track_batches where session_id = any(${arrayOf(sessionIds, 'uuid')})
        and received_at between ${since}::timestamptz and ${until}::timestamptz order by received_at`,
  )
}

/** Reads what waits by its own index; the test for the ids is made in a way that the planner keeps apart, as a lookup in a hash. */
export async function markAggregated(tx: Tx, videoId: string, done: PendingRow[]): Promise<void> {
  const ids = idsOf(done)
  await tx.execute(sql`
    update track_batches set folded = true
    where video_id = ${videoId} and not folded
      and received_at between ${done[0]?.at ?? null}::timestamptz and ${done.at(-1)?.at ?? null}::timestamptz
      and (id in (select unnest(${ids}))) is true`)
}

const SessionRow = z.extend(
  z.extend(
    z.object({
      id: z.string(),
      organizationId: z.string(),
      network: z.nullable(z.string()),
      lastAt: z.number(),
      dropped: z.number(),
      userId: z.nullable(z.string()),
      maxRate: z.number(),
      durationMs: z.number(),
      versionId: z.string(),
      videoId: z.string(),
      startedAt: z.number(),
      position: z.number(),
      transmissionId: z.nullable(z.string()),
      viewerKey: z.string(),
      theta: z.number(),
      flags: z.number(),
      userAgent: z.nullable(z.string()),
      zeroAt: z.number(),
      ended: z.boolean(),
      deliveryId: z.nullable(z.string()),
      impressionMs: z.nullable(z.number()),
      positionBatch: z.number(),
      run: z.nullable(z.string()),
    }),
    z.omit(Outcome, { coverage: true, flags: true, position: true }).shape,
  ),
  { batches: z.string(), coverage: z.string() },
)
type SessionRow = z.infer<typeof SessionRow>
const SpanRow = z.extend(SpanFacts, {
  sessionId: z.string(),
  refused: z.nullable(z.enum(refusals)),
})
type SpanRow = z.infer<typeof SpanRow>

/** Every session that these viewers ever had with the video, spans in the order of their index. */
export async function sessionsOf(tx: Tx, videoId: string, viewerKeys: string[]): Promise<StoredSession[]> {
  const whose = sql`video_id = ${videoId} and viewer_key = any(${arrayOf(viewerKeys, 'text')})`
  const [found, spans] = await together(
    rows(
      tx,
      SessionRow,
      sql`select id, organization_id as "organizationId", video_id as "videoId", version_id as "versionId", transmission_id as "transmissionId",
          delivery_id as "deliveryId", user_id as "userId", viewer_key as "viewerKey", ${epochMs('started_at')} as "startedAt",
          ${epochMs('zero_at')} as "zeroAt", ${epochMs('last_at')} as "lastAt", impression_ms as "impressionMs",
          duration_ms as "durationMs", max_rate as "maxRate", theta, position, position_batch as "positionBatch",
          batches::text as batches, dropped, ended, flags, user_agent as "userAgent", network, run, coverage::text as coverage, passes,
          watch_ms::float8 as "watchMs", wall_ms::float8 as "wallMs", batches_seen as "batchesSeen", batches_expected as "batchesExpected"
        from play_sessions where ${whose} order by started_at, id`,
    ),
    rows(
      tx,
      SpanRow,
      sql`select session_id as "sessionId", i, start_ms as "startMs", end_ms as "endMs", wall_ms as "wallMs", rate, flags,
          began_ms::float8 as "beganMs", seen_ms::float8 as "seenMs", refused
        from play_spans where session_id in (select id from play_sessions where ${whose}) order by session_id, i`,
    ),
  )
  const sessions = new Map(found.map((one) => [one.id, sessionFrom(one)]))
  for (const { sessionId, refused, ...span } of spans) {
    const session = sessions.get(sessionId)
    session?.spans.push(span)
    session?.refusals.set(span.i, refused)
  }
  return [...sessions.values()]
}

function sessionFrom(row: SessionRow): StoredSession {
  const { coverage, passes, watchMs, wallMs, batchesSeen, batchesExpected, ...facts } = row
  const { flags, position } = facts
  const batches = parseRanges(row.batches)
  const sums = { watchMs, wallMs, batchesSeen, batchesExpected, flags, position }
  return {
    ...facts,
    batches,
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
  organization_id: 'uuid',
  video_id: 'uuid',
  version_id: 'uuid',
  transmission_id: 'uuid',
  delivery_id: 'uuid',
  user_id: 'uuid',
  viewer_key: 'text',
  started_at: 'ms',
  zero_at: 'ms',
  last_at: 'ms',
  impression_ms: 'int',
  duration_ms: 'int',
  max_rate: 'int',
  theta: 'float8',
  position: 'int',
  position_batch: 'int',
  batches: 'int4multirange',
  dropped: 'int',
  ended: 'bool',
  user_agent: 'text',
  network: 'text',
  run: 'uuid',
  flags: 'int',
  coverage: 'int4multirange',
  passes: 'int[]',
  watch_ms: 'bigint',
  wall_ms: 'bigint',
  batches_seen: 'int',
  batches_expected: 'int',
} as const

/** Only the aggregation writes here, one process per video, so what was read and merged is simply written back. */
export async function writeSessions(
  tx: Tx,
  list: { session: StoredSession; after: Outcome }[],
): Promise<void> {
  if (list.length === 0) return
  const records = list.map(({ session, after }) => ({
    id: session.id,
    organization_id: session.organizationId,
    video_id: session.videoId,
    version_id: session.versionId,
    transmission_id: session.transmissionId,
    delivery_id: session.deliveryId,
    user_id: session.userId,
    viewer_key: session.viewerKey,
    started_at: session.startedAt,
    zero_at: session.zeroAt,
    last_at: session.lastAt,
    impression_ms: session.impressionMs,
    duration_ms: session.durationMs,
    max_rate: session.maxRate,
    theta: session.theta,
    position: session.position,
    position_batch: session.positionBatch,
    batches: rangesText(session.batches),
    dropped: session.dropped,
    ended: session.ended,
    user_agent: session.userAgent,
    network: session.network,
    run: session.run,
    flags: after.flags,
    coverage: rangesText(after.coverage),
    passes: passesText(after.passes),
    watch_ms: after.watchMs,
    wall_ms: after.wallMs,
    batches_seen: after.batchesSeen,
    batches_expected: after.batchesExpected,
  }))
  const columns = sql.raw(Object.keys(sessionTypes).join(', '))
  await tx.execute(sql`
    insert into play_sessions (${columns}) select ${columns} from ${listed(records, sessionTypes)} g
    on conflict (id) do update set zero_at = excluded.zero_at, last_at = excluded.last_at, impression_ms = excluded.impression_ms,
      position = excluded.position, position_batch = excluded.position_batch, batches = excluded.batches,
      dropped = excluded.dropped, ended = excluded.ended, user_agent = excluded.user_agent, network = excluded.network, run = excluded.run,
      flags = excluded.flags, coverage = excluded.coverage, passes = excluded.passes, watch_ms = excluded.watch_ms,
      wall_ms = excluded.wall_ms, batches_seen = excluded.batches_seen, batches_expected = excluded.batches_expected`)
}

const spanTypes = {
  session_id: 'uuid',
  organization_id: 'uuid',
  i: 'int',
  start_ms: 'int',
  end_ms: 'int',
  wall_ms: 'int',
  rate: 'int',
  flags: 'int',
  began_ms: 'bigint',
  seen_ms: 'bigint',
  refused: 'text',
} as const

/** Spans that have grown, and those that are judged otherwise than before. */
export async function writeSpans(
  tx: Tx,
  list: { session: StoredSession; refused: ReadonlyMap<number, SpanRefusal | null> }[],
): Promise<void> {
  const records = list.flatMap(({ session, refused }) =>
    session.spans
      .filter(
        ({ i }) =>
          session.changedSpans.has(i) || (session.refusals.get(i) ?? null) !== (refused.get(i) ?? null),
      )
      .map((span) => ({
        session_id: session.id,
        organization_id: session.organizationId,
        i: span.i,
        start_ms: span.startMs,
        end_ms: span.endMs,
        wall_ms: span.wallMs,
        rate: span.rate,
        flags: span.flags,
        began_ms: span.beganMs,
        seen_ms: span.seenMs,
        refused: refused.get(span.i) ?? null,
      })),
  )
  if (records.length === 0) return
  const columns = sql.raw(Object.keys(spanTypes).join(', '))
  await tx.execute(sql`
    insert into play_spans (${columns}) select ${columns} from ${listed(records, spanTypes)} g
    on conflict (session_id, i) do update set start_ms = excluded.start_ms, end_ms = excluded.end_ms, wall_ms = excluded.wall_ms,
      rate = excluded.rate, flags = excluded.flags, began_ms = excluded.began_ms, seen_ms = excluded.seen_ms,
      refused = excluded.refused`)
}
