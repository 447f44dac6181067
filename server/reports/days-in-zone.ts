import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { owned, type ReportScope } from './scope.ts'
import { addDays } from './span.ts'

/**
 * Sums of viewing are kept by days of UTC. In another zone every session that belongs to another day there is taken from its day of UTC and
 * added to that one. Sessions that were deleted by their age stay on their day of UTC: of them nothing but the sums is left.
 */
function moved(scope: ReportScope): SQL {
  const { span, timeZone } = scope
  const [first, end] = [addDays(span.from, -1), addDays(span.to, 2)]
  const utc = (day: string) => sql`(${day}::timestamp at time zone 'UTC')`
  return sql`(select s.organization_id, m.day::text as day, s.video_id, s.viewer_key, s.user_id, m.sign as sessions,
      m.sign * (s.flags & ${sql.raw(String(sessionFlags.played))} > 0)::int as plays, m.sign * s.watch_ms as watch_ms
    from play_sessions s cross join lateral (select (s.started_at at time zone 'UTC')::date as utc, (s.started_at at time zone ${timeZone}::text)::date as here) d
      cross join lateral (values (d.utc, -1), (d.here, 1)) m(day, sign)
    where ${owned(scope, sql`s.organization_id`)} and s.last_at >= ${utc(first)}
      and s.started_at between ${utc(first)} and ${utc(end)}
      and d.utc <> d.here and s.flags & ${sql.raw(String(sessionFlags.bot))} = 0)`
}

/** The days of viewers, as a table. */
export function viewerDaysIn(scope: ReportScope): SQL {
  if (scope.timeZone === 'UTC') return sql`viewer_days`
  return sql`(select organization_id, day, video_id, viewer_key, max(user_id::text)::uuid as user_id, sum(plays) as plays, sum(watch_ms) as watch_ms
    from (select organization_id, day, video_id, viewer_key, user_id, sessions, plays, watch_ms from viewer_days v
        where ${owned(scope, sql`v.organization_id`)} and v.day between ${scope.span.from} and ${scope.span.to}
      union all select * from ${moved(scope)} m) d group by 1, 2, 3, 4 having sum(sessions) > 0)`
}

/** What was watched of each video on each day, as a table. */
export function dayRollupsIn(scope: ReportScope): SQL {
  if (scope.timeZone === 'UTC') return sql`day_rollups`
  return sql`(select organization_id, day, video_id, watch_ms from day_rollups r where ${owned(scope, sql`r.organization_id`)}
    union all select organization_id, day, video_id, watch_ms from ${moved(scope)} m)`
}
