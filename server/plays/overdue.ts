import { sql, type SQL } from '../db/drizzle.ts'
import { all } from '../db/search.ts'
import { seesUser, type Sight } from '../http/sight.ts'

/**
 * Rows of `id` and `name`: people in sight who were asked to watch a video by a day that is over, and have not. The same people have
 * an overdue cell in the training matrix (docs/decisions/0033-the-training-matrix.md): the latest day that was set counts, who is
 * excused or switched off is not late, and what was completed in any version is done.
 */
export function overduePeople(sight: Sight): SQL {
  const own = (alias: string) => sql`${sql.raw(alias)}.organization_id = ${sight.organizationId}`
  const due = sql`select t.id, t.video_id, t.due_at from transmissions t
    join videos v on v.id = t.video_id and v.deleted_at is null
    where ${own('t')} and t.due_at is not null and t.state <> 'draft'`
  const late = sql`select d.user_id, t.video_id from due t join deliveries d on d.transmission_id = t.id
    where ${all([own('d'), sql`d.state not in ('skipped', 'cancelled')`, seesUser(sight, sql`d.user_id`)])}
    group by 1, 2 having max(t.due_at) <= now()`
  const done = sql`select w.user_id, w.video_id from viewer_videos w where ${own('w')} and w.completed_at is not null`
  const waived = sql`select x.user_id, x.video_id from training_waivers x
    where ${own('x')} and x.ended_at is null and (x.until is null or x.until > now())`
  // Sets are compared as wholes and only once: looking up each person and video takes many times as long.
  return sql`with due as materialized (${due}),
      late as materialized (select distinct l.user_id from (${late} except (${done} union all ${waived})) l)
    select u.id, u.name from late join users u on u.id = late.user_id
    where ${own('u')} and u.deleted_at is null and u.state <> 'disabled'`
}
