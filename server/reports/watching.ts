import { rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { dayRollupsIn, viewerDaysIn } from './days-in-zone.ts'
import { ofVideos, onDays, owned, personSet, shows, DayCount, type ReportScope } from './scope.ts'

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
    ? sql`${viewerDaysIn(scope)} w where ${where} and w.user_id in (${members})`
    : sql`${dayRollupsIn(scope)} w where ${where}`
}

export function watchedByDay(tx: Tx, scope: ReportScope): Promise<DayCount[]> {
  return rows(
    tx,
    DayCount,
    sql`select w.day, sum(w.watch_ms)::float8 as n from ${watching(scope)} group by w.day`,
  )
}

export const totalOf = (days: readonly DayCount[]): number => days.reduce((sum, { n }) => sum + n, 0)

/** Days of viewers, `d`, that were there in the period: also those who opened a video and did not play it. */
export function viewerDays(scope: ReportScope): SQL {
  const members = personSet(scope)
  return sql`${viewerDaysIn(scope)} d where ${all([
    owned(scope, sql`d.organization_id`),
    onDays(scope, sql`d.day`),
    ofVideos(scope.subjects, sql`d.video_id`),
    members && sql`d.user_id in (${members})`,
  ])}`
}
