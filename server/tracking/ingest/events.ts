import * as z from 'zod/mini'
import type { TrackEvent } from '#contract/tracking/tracks.ts'
import { arrayOf, rows, type Tx } from '#server/platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { bearsSign } from '../programs.ts'
import { columnsOf, listed, selected } from '../lists.ts'
import type { LogRow, StoredSession } from '../stored-session.ts'

/** This happened besides playing, as it is kept. */
export const PlayEvent = z.object({
  n: z.number(),
  type: z.string(),
  atMs: z.number(),
  positionMs: z.number(),
  data: z.nullable(z.record(z.string(), z.union([z.string(), z.number()]))),
})
export type PlayEvent = z.infer<typeof PlayEvent>

/** These are the events of one session by their number, before and after what has come now. */
export type EventChange = {
  session: StoredSession
  before: Map<number, PlayEvent>
  after: Map<number, PlayEvent>
}

/** These types of events are kept, with these of their details. */
const storedDetails: Record<string, readonly string[]> = {
  seek: ['from', 'to'],
  pause: [],
  stall: ['ms'],
  error: ['code'],
  rate: ['rate'],
  ended: [],
}

const EventRow = z.extend(PlayEvent, { sessionId: z.string() })

/**
 * Merges events into those that are there. An event never changes; should somebody send another one under the same number, the least of
 * them stays, whichever came first. The events of sessions in `whole` are wanted anyway, because those begin or cease to count.
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
  const stored = known.size === 0 ? [] : await eventsIn(tx, sql`= any(${arrayOf([...known], 'uuid')})`)
  for (const { sessionId, ...event } of stored) {
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

function eventsOf({ events, claims, userAgent }: LogRow): PlayEvent[] {
  if (bearsSign(userAgent)) return []
  return events.flatMap(([n, type, atMs, position, data]: TrackEvent) => {
    const details = Object.hasOwn(storedDetails, type) ? storedDetails[type] : undefined
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

/** Returns the sessions that have something new to say and may have said something before. */
function speakingAgain(log: LogRow[], sessions: Map<string, StoredSession>): string[] {
  return log
    .filter((row) => sessions.get(row.sessionId)?.stored && eventsOf(row).length > 0)
    .map(({ sessionId }) => sessionId)
}

const types = {
  sessionId: 'uuid',
  n: 'int',
  type: 'text',
  atMs: 'bigint',
  positionMs: 'int',
  data: 'jsonb',
} as const

/** Reads the events of these sessions (a condition on their ids), session by session in the order of their number. */
export function eventsIn(tx: Tx, sessions: SQL): Promise<z.infer<typeof EventRow>[]> {
  return rows(
    tx,
    EventRow,
    sql`select ${selected(types)} from play_events where session_id ${sessions} order by session_id, n`,
  )
}

export async function writeEvents(tx: Tx, changes: EventChange[]): Promise<void> {
  const changed = changes.flatMap(({ session, before, after }) => {
    const whose = { sessionId: session.id, organizationId: session.organizationId }
    return [...after.values()]
      .filter((event) => before.get(event.n) !== event)
      .map(({ data, ...event }) => Object.assign(event, whose, { data: data && JSON.stringify(data) }))
  })
  if (changed.length === 0) return
  const written = { ...types, organizationId: 'uuid' } as const
  const columns = columnsOf(written)
  await tx.execute(sql`
    insert into play_events (${columns}) select ${columns} from ${listed(changed, written)} g
    on conflict (session_id, n) do update set type = excluded.type, at_ms = excluded.at_ms,
      position_ms = excluded.position_ms, data = excluded.data`)
}
