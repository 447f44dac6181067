import pg from 'pg'
import { refuse } from '#server/platform/errors.ts'
import type { PlayClaims } from '#server/tracking/token.ts'

/** One batch on its way into the raw log. `spans`, `events` and `state` are JSON texts. */
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

export type BatchWriter = {
  /** Resolves after COMMIT; rejects with `unavailable` when the entry is not in the log. */
  append(entry: LogEntry): Promise<void>
  /** Entries that wait for their group. */
  waiting(): number
  /** Resolves when everything that was appended has been written or refused. */
  drain(): Promise<void>
}

type Pending = { entry: LogEntry; resolve: () => void; reject: (error: Error) => void }

const groupSize = 1_000
const insert = {
  name: 'track_batches_append',
  text: `insert into track_batches (received_at, organization_id, session_id, video_id, version_id, batch, elapsed_ms,
      claims, spans, events, state, ended, dropped, capped, user_agent, network)
    select r, o, s, v, n, b, e, c::jsonb, p::jsonb, x::jsonb, t::jsonb, f, d, k, u, w
    from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[],
      $8::text[], $9::text[], $10::text[], $11::text[], $12::bool[], $13::int[], $14::bool[], $15::text[],
      $16::text[]) as g(r, o, s, v, n, b, e, c, p, x, t, f, d, k, u, w)`,
}

/** Group commit without a timer: while one group commits, the next one forms. */
export function openBatchWriter(pool: pg.Pool): BatchWriter {
  let queue: Pending[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const group = queue.slice(0, groupSize)
      queue = queue.slice(groupSize)
      await flush(pool, group)
    }
    running = undefined
  }

  return {
    append(entry) {
      return new Promise((resolve, reject) => {
        queue.push({ entry, resolve, reject })
        running ??= run()
      })
    },
    waiting: () => queue.length,
    drain: async () => running,
  }
}

async function flush(pool: pg.Pool, group: Pending[]): Promise<void> {
  try {
    await pool.query({ ...insert, values: columnsOf(group.map(({ entry }) => entry)) })
    for (const { resolve } of group) resolve()
  } catch (error) {
    // A value that the database cannot hold must not take its neighbours with it.
    const data = error instanceof pg.DatabaseError && error.code?.startsWith('22') === true
    if (data && group.length > 1) for (const one of group) await flush(pool, [one])
    else for (const { reject } of group) reject(refuse(data ? 'invalid_request' : 'unavailable'))
  }
}

function columnsOf(entries: LogEntry[]): unknown[] {
  return [
    entries.map((e) => e.receivedAt),
    entries.map((e) => e.claims.org),
    entries.map((e) => e.claims.session),
    entries.map((e) => e.claims.video),
    entries.map((e) => e.claims.version),
    entries.map((e) => e.batch),
    entries.map((e) => e.elapsedMs),
    entries.map((e) => JSON.stringify(e.claims)),
    entries.map((e) => e.spans),
    entries.map((e) => e.events),
    entries.map((e) => e.state),
    entries.map((e) => e.ended),
    entries.map((e) => e.dropped),
    entries.map((e) => e.capped),
    entries.map((e) => e.userAgent),
    entries.map((e) => e.network),
  ]
}
