import * as z from 'zod/mini'
import { watchingMost, type listWatching, Watching } from '#contract/audience.ts'
import type { Reply } from '#contract/endpoint.ts'
import { trackLimits } from '#contract/track-limits.ts'
import { rows, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { isoText } from '#server/platform/db/search.ts'
import { deviceOf } from '#server/platform/http/agent.ts'
import { has, ofPeople, type AudienceVideo } from './scope.ts'

/**
 * A playing client reports with every heartbeat; who has missed three is not there any more. A session that has ended once may go on:
 * somebody plays the video again. So its last report decides.
 */
const silentMs = 3 * trackLimits.heartbeat.usual

const Row = z.extend(z.omit(Watching, { device: true }), { userAgent: z.nullable(z.string()) })
type Row = z.infer<typeof Row>

const WatchingRow = z.extend(Row, { total: z.number(), at: z.string() })

export async function watchingNow(tx: Tx, video: AudienceVideo): Promise<Reply<typeof listWatching>> {
  // A value instead of now(): the planner leaves out the days of the log before it. Clocks may differ by a minute.
  const since = new Date(Date.now() - silentMs - 60_000)
  const found = await rows(
    tx,
    WatchingRow,
    sql`select p.id, p.version_id as "versionId", p.position as "positionMs", p.duration_ms as "durationMs",
        ${isoText(sql`p.started_at`)} as since, p.user_agent as "userAgent",
        (select json_build_object('id', u.id, 'organizationId', u.organization_id, 'name', u.name) from users u
          where u.id = p.user_id and u.organization_id = p.organization_id) as user,
        (count(*) over ())::int as total, ${isoText(sql`now()`)} as at
      from play_sessions p where p.organization_id = ${video.organizationId}
        and p.last_at > now() - make_interval(secs => ${silentMs / 1_000}::float8) and p.video_id = ${video.id}
        and ${has('played')} and ${ofPeople}
        and not coalesce((select b.ended from track_batches b where b.session_id = p.id and b.organization_id = p.organization_id
          and b.received_at > ${since}::timestamptz order by b.batch desc limit 1), p.ended)
      order by p.started_at, p.id limit ${watchingMost}`,
  )
  return {
    items: found.map(({ userAgent, total: _total, at: _at, ...session }) =>
      Object.assign(session, { device: deviceOf(userAgent) }),
    ),
    total: found[0]?.total ?? 0,
    at: found[0]?.at ?? new Date().toISOString(),
  }
}
