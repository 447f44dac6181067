import { sql, type SQL } from '../platform/db/sql.ts'
import { asksNothing, hasToBePassed } from '../tracking/completion.ts'
import { person } from './attempts-of.ts'

/**
 * Who has failed: table of (organization_id, video_id, user_id, person, failed_at, is_final), people who have answered questions that
 * have to be passed now and have not passed them, in whichever version. `is_final`: no attempt is left, by none of the ways in which
 * they answered. `whose`: a condition on `quiz_attempts a`. Who completed the video before it asked anything has completed it, also
 * when they fail: what is said of a person asks `completed_at` first.
 */
export function failures(whose: SQL): SQL {
  return sql`(select f.organization_id, f.video_id, f.user_id, f.person, max(f.failed_at) as failed_at, bool_and(f.taken >= f.attempts) is true as is_final
    from (select a.organization_id, a.video_id, a.user_id, ${person} as person, bool_or(a.passed) as has_passed, max(a.completed_at) as failed_at,
        count(*) filter (where a.version_id = n.id) as taken, (n.settings ->> 'attempts')::int as attempts
      from quiz_attempts a join quizzes q on q.id = a.quiz_id join quiz_versions n on n.id = q.current_version_id
        join organizations o on o.id = q.organization_id and not ${sql.raw(asksNothing)}
      where a.completed_at is not null and ${hasToBePassed} and ${whose}
      group by a.organization_id, a.video_id, a.user_id, a.viewer_key, n.id) f
    group by f.organization_id, f.video_id, f.user_id, f.person having not bool_or(f.has_passed))`
}

/** Scalar: what was failed as `Failed` of the contract has it; null where nothing was. `whose`: as above, of one person and one video. */
export function failedOf(whose: SQL): SQL {
  return sql`(select json_build_object('at', to_char(x.failed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'isFinal', x.is_final)
    from ${failures(whose)} x)`
}
