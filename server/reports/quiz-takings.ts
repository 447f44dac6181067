import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { person } from '../quizzes/attempts-of.ts'
import { dayIn, during, ofVideos, owned, persons, type ReportScope } from './scope.ts'

/** CTE `taken`: the attempts that were completed in the period; `share` of the full score, null where there is none to reach. */
export function taken(scope: ReportScope): SQL {
  return sql`taken as (select a.version_id, ${person} as person, a.passed, a.is_first, a.score / nullif(a.max_score, 0) as share,
      ${dayIn(scope, sql`a.completed_at`)} as day from quiz_attempts a
    where ${all([
      owned(scope, sql`a.organization_id`),
      during(scope, sql`a.completed_at`),
      persons(scope, sql`a.user_id`),
      ofVideos(scope.subjects, sql`a.video_id`),
    ])})`
}

/** CTE `per_version` over `taken`: attempts, different people, and those of them who passed. */
export const perVersion = sql`per_version as (select version_id, sum(attempts)::int as attempts, count(*)::int as people,
    count(*) filter (where has_passed)::int as passed
  from (select version_id, person, count(*) as attempts, bool_or(passed) as has_passed from taken group by 1, 2) t group by 1)`

/** The median of `share` over CTE `scores` (`share`, `n`), as PERCENTILE_CONT gives it. */
export const medianShare = sql`(select low + (middle - floor(middle)) * (high - low)
    from (select min(share) filter (where upto > floor(middle)) as low, min(share) filter (where upto > ceil(middle)) as high, max(middle) as middle
      from (select share, sum(n) over (order by share)::float8 as upto, (sum(n) over () - 1)::float8 / 2 as middle from scores) ranked) m)`
