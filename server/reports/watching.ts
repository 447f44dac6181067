import { rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { among, ofVideos, onDays, owned, personSet, shows, DayCount, type ReportScope } from './scope.ts'

/**
 * Sums of what was watched, `w`, where it may be told: of all viewers from the sums of the days, which name nobody and therefore
 * stay when evidence is deleted by its age; of some people from the days of each of them.
 */
export function watching(scope: ReportScope): SQL {
  const members = personSet(scope)
  const where = all([
    owned(scope, sql`w.organization_id`),
    onDays(scope, sql`w.day`),
    ofVideos(scope.subjects, sql`w.video_id`),
    shows(scope, sql`w.organization_id`),
  ])
  return members
    ? sql`${daysOfMembers(scope, members, 'w')} where ${where}`
    : sql`day_rollups w where ${where}`
}

export function watchedByDay(tx: Tx, scope: ReportScope): Promise<DayCount[]> {
  return rows(
    tx,
    DayCount,
    sql`select w.day, sum(w.watch_ms)::float8 as n from ${watching(scope)} group by w.day`,
  )
}

export const totalOf = (days: readonly DayCount[]): number => days.reduce((sum, { n }) => sum + n, 0)

/** Days of these people: each of them is looked up, or, of one video, everybody who was there. */
function daysOfMembers(scope: ReportScope, members: SQL, alias: string): SQL {
  const { video, transmission } = scope.subjects
  const own = all([owned(scope, sql`t.organization_id`), onDays(scope, sql`t.day`)])
  const name = sql.raw(alias)
  return video || transmission
    ? sql`(select * from viewer_days t where ${own} and ${ofVideos(scope.subjects, sql`t.video_id`) ?? sql`true`}
        and t.user_id is not null and ${among(sql`t.user_id`, members)}) ${name}`
    : sql`(${members}) m cross join lateral (select * from viewer_days t where t.user_id = m.id and ${own} offset 0) ${name}`
}

/** Days of viewers, `d`, that were there in the period: also those who opened a video and did not play it. */
export function viewerDays(scope: ReportScope): SQL {
  const members = personSet(scope)
  const where = all([
    owned(scope, sql`d.organization_id`),
    onDays(scope, sql`d.day`),
    ofVideos(scope.subjects, sql`d.video_id`),
  ])
  return members
    ? sql`${daysOfMembers(scope, members, 'd')} where ${where}`
    : sql`viewer_days d where ${where}`
}
