import * as z from 'zod/mini'
import type { TrackEvent } from '#contract/tracks.ts'
import { arrayOf, rows, type Tx } from '#server/platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { LogRow } from './merge.ts'
import { listed } from './lists.ts'
import type { StoredSession } from './store.ts'

/** Something that happened besides playing, as it is kept. */
export const PlayEvent = z.object({
  n: z.number(),
  type: z.string(),
  atMs: z.number(),
  positionMs: z.number(),
  data: z.nullable(z.record(z.string(), z.union([z.string(), z.number()]))),
})
export type PlayEvent = z.infer<typeof PlayEvent>

/** Events of one session by their number, before and after what has come now. */
export type EventChange = {
  session: StoredSession
  before: Map<number, PlayEvent>
  after: Map<number, PlayEvent>
}

/** What is kept, and which of its details. */
const kept: Record<string, readonly string[]> = {
  seek: ['from', 'to'],
  pause: [],
  stall: ['ms'],
  error: ['code'],
  rate: ['rate'],
  ended: [],
}

const EventRow = z.extend(PlayEvent, { sessionId: z.string() })
type EventRow = z.infer<typeof EventRow>

/**
 * Merges events into those that are there. An event never changes; should somebody send another one under the same number, the
 * least of them stays, whichever came first. `whole`: sessions whose events are wanted anyway, because they begin or cease to count.
 */
export async function mergeEvents(
  tx: Tx,
  sessions: Map<string, StoredSession>,
  { log, whole }: { log: LogRow[]; whole: string[] },
): Promise<EventChange[]> {
  const changes = new Map<string, EventChange>()
  const changeOf = (session: StoredSession) => {
    const change = changes.get(session.id) ?? { session, before: new Map(), after: new Map() }
    changes.set(session.id, change)
    return change
  }
  const known = new Set([...whole, ...speakingAgain(log, sessions)])
  for (const { sessionId, ...event } of await storedEvents(tx, known)) {
    const session = sessions.get(sessionId)
    if (!session) continue
    const change = changeOf(session)
    change.before.set(event.n, event)
    change.after.set(event.n, event)
  }
  for (const row of log) {
    const session = sessions.get(row.sessionId)
    if (!session) continue
    for (const event of eventsOf(row)) {
      const { after } = changeOf(session)
      const other = after.get(event.n)
      if (!other || comparable(event) < comparable(other)) after.set(event.n, event)
    }
  }
  return [...changes.values()]
}

function eventsOf({ events, claims }: LogRow): PlayEvent[] {
  return events.flatMap(([n, type, atMs, position, data]: TrackEvent) => {
    const details = Object.hasOwn(kept, type) ? kept[type] : undefined
    if (!details) return []
    const found = details.flatMap((name) => (data && Object.hasOwn(data, name) ? [[name, data[name]]] : []))
    return [
      {
        n,
        type,
        atMs,
        positionMs: Math.min(position, claims.durMs),
        data: found.length > 0 ? (Object.fromEntries(found) as Record<string, string | number>) : null,
      },
    ]
  })
}

function comparable({ type, atMs, positionMs, data }: PlayEvent): string {
  const number = (value: number) => String(value).padStart(14, '0')
  return `${number(atMs)} ${type} ${number(positionMs)} ${JSON.stringify(data)}`
}

/** Sessions that have something new to say and may have said something before. */
function speakingAgain(log: LogRow[], sessions: Map<string, StoredSession>): string[] {
  return log
    .filter((row) => sessions.get(row.sessionId)?.stored && eventsOf(row).length > 0)
    .map(({ sessionId }) => sessionId)
}

async function storedEvents(tx: Tx, sessionIds: Set<string>): Promise<EventRow[]> {
  if (sessionIds.size === 0) return []
  return rows(
    tx,
    EventRow,
    sql`select session_id as "sessionId", n, type, at_ms::float8 as "atMs", position_ms as "positionMs", data from play_events
      where session_id = any(${arrayOf([...sessionIds], 'uuid')})`,
  )
}

const types = {
  session_id: 'uuid',
  organization_id: 'uuid',
  n: 'int',
  type: 'text',
  at_ms: 'bigint',
  position_ms: 'int',
  data: 'jsonb',
} as const

export async function writeEvents(tx: Tx, changes: EventChange[]): Promise<void> {
  const records = changes.flatMap(({ session, before, after }) =>
    [...after.values()]
      .filter((event) => before.get(event.n) !== event)
      .map(({ n, type, atMs, positionMs, data }) => ({
        session_id: session.id,
        organization_id: session.organizationId,
        n,
        type,
        at_ms: atMs,
        position_ms: positionMs,
        data: data === null ? null : JSON.stringify(data),
      })),
  )
  if (records.length === 0) return
  const columns = sql.raw(Object.keys(types).join(', '))
  await tx.execute(sql`
    insert into play_events (${columns}) select ${columns} from ${listed(records, types)} g
    on conflict (session_id, n) do update set type = excluded.type, at_ms = excluded.at_ms,
      position_ms = excluded.position_ms, data = excluded.data`)
}
