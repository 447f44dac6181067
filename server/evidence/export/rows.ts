import { createHash, randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import type { exportEvidence } from '#contract/platform/exports.ts'
import { defaultPolicies, Policies } from '#contract/directory/organizations.ts'
import { arrayOf, rows, type Database, type Tx } from '#server/platform/db/client.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { all, isoText } from '#server/platform/db/search.ts'
import { insistedOn } from '#server/tracking/completion.ts'
import { eventsIn, PlayEvent } from '#server/tracking/ingest/events.ts'
import { sql } from '../../platform/db/sql.ts'
import { sourceColumns, SourceRow, sourcesOf, withheldOf } from '../../tracking/served/sources.ts'
import { JudgedSpan, spansOf } from '../../tracking/store.ts'
import { Id } from '#server/platform/db/rows.ts'

export type Order = {
  db: Database
  organizationId: string
  query: ParsedQuery<typeof exportEvidence>
}

/** Instants are ISO 8601. */
export const ExportedSession = z.object({
  id: z.string(),
  viewer: z.string(),
  userId: z.nullable(z.string()),
  name: z.nullable(z.string()),
  videoId: z.string(),
  title: z.string(),
  versionId: z.string(),
  startedAt: z.string(),
  zeroAt: z.string(),
  lastAt: z.string(),
  durationMs: z.number(),
  maxRate: z.number(),
  theta: z.number(),
  flags: z.number(),
  position: z.number(),
  ended: z.boolean(),
  userAgent: z.nullable(z.string()),
  /** With spaces between, where the organization asked for that; null: the personal link alone. */
  signedInBy: z.nullable(z.string()),
  /** This counts what the video insists on beside being watched: questions, and passing them. */
  gates: z.number(),
  answeredAt: z.nullable(z.string()),
  /** This counts for no completion, though it earned credit. */
  withheld: z.array(z.tuple([z.number(), z.number()])),
  /** The viewer completed this version then, if it was in this session. */
  completedAt: z.nullable(z.string()),
  spans: z.array(JudgedSpan),
  events: z.array(PlayEvent),
})
export type ExportedSession = z.infer<typeof ExportedSession>

/** One statement reads this number of sessions, and each piece of the file holds as many. */
const stretch = 200

/**
 * Yields sessions video by video, viewer by viewer. Every stretch is a transaction of its own, so that a slow reader holds no connection.
 */
export async function* exportedSessions(order: Order): AsyncGenerator<ExportedSession[]> {
  const { db, organizationId, query } = order
  const scope = { organizationId }
  const anonymous = query.pseudonymous === 'yes' ? pseudonyms() : undefined
  for (const videoId of await db.as(scope, (tx) => videosOf(tx, order))) {
    let after: { viewer: string; id: string } | undefined
    do {
      const position = after
      const found = await db.as(scope, (tx) => sessionsOf(tx, order, { videoId, after: position }))
      const last = found.at(-1)
      after = last && found.length === stretch ? { viewer: last.viewer, id: last.id } : undefined
      if (found.length > 0) yield anonymous ? found.map(anonymous) : found
    } while (after !== undefined)
  }
}

async function videosOf(tx: Tx, { organizationId, query }: Order): Promise<string[]> {
  if (query.videoId) return [query.videoId]
  const found = await rows(
    tx,
    Id,
    sql`select distinct video_id as id from play_sessions where organization_id = ${organizationId} order by 1`,
  )
  return found.map(({ id }) => id)
}

type Stretch = { videoId: string; after: { viewer: string; id: string } | undefined }

/** This is a session as it is stored, with what both sources know of it. */
const SessionRow = z.extend(
  z.extend(z.omit(ExportedSession, { spans: true, events: true, withheld: true }), SourceRow.shape),
  { least: Policies.shape.completionEvidence },
)
type SessionRow = z.infer<typeof SessionRow>

async function sessionsOf(
  tx: Tx,
  { organizationId, query }: Order,
  { videoId, after }: Stretch,
): Promise<ExportedSession[]> {
  const where = all([
    sql`p.organization_id = ${organizationId} and p.video_id = ${videoId}`,
    query.from && sql`p.started_at >= ${query.from}::timestamp at time zone 'UTC'`,
    query.until && sql`p.started_at < (${query.until}::date + 1)::timestamp at time zone 'UTC'`,
    after && sql`(p.viewer_key, p.id) > (${after.viewer}, ${after.id}::uuid)`,
  ])
  const completedHere = sql`w.completed_at is not null and p.id = (select l.id from play_sessions l where l.video_id = p.video_id
    and l.viewer_key = p.viewer_key and l.version_id = p.version_id and l.started_at <= w.completed_at order by l.started_at desc, l.id desc limit 1)`
  const found = await rows(
    tx,
    SessionRow,
    sql`with page as materialized (select p.* from play_sessions p where ${where} order by p.viewer_key, p.id limit ${stretch}),
      ${insistedOn(videoId, sql`(select array_agg(distinct viewer_key) from page)::text[]`)}
      select p.id, p.viewer_key as viewer, p.user_id as "userId", u.name, p.video_id as "videoId", v.title, p.version_id as "versionId",
        ${isoText(sql`p.started_at`)} as "startedAt", ${isoText(sql`p.zero_at`)} as "zeroAt", ${isoText(sql`p.last_at`)} as "lastAt",
        p.duration_ms as "durationMs", p.max_rate as "maxRate", p.theta, p.position, p.ended, p.user_agent as "userAgent", p.signed_in_by as "signedInBy",
        ((select count(*) from gates) + (select count(*) from tests))::int as gates, ${isoText(sql`a.at`)} as "answeredAt",
        case when ${completedHere} then ${isoText(sql`w.completed_at`)} end as "completedAt",
        ${sourceColumns}, coalesce(o.policies->>'completionEvidence', ${defaultPolicies.completionEvidence}) as least
      from page p join videos v on v.id = p.video_id join organizations o on o.id = p.organization_id
      left join served_parts s on s.session_id = p.id left join users u on u.id = p.user_id
      left join met a on a.viewer_key = p.viewer_key
      left join viewer_videos w on w.version_id = p.version_id and w.viewer_key = p.viewer_key
      order by p.viewer_key, p.id`,
  )
  const sessions = new Map<string, ExportedSession>(found.map((one) => [one.id, sessionOf(one)]))
  await addParts(tx, sessions, query.format === 'xapi')
  return [...sessions.values()]
}

function sessionOf({ least, ...session }: SessionRow): ExportedSession {
  const sources = sourcesOf(session, parseRanges(session.coverage))
  return { ...session, withheld: withheldOf(sources, least), spans: [], events: [] }
}

async function addParts(tx: Tx, sessions: Map<string, ExportedSession>, withEvents: boolean): Promise<void> {
  const these = sql`= any(${arrayOf([...sessions.keys()], 'uuid')})`
  for (const { sessionId, ...span } of await spansOf(tx, these)) sessions.get(sessionId)?.spans.push(span)
  if (!withEvents) return
  for (const { sessionId, ...event } of await eventsIn(tx, these)) sessions.get(sessionId)?.events.push(event)
}

/**
 * Makes names that hold for one file, so that nobody can tell from two files that they are about the same person. Sessions are numbered in
 * the order of their ids, because that order decides where two begin at the same instant.
 */
function pseudonyms(): (session: ExportedSession) => ExportedSession {
  const salt = randomBytes(32)
  let number = 0
  return (session) => {
    number += 1
    const hash = createHash('sha256').update(salt).update(session.viewer).digest('hex')
    return {
      ...session,
      id: `S${String(number).padStart(10, '0')}`,
      viewer: `V${hash.slice(0, 16)}`,
      userId: null,
      name: null,
      userAgent: null,
    }
  }
}
