import { rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all } from '../db/search.ts'
import { ofVideos, onDays, owned, persons, shows, type DayCount, type Ground } from './ground.ts'

/**
 * Sums of what was watched, `w`, where it may be told: of all viewers from the sums of the days, which name nobody and therefore
 * stay when evidence is deleted by its age; of some people from the days of each of them.
 */
export function watching(ground: Ground): SQL {
  const member = persons(ground, sql`w.user_id`)
  const where = all([
    owned(ground, sql`w.organization_id`),
    onDays(ground, sql`w.day`),
    ofVideos(ground.subjects, sql`w.video_id`),
    shows(ground, sql`w.organization_id`),
    member,
  ])
  return sql`${member ? sql`viewer_days` : sql`day_rollups`} w where ${where}`
}

export function watchedByDay(tx: Tx, ground: Ground): Promise<DayCount[]> {
  return rows<DayCount>(
    tx,
    sql`select w.day, sum(w.watch_ms)::float8 as n from ${watching(ground)} group by w.day`,
  )
}

export const totalOf = (days: readonly DayCount[]): number => days.reduce((sum, { n }) => sum + n, 0)

/** Days of viewers, `d`, that were there in the period: also those who opened a video and did not play it. */
export function viewerDays(ground: Ground): SQL {
  const where = all([
    owned(ground, sql`d.organization_id`),
    onDays(ground, sql`d.day`),
    ofVideos(ground.subjects, sql`d.video_id`),
    persons(ground, sql`d.user_id`),
  ])
  return sql`viewer_days d where ${where}`
}
