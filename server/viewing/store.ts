import { parseRanges, type Ranges } from '#server/db/columns.ts'
import { arrayOf, rows, type Tx } from '#server/db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import type { SessionFacts, SpanFacts } from './credit.ts'
import type { LogRow, SessionPatch } from './merge.ts'

/** A merged session as it is stored, with its spans. Times are epoch milliseconds. */
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
  batches: Ranges
  flags: number
  watchMs: number
  refusals: Map<number, string | null>
}

const epochMs = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`)

/** Many rows as one parameter; the statement says their types in `as g(…)`. */
export function recordset(list: object[]): SQL {
  return sql`json_to_recordset(${JSON.stringify(list)}::json)`
}

export const instant = (ms: number | null) => (ms === null ? null : new Date(Math.round(ms)).toISOString())
export const rangesText = (ranges: Ranges) => `{${ranges.map(([a, b]) => `[${a},${b})`).join(',')}}`

export type PendingRow = LogRow & { id: string; at: string }

/** Batches of one video that are not folded yet, oldest first. `at` keeps the exact instant, which is half of the key. */
export async function pendingRows(tx: Tx, videoId: string, limit: number): Promise<PendingRow[]> {
  return rows<PendingRow>(
    tx,
    sql`select id, received_at::text as at, ${epochMs('received_at')} as "receivedAt", session_id as "sessionId",
        batch::float8 as batch, elapsed_ms::float8 as "elapsedMs", claims, spans, events, state, capped, user_agent as "userAgent"
      from track_batches where video_id = ${videoId} and not folded order by received_at limit ${limit}`,
  )
}

export async function markFolded(tx: Tx, done: PendingRow[]): Promise<void> {
  await tx.execute(sql`
    update track_batches t set folded = true
    from unnest(${arrayOf(
      done.map(({ at }) => at),
      'timestamptz',
    )}, ${arrayOf(
      done.map(({ id }) => id),
      'uuid',
    )}) as g(at, id)
    where t.received_at = g.at and t.id = g.id
      and t.received_at between ${done[0]?.at ?? null}::timestamptz and ${done.at(-1)?.at ?? null}::timestamptz`)
}

/** Merges patches with what is stored; every column by minimum, maximum or union. */
export async function mergeSessions(tx: Tx, patches: Map<string, SessionPatch>): Promise<void> {
  const list = [...patches].map(([id, { claims, ...patch }]) => ({
    id,
    organization_id: claims.org,
    video_id: claims.video,
    version_id: claims.version,
    transmission_id: claims.transmission,
    delivery_id: claims.delivery,
    user_id: /^(?:recipient|user):(.+)$/.exec(claims.viewerKey)?.[1],
    viewer_key: claims.viewerKey,
    started_at: instant(claims.iat),
    zero_at: instant(patch.zeroAt),
    last_at: instant(patch.lastAt),
    impression_ms: patch.impressionMs,
    duration_ms: claims.durMs,
    max_rate: Math.round(claims.maxRate * 100),
    theta: claims.theta,
    position: patch.position.ms,
    position_batch: patch.position.batch,
    batches: rangesText([...patch.batches].map((n) => [n, n + 1])),
    flags: patch.flags,
    user_agent: patch.userAgent,
  }))
  await tx.execute(sql`
    insert into play_sessions as p (id, organization_id, video_id, version_id, transmission_id, delivery_id, user_id, viewer_key,
      started_at, zero_at, last_at, impression_ms, duration_ms, max_rate, theta, position, position_batch, batches, flags, user_agent)
    select * from ${recordset(list)} as g(id uuid, organization_id uuid, video_id uuid, version_id uuid,
      transmission_id uuid, delivery_id uuid, user_id uuid, viewer_key text, started_at timestamptz, zero_at timestamptz,
      last_at timestamptz, impression_ms int, duration_ms int, max_rate int, theta float8, position int, position_batch int,
      batches int4multirange, flags int, user_agent text)
    on conflict (id) do update set
      zero_at = least(p.zero_at, excluded.zero_at),
      last_at = greatest(p.last_at, excluded.last_at),
      impression_ms = least(p.impression_ms, excluded.impression_ms),
      position = case when excluded.position_batch > p.position_batch then excluded.position else p.position end,
      position_batch = greatest(p.position_batch, excluded.position_batch),
      batches = p.batches + excluded.batches,
      flags = p.flags | excluded.flags,
      user_agent = coalesce(p.user_agent, excluded.user_agent)`)
}

/** The twin of `mergeSpan` in `merge.ts`. */
export async function mergeSpans(tx: Tx, patches: Map<string, SessionPatch>): Promise<void> {
  const list = [...patches].flatMap(([sessionId, { claims, spans }]) =>
    [...spans.values()].map((span) => ({
      session_id: sessionId,
      organization_id: claims.org,
      i: span.i,
      start_ms: span.startMs,
      end_ms: span.endMs,
      wall_ms: span.wallMs,
      rate: span.rate,
      flags: span.flags,
      began_ms: span.beganMs,
      seen_ms: span.seenMs,
    })),
  )
  if (list.length === 0) return
  await tx.execute(sql`
    insert into play_spans as p (session_id, organization_id, i, start_ms, end_ms, wall_ms, rate, flags, began_ms, seen_ms)
    select * from ${recordset(list)} as g(session_id uuid, organization_id uuid, i int, start_ms int, end_ms int,
      wall_ms int, rate int, flags int, began_ms bigint, seen_ms bigint)
    on conflict (session_id, i) do update set
      start_ms = least(p.start_ms, excluded.start_ms),
      end_ms = greatest(p.end_ms, excluded.end_ms),
      wall_ms = greatest(p.wall_ms, excluded.wall_ms),
      rate = greatest(p.rate, excluded.rate),
      flags = p.flags | excluded.flags,
      began_ms = least(p.began_ms, excluded.began_ms),
      seen_ms = case when excluded.wall_ms > p.wall_ms then excluded.seen_ms
        when excluded.wall_ms = p.wall_ms then least(p.seen_ms, excluded.seen_ms) else p.seen_ms end`)
}

type SessionRow = Omit<StoredSession, 'batches' | 'spans' | 'refusals'> & { batches: string }
type SpanRow = SpanFacts & { sessionId: string; refused: string | null }

/** Every session that these viewers ever had with the video, spans in the order of their index. */
export async function sessionsOf(tx: Tx, videoId: string, viewerKeys: string[]): Promise<StoredSession[]> {
  const found = await rows<SessionRow>(
    tx,
    sql`select id, organization_id as "organizationId", video_id as "videoId", version_id as "versionId", transmission_id as "transmissionId",
        delivery_id as "deliveryId", user_id as "userId", viewer_key as "viewerKey", ${epochMs('started_at')} as "startedAt",
        ${epochMs('zero_at')} as "zeroAt", ${epochMs('last_at')} as "lastAt", impression_ms as "impressionMs",
        duration_ms as "durationMs", max_rate as "maxRate", theta, position, batches::text as batches, flags,
        watch_ms::float8 as "watchMs"
      from play_sessions where video_id = ${videoId} and viewer_key = any(${arrayOf(viewerKeys, 'text')})
      order by started_at, id`,
  )
  const sessions = new Map<string, StoredSession>()
  for (const { batches, ...session } of found)
    sessions.set(session.id, { ...session, batches: parseRanges(batches), spans: [], refusals: new Map() })
  const spans = await rows<SpanRow>(
    tx,
    sql`select session_id as "sessionId", i, start_ms as "startMs", end_ms as "endMs", wall_ms as "wallMs", rate, flags,
        began_ms::float8 as "beganMs", seen_ms::float8 as "seenMs", refused
      from play_spans where session_id = any(${arrayOf([...sessions.keys()], 'uuid')}) order by session_id, i`,
  )
  for (const { sessionId, refused, ...span } of spans) {
    const session = sessions.get(sessionId)
    session?.spans.push(span)
    session?.refusals.set(span.i, refused)
  }
  return [...sessions.values()]
}
