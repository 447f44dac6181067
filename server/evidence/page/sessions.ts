import * as z from 'zod/mini'
import { EvidenceDecision, type EvidenceSession } from '#contract/evidence/evidence.ts'
import { sessionFlags, spanFlags } from '#contract/tracking/track-limits.ts'
import { arrayOf, rows, type Tx } from '#server/platform/db/client.ts'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import { isoText } from '#server/platform/db/search.ts'
import { sql } from '#server/platform/db/sql.ts'
import { deviceOf } from '#server/platform/http/agent.ts'
import { noCredit, type Credit } from '../../tracking/credit.ts'
import { isDoubtful, judged } from '../../tracking/served/doubt.ts'
import { epochMs } from '../../tracking/lists.ts'
import { creditsOf } from '../../tracking/results.ts'
import { sessionsOf } from '../../tracking/store.ts'
import type { StoredSession } from '../../tracking/stored-session.ts'
import {
  sourceColumns,
  SourceRow,
  sourcesOf,
  stateOf,
  unservedOf,
  type Sources,
} from '../../tracking/served/sources.ts'

/** This is a session with what each of its spans is worth. */
export type Credited = { session: StoredSession; credit: Credit }

/** This is kept of a session. Times are epoch milliseconds. */
const StoredFacts = z.object({
  id: z.string(),
  versionId: z.string(),
  startedAt: z.number(),
  /** The server last heard of it at this instant. */
  lastAt: z.number(),
  isReported: z.boolean(),
  transmission: z.nullable(z.object({ id: z.string(), subject: z.string() })),
  saidBy: z.nullable(z.string()),
  signedInBy: z.nullable(z.string()),
  theta: z.number(),
  watchMs: z.number(),
  wallMs: z.number(),
  flags: z.number(),
  userAgent: z.nullable(z.string()),
  network: z.nullable(z.string()),
  isEnded: z.boolean(),
  batchesSeen: z.number(),
  batchesExpected: z.number(),
  dropped: z.number(),
  servedBytes: z.number(),
  decision: z.nullable(EvidenceDecision),
})

/** This is one session as both sources have it; `credited` is undefined when no report ever came. */
export type ViewingSession = Sources & z.infer<typeof StoredFacts> & { credited?: Credited | undefined }

const SessionRow = z.extend(StoredFacts, SourceRow.shape)

export type Watching = { organizationId: string; videoId: string; keys: readonly string[] }

/** Reads every session of one person with one video, the newest first. */
export async function readSessions(
  tx: Tx,
  { organizationId, videoId, keys }: Watching,
): Promise<ViewingSession[]> {
  const own = sql`organization_id = ${organizationId} and video_id = ${videoId} and viewer_key = any(${arrayOf(keys, 'text')})`
  const found = await rows(
    tx,
    SessionRow,
    sql`select coalesce(p.id, s.session_id) as id, coalesce(p.version_id, s.version_id) as "versionId",
        ${sql.raw(epochMs('coalesce(p.started_at, s.first_at)'))} as "startedAt",
        ${sql.raw(epochMs('coalesce(p.last_at, s.last_at)'))} as "lastAt",
        p.id is not null as "isReported",
        case when t.id is not null then json_build_object('id', t.id, 'subject', message_name(t)) end as transmission,
        p.said_by as "saidBy", p.signed_in_by as "signedInBy", coalesce(p.theta, 1) as theta, coalesce(p.watch_ms, 0)::float8 as "watchMs", coalesce(p.wall_ms, 0)::float8 as "wallMs",
        ${sourceColumns}, p.user_agent as "userAgent", p.network, coalesce(p.ended, false) as "isEnded",
        coalesce(p.batches_seen, 0) as "batchesSeen", coalesce(p.batches_expected, 0) as "batchesExpected",
        coalesce(p.dropped, 0) as dropped, coalesce(s.bytes, 0)::float8 as "servedBytes",
        case when c.session_id is not null then json_build_object('reason', c.reason, 'by', c.decided_by_name, 'at', ${isoText(sql`c.decided_at`)}) end as decision
      from (select * from play_sessions where ${own}) p
      full join (select * from served_parts where ${own}) s on s.session_id = p.id
      left join viewing_decisions c on c.session_id = p.id and c.organization_id = ${organizationId}
      left join transmissions t on t.id = p.transmission_id and t.organization_id = ${organizationId}
      order by coalesce(p.started_at, s.first_at) desc, 1 desc`,
  )
  const credited = creditedOf(await sessionsOf(tx, videoId, [...keys]))
  return found.map((session) =>
    Object.assign(session, {
      ...sourcesOf(session, parseRanges(session.coverage)),
      credited: credited.get(session.id),
    }),
  )
}

/** Computes credits as the aggregation does, from the same facts. */
function creditedOf(sessions: StoredSession[]): Map<string, Credited> {
  const credited = new Map<string, Credited>()
  for (const own of Map.groupBy(sessions, ({ viewerKey }) => viewerKey).values()) {
    const credits = creditsOf(own)
    for (const session of own)
      credited.set(session.id, { session: judged(session), credit: credits.get(session.id) ?? noCredit() })
  }
  return credited
}

const SessionNumber = z.object({ id: z.string(), n: z.number() })

export async function eventCounts(tx: Tx, sessionIds: readonly string[]): Promise<Map<string, number>> {
  const found = await rows(
    tx,
    SessionNumber,
    sql`select session_id as id, count(*)::int as n from play_events
      where session_id = any(${arrayOf(sessionIds, 'uuid')}) group by 1`,
  )
  return new Map(found.map(({ id, n }) => [id, n]))
}

/** Returns the names of the bits that are set. */
export function marksOf<Mark extends string>(bits: Record<Mark, number>, flags: number): Mark[] {
  const names = Object.keys(bits) as Mark[]
  return names.filter((name) => (flags & bits[name]) !== 0)
}

const everyFlag = { ...spanFlags, ...sessionFlags }

type SessionContext = { numbers: ReadonlyMap<string, number>; events: ReadonlyMap<string, number> }

/** `numbers` has the number of each version, by its id. */
export function toEvidenceSession(
  session: ViewingSession,
  { numbers, events }: SessionContext,
): EvidenceSession {
  return {
    id: session.id,
    version: { id: session.versionId, number: numbers.get(session.versionId) ?? 0 },
    startedAt: new Date(session.startedAt).toISOString(),
    lastAt: new Date(session.lastAt).toISOString(),
    device: deviceOf(session.userAgent),
    network: session.network,
    transmission: session.transmission,
    saidBy: session.saidBy,
    signedInBy: session.signedInBy?.split(' ') ?? null,
    isReported: session.isReported,
    isEnded: session.isEnded,
    marks: marksOf(everyFlag, session.flags),
    batchesSeen: session.batchesSeen,
    batchesExpected: session.batchesExpected,
    dropped: session.dropped,
    coverage: session.coverage,
    watchedMs: session.watchMs,
    attentionMs: session.wallMs,
    spans: session.credited?.session.spans.length ?? 0,
    events: events.get(session.id) ?? 0,
    state: stateOf(session),
    served: session.served ?? [],
    servedBytes: session.servedBytes,
    isRecordBroken: session.record === 'broken',
    unserved: unservedOf(session),
    doubt: isDoubtful(session.flags) ? { userAgent: session.userAgent, decision: session.decision } : null,
  }
}

/** Returns what was played in the sessions of one version, by what became of it. */
export function stretchesOf(sessions: readonly ViewingSession[]) {
  const counted: Ranges = []
  const refused: Record<'hidden' | 'fast' | 'uncounted', Ranges> = { hidden: [], fast: [], uncounted: [] }
  for (const { credited, isBot } of sessions) {
    if (!credited || isBot) continue
    for (const { start, end } of credited.credit.pieces) counted.push([start, end])
    for (const { i, startMs, endMs } of credited.session.spans) {
      const reason = credited.credit.refused.get(i) ?? null
      if (reason === null) continue
      const kind =
        reason === 'hidden' ? 'hidden' : reason === 'rate' || reason === 'faster' ? 'fast' : 'uncounted'
      refused[kind].push([startMs, endMs])
    }
  }
  return { counted, ...refused }
}
