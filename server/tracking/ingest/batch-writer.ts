import type { Tx } from '#server/platform/db/client.ts'
import { outageOf } from '#server/platform/db/outage.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { refuse } from '#server/platform/errors.ts'
import { inGroups, isOfValue, type Asked } from '#server/platform/groups.ts'
import type { PlayClaims } from '#server/tracking/ingest/token.ts'

/** An entry is one batch on its way into the raw log. `spans`, `events` and `state` are JSON texts. */
export type LogEntry = {
  receivedAt: Date
  claims: PlayClaims
  batch: number
  elapsedMs: number
  spans: string
  events: string
  state: string | null
  ended: boolean
  dropped: number
  capped: boolean
  userAgent: string | null
  network: string | null
}

type BatchWriter = {
  /** Resolves after COMMIT. Rejects when the entry is not in the log, with `storage_full`, `invalid_request` or `unavailable`. */
  append(entry: LogEntry): Promise<void>
  /** Returns how many entries wait for their group. */
  waiting(): number
  /** Resolves when everything that was appended has been written or refused. */
  drain(): Promise<void>
}

type Pending = Asked<LogEntry, void>

const groupSize = 1_000
/** Returns one list for each column, because a statement that is the same for one entry and for a thousand is prepared once. */
function insert(entries: readonly LogEntry[]): SQL {
  const list = (type: string, of: (entry: LogEntry) => unknown) =>
    sql`${sql.param(entries.map(of))}::${sql.raw(type)}[]`
  return sql`insert into track_batches (received_at, organization_id, session_id, video_id, version_id, batch, elapsed_ms,
      claims, spans, events, state, ended, dropped, capped, user_agent, network)
    select r, o, s, v, n, b, e, c::jsonb, p::jsonb, x::jsonb, t::jsonb, f, d, k, u, w
    from unnest(${list('timestamptz', (e) => e.receivedAt)}, ${list('uuid', (e) => e.claims.org)},
      ${list('uuid', (e) => e.claims.session)}, ${list('uuid', (e) => e.claims.video)}, ${list('uuid', (e) => e.claims.version)},
      ${list('bigint', (e) => e.batch)}, ${list('bigint', (e) => e.elapsedMs)}, ${list('text', (e) => JSON.stringify(e.claims))},
      ${list('text', (e) => e.spans)}, ${list('text', (e) => e.events)}, ${list('text', (e) => e.state)},
      ${list('bool', (e) => e.ended)}, ${list('int', (e) => e.dropped)}, ${list('bool', (e) => e.capped)},
      ${list('text', (e) => e.userAgent)}, ${list('text', (e) => e.network)}) as g(r, o, s, v, n, b, e, c, p, x, t, f, d, k, u, w)`
}

type Failed = (error: unknown) => void

/** Commits in groups. `failed` hears why a group could not be written. */
export function openBatchWriter(tx: Tx, failed: Failed = () => undefined): BatchWriter {
  const groups = inGroups<LogEntry, void>(groupSize, (group) => flush(tx, group, failed))
  return {
    append: (entry) => groups.ask(entry),
    waiting: () => groups.waiting(),
    drain: () => groups.drain(),
  }
}

async function flush(tx: Tx, group: readonly Pending[], failed: Failed): Promise<void> {
  try {
    await tx.execute(insert(group.map(({ item }) => item)))
    for (const { resolve } of group) resolve()
  } catch (error) {
    // Of several it is not known yet whose value it is.
    if (isOfValue(error) && group.length > 1) throw error
    if (!isOfValue(error)) failed(error)
    const refusal = isOfValue(error) ? refuse('invalid_request') : (outageOf(error) ?? refuse('unavailable'))
    for (const { reject } of group) reject(refusal)
  }
}
