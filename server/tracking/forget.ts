import * as z from 'zod/mini'
import { readCount } from '../platform/db/rows.ts'
import { viewerKeysOf } from './ingest/token.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { arrayOf, row, rows, type Database, type Tx } from '#server/platform/db/client.ts'
import { dayOnly } from '../platform/db/search.ts'
import { byPeople } from './programs.ts'
import { listed } from './lists.ts'
import { lockVideo } from './video-lock.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** These numbers say how many rows of each kind were deleted. */
export const ForgottenRows = z.object({
  sessions: z.number(),
  spans: z.number(),
  events: z.number(),
  batches: z.number(),
})
export type ForgottenRows = z.infer<typeof ForgottenRows>

const DueSessions = z.object({ videoId: z.string(), sessionIds: z.array(z.string()) })
export type DueSessions = z.infer<typeof DueSessions>

/** Returns, by video, those of the chosen sessions (`id`, `video_id`) of which no report waits for the aggregation. */
export function dueSessions({ single }: Database, chosen: SQL): Promise<DueSessions[]> {
  return rows(
    single,
    DueSessions,
    sql`select video_id as "videoId", array_agg(id) as "sessionIds" from (${chosen}) due
      where not exists (select from track_batches b where b.session_id = due.id and not b.folded) group by video_id`,
  )
}

type Forgetting = {
  videoId: string
  sessionIds: readonly string[]
  /** It is true where what stays (completions, opened messages) keeps the day alone. */
  daysOnly: boolean
}

/**
 * Deletes what is known about sessions of one video, and what their viewers had covered in them. Totals stay as they are, because they name
 * nobody. Completions stay, with `daysOnly` as a day. Sessions that may still report must not be among them, or the rest of such a session
 * would be counted again.
 */
export async function forgetSessions(
  tx: Tx,
  { videoId, sessionIds, daysOnly }: Forgetting,
): Promise<ForgottenRows> {
  await lockVideo(tx, videoId)
  const these = arrayOf(sessionIds, 'uuid')
  const viewers = await viewersOf(tx, these)
  await disown(tx, these)
  await tx.execute(sql`insert into forgotten_viewing (video_id, organization_id)
    select distinct video_id, organization_id from play_sessions where id = any(${these}) on conflict do nothing`)
  const gone = await deleteSessions(tx, these)
  await recomputeViewers(tx, { videoId, viewers, daysOnly })
  return gone
}

const Viewer = z.object({
  versionId: z.string(),
  viewerKey: z.string(),
  transmissionId: z.nullable(z.string()),
  deliveryId: z.nullable(z.string()),
})
type Viewers = z.infer<typeof Viewer>[]

function viewersOf(tx: Tx, these: SQL): Promise<Viewers> {
  return rows(
    tx,
    Viewer,
    sql`select distinct version_id as "versionId", viewer_key as "viewerKey", transmission_id as "transmissionId",
        delivery_id as "deliveryId" from play_sessions where id = any(${these})`,
  )
}

/**
 * Moves the share of these sessions in the day's figures of their viewer to nobody. Each day has another nobody, so that days cannot be
 * joined.
 */
async function disown(tx: Tx, these: SQL): Promise<void> {
  const isSame = sql`d.organization_id = s.organization_id and d.day = s.day and d.video_id = s.video_id and d.viewer_key = s.viewer_key`
  await tx.execute(
    sql`with s as (select organization_id, video_id, viewer_key, to_char(started_at at time zone 'UTC', 'YYYY-MM-DD') as day,
          count(*)::int as sessions, count(*) filter (where flags & ${sessionFlags.played} <> 0)::int as plays,
          sum(watch_ms) as watch_ms, sum(wall_ms) as wall_ms
        from play_sessions where id = any(${these}) and ${isCounted} group by 1, 2, 3, 4),
      nobody as (insert into viewer_days (organization_id, day, video_id, viewer_key, sessions, plays, watch_ms, wall_ms)
        select s.organization_id, s.day, s.video_id, 'gone:' || uuidv7(), s.sessions, s.plays, s.watch_ms, s.wall_ms
        from s join viewer_days d on ${isSame})
      merge into viewer_days d using s on ${isSame}
      when matched and d.sessions <= s.sessions then delete
      when matched then update set sessions = d.sessions - s.sessions, plays = d.plays - s.plays,
        watch_ms = d.watch_ms - s.watch_ms, wall_ms = d.wall_ms - s.wall_ms`,
  )
}

/**
 * Deletes the rows of these sessions. A session reports for a day at most, so that the log needs to be looked through for a few days only.
 */
async function deleteSessions(tx: Tx, these: SQL): Promise<ForgottenRows> {
  const gone = await row(
    tx,
    ForgottenRows,
    sql`with near as (select min(started_at) - interval '1 hour' as from_at, max(started_at) + interval '25 hours' as to_at
        from play_sessions where id = any(${these})),
      batches as (delete from track_batches where session_id = any(${these})
        and received_at >= (select from_at from near) and received_at < (select to_at from near) returning 1),
      spans as (delete from play_spans where session_id = any(${these}) returning 1),
      events as (delete from play_events where session_id = any(${these}) returning 1),
      decisions as (delete from viewing_decisions where session_id = any(${these})),
      served as (delete from served_parts where session_id = any(${these}) returning 1),
      processes as (delete from served_sessions where session_id = any(${these})),
      sessions as (delete from play_sessions where id = any(${these}) returning 1)
    select (select count(*)::int from sessions) as sessions, (select count(*)::int from spans) as spans,
      (select count(*)::int from events) as events, (select count(*)::int from batches) as batches`,
  )
  return gone ?? { sessions: 0, spans: 0, events: 0, batches: 0 }
}

/** Works out what viewers and deliveries are worth by the sessions that are left. Without any session only the completion stays. */
async function recomputeViewers(
  tx: Tx,
  { videoId, viewers, daysOnly }: { videoId: string; viewers: Viewers; daysOnly: boolean },
): Promise<void> {
  if (viewers.length === 0) return
  const day = (column: string) => (daysOnly ? dayOnly(sql.raw(column)) : sql.raw(column))
  const keys = listed(viewers, { versionId: 'uuid', viewerKey: 'text' })
  const whose = sql`(select distinct version_id, viewer_key from ${keys} g)`
  const left = sql`select version_id, viewer_key, ${sums}, count(*) filter (where flags & ${sessionFlags.played} <> 0)::int as plays,
      min(started_at) as first_at, max(last_at) as last_at, (array_agg(position order by last_at desc))[1] as position
    from play_sessions where video_id = ${videoId} and ${isCounted} and (version_id, viewer_key) in ${whose} group by 1, 2`
  await tx.execute(
    sql`with left_over as (${left})
      update viewer_videos v set coverage = coalesce(l.coverage, '{}'), covered_ms = ${lengthOf(sql`l.coverage`)},
        watch_ms = coalesce(l.watch_ms, 0), plays = coalesce(l.plays, least(v.plays, 1)), position = coalesce(l.position, 0),
        first_at = coalesce(l.first_at, ${day('coalesce(v.completed_at, v.first_at)')}),
        last_at = coalesce(l.last_at, ${day('coalesce(v.completed_at, v.last_at)')}),
        covered_at = ${day('v.covered_at')}, completed_at = ${day('v.completed_at')}
      from ${whose} w left join left_over l on l.version_id = w.version_id and l.viewer_key = w.viewer_key
      where v.version_id = w.version_id and v.viewer_key = w.viewer_key`,
  )
  await tx.execute(
    sql`delete from viewer_videos v using ${whose} w where v.version_id = w.version_id and v.viewer_key = w.viewer_key
      and v.completed_at is null and not exists (select from play_sessions s
        where s.video_id = v.video_id and s.version_id = v.version_id and s.viewer_key = v.viewer_key)`,
  )
  await recomputeDeliveries(tx, viewers, day)
}

/** Works out what deliveries are worth. That a message was opened is a matter of sending, and stays. */
async function recomputeDeliveries(tx: Tx, viewers: Viewers, day: (column: string) => SQL): Promise<void> {
  const deliveries = viewers.filter(({ deliveryId }) => deliveryId !== null)
  if (deliveries.length === 0) return
  const keys = listed(deliveries, { transmissionId: 'uuid', deliveryId: 'uuid' })
  const whose = sql`(select distinct transmission_id, delivery_id from ${keys} g)`
  await tx.execute(
    sql`with left_over as (select transmission_id, delivery_id, ${sums}, max(last_at) as last_at from play_sessions
        where (transmission_id, delivery_id) in ${whose} and ${isCounted} group by 1, 2)
      update delivery_viewing d set coverage = coalesce(l.coverage, '{}'), covered_ms = ${lengthOf(sql`l.coverage`)},
        watch_ms = coalesce(l.watch_ms, 0), opened_at = ${day('d.opened_at')}, first_play_at = ${day('d.first_play_at')},
        last_at = coalesce(l.last_at, ${day('d.last_at')}), covered_at = ${day('d.covered_at')}, completed_at = ${day('d.completed_at')}
      from ${whose} w left join left_over l on l.transmission_id = w.transmission_id and l.delivery_id = w.delivery_id
      where d.transmission_id = w.transmission_id and d.delivery_id = w.delivery_id`,
  )
}

const isCounted = byPeople(sql`flags`)
const sums = sql`range_agg(coverage) as coverage, sum(watch_ms) as watch_ms`

function lengthOf(coverage: SQL): SQL {
  return sql`coalesce((select sum(upper(part) - lower(part))::int from unnest(${coverage}) part), 0)`
}

/** The key names a person of an organization. */
export type PersonKey = { organizationId: string; userId: string }

/** This condition on a table of evidence holds for rows of this person, however they were known. */
export const isTheirs = (userId: string): SQL =>
  sql`viewer_key = any(${arrayOf(viewerKeysOf(userId), 'text')})`

/**
 * Deletes a person's batches from the log. A session reports for a day at most, so that the log needs to be looked through for those days
 * only.
 */
export async function forgetLog(
  tx: Tx,
  videoId: string,
  { organizationId, userId }: PersonKey,
): Promise<void> {
  const own = sql`select id from play_sessions where video_id = ${videoId} and ${isTheirs(userId)}`
  await tx.execute(sql`delete from served_parts where session_id in (${own})`)
  await tx.execute(sql`delete from served_sessions where session_id in (${own})`)
  await tx.execute(
    sql`delete from track_batches b using (select id, started_at from play_sessions
        where video_id = ${videoId} and ${isTheirs(userId)}) s
      where b.session_id = s.id and b.received_at >= s.started_at - interval '1 hour' and b.received_at < s.started_at + interval '25 hours'`,
  )
  await tx.execute(
    sql`delete from track_batches where video_id = ${videoId} and not folded and organization_id = ${organizationId}
      and claims->>'viewerKey' = any(${arrayOf(viewerKeysOf(userId), 'text')})`,
  )
}

/** Deletes what stands by itself about a person: completions whose sessions went long ago, opened messages, consents. */
export async function forgetRest(tx: Tx, { organizationId, userId }: PersonKey): Promise<void> {
  const mine = sql`organization_id = ${organizationId} and ${isTheirs(userId)}`
  // Parts handed out to a player that never reported have no session.
  await tx.execute(
    sql`delete from served_sessions where session_id in (select session_id from served_parts where ${mine})`,
  )
  for (const table of ['served_parts', 'viewer_videos', 'viewer_days', 'consents'])
    await tx.execute(sql`delete from ${sql.raw(table)} where ${mine}`)
  await tx.execute(
    sql`delete from delivery_viewing w using deliveries d where d.organization_id = ${organizationId} and d.user_id = ${userId}
      and w.transmission_id = d.transmission_id and w.delivery_id = d.id`,
  )
}

/** Deletes at most `most` aggregated batches that an organization sent between two days (UTC), and returns how many were deleted. */
export function forgetBatches(
  tx: Tx,
  organizationId: string,
  { from, before, most }: { from: string; before: string; most: number },
): Promise<number> {
  return readCount(
    tx,
    sql`with gone as (delete from track_batches b using (select received_at, id from track_batches
          where organization_id = ${organizationId} and folded and received_at < ${before}::timestamp at time zone 'UTC'
            and received_at >= ${from}::timestamp at time zone 'UTC' limit ${most}) g
        where b.received_at = g.received_at and b.id = g.id returning 1)
      select count(*)::int as n from gone`,
  )
}
