import { answersFrom } from '../duty/unconfirmed.ts'
import { failures } from '../quizzes/failing.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { obliged, own, type Whose } from '../duty/obliged.ts'

/**
 * Returns a table of (user_id, video_id, failed_at, is_final) with those who have failed what they still have to pass. Where an assignment
 * asks for it, only answers since the assignment counts matter, and whoever used up their attempts before is asked again.
 */
export function failing(whose: Whose): SQL {
  const toPass = sql`${obliged(whose)} and o.state = 'open' and a.requirement = 'passed'`
  return sql`(select f.user_id, f.video_id, f.failed_at, f.is_final from ${failures(sql`${own('a', whose)} and a.user_id is not null`)} f
      where (f.user_id, f.video_id) not in (select o.user_id, o.video_id from ${toPass})
    union all select p.user_id, p.video_id, max(q.completed_at), false
      from (select o.user_id, o.video_id, min(${answersFrom('o')}) as answers_from from ${toPass} group by 1, 2) p
        join quiz_attempts q on q.user_id = p.user_id and q.video_id = p.video_id and q.completed_at >= p.answers_from
      group by 1, 2 having not bool_or(q.passed))`
}
