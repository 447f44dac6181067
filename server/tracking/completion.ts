import { arrayOf, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/**
 * This condition on `organizations o` holds when it records nothing but completions, so that nobody is asked and no question holds a video.
 */
export const asksNothing = `coalesce(o.policies ->> 'trackingMode' = 'completed_only', false)`

export type PersonVideo = { organizationId: SQL; userId: SQL; videoId: SQL }

/** This condition holds when this person has completed this video, whichever way they came to it. */
export function hasCompleted({ organizationId, userId, videoId }: PersonVideo): SQL {
  return sql`exists (select from viewer_videos w where w.organization_id = ${organizationId} and w.user_id = ${userId}
    and w.video_id = ${videoId} and w.completed_at is not null)`
}

/**
 * This condition on `quiz_versions n` holds when whoever is asked these questions has to pass them. Everybody reaches a pass mark of 0, so
 * that one asks for nothing.
 */
export const hasToBePassed = sql`(n.settings ->> 'passRequired')::boolean and (n.settings ->> 'passMark')::float8 > 0`

/**
 * These CTEs say what a video insists on now beside being watched. `gates` (key) has the questions that have to be answered in whichever
 * version, `tests` (quiz_id) has a row where they have to be passed, and `met` (viewer_key, at) says who of `keys` has done all of it, and
 * when (null where nothing is asked). Passing counts for the person, whether they came by a personal link or signed in.
 */
export function insistedOn(videoId: string, keys: SQL): SQL {
  return sql`asked as (select q.id as quiz_id, n.id as version_id, ${hasToBePassed} as is_test from quizzes q
      join quiz_versions n on n.id = q.current_version_id join organizations o on o.id = q.organization_id and not ${sql.raw(asksNothing)}
      where q.video_id = ${videoId}),
    gates as (select i.key from quiz_items i where i.version_id in (select version_id from asked) and i.gate),
    tests as (select quiz_id from asked where is_test),
    answered as (
      select viewer_key, max(first) as at
      from (select a.viewer_key, i.key, min(w.answered_at) as first from quiz_attempts a
          join quiz_answers w on w.attempt_id = a.id join quiz_items i on i.id = w.item_id
        where a.video_id = ${videoId} and a.viewer_key = any(${keys}) and i.key in (select key from gates) group by 1, 2) first
      group by 1 having count(*) = (select count(*) from gates)),
    passed as (
      select k.key as viewer_key, min(a.completed_at) as at from unnest(${keys}) k(key)
        join quiz_attempts a on a.quiz_id in (select quiz_id from tests) and a.passed and a.completed_at is not null
          and a.viewer_key = any(array[k.key, 'recipient:' || split_part(k.key, ':', 2), 'user:' || split_part(k.key, ':', 2)])
      group by 1),
    met as (
      select k.key as viewer_key, greatest(answered.at, passed.at) as at from unnest(${keys}) k(key)
        left join answered on answered.viewer_key = k.key left join passed on passed.viewer_key = k.key
      where (answered.at is not null or not exists (select from gates)) and (passed.at is not null or not exists (select from tests)))`
}

export type Viewers = { videoId: string; viewerKeys: readonly string[] }

/**
 * Writes down who has completed a video, which means that it is covered up to the threshold and that all is done that its published
 * questions insist on now. Call it in the transaction of whatever may have changed one of the two. Completion is sticky: it may move
 * towards the past and never goes away.
 */
export async function recordCompletions(tx: Tx, { videoId, viewerKeys }: Viewers): Promise<void> {
  const keys = arrayOf([...viewerKeys], 'text')
  // This goes from the keys to the rows, by the key of the table, because a video may have a million viewers.
  await tx.execute(sql`
    with ${insistedOn(videoId, keys)}
    update viewer_videos s set completed_at = least(s.completed_at, greatest(s.covered_at, w.at))
    from (select n.id, m.viewer_key, m.at from video_versions n cross join met m where n.video_id = ${videoId}) w
    where s.version_id = w.id and s.viewer_key = w.viewer_key and s.covered_at is not null
      and greatest(s.covered_at, w.at) < coalesce(s.completed_at, 'infinity')`)
  await tx.execute(sql`
    with ${insistedOn(videoId, keys)}, found as (select d.transmission_id, d.delivery_id, greatest(d.covered_at, m.at) as at
      from (select distinct transmission_id, delivery_id, viewer_key from play_sessions
        where video_id = ${videoId} and viewer_key = any(${keys}) and delivery_id is not null) s
      join met m on m.viewer_key = s.viewer_key
      join delivery_viewing d on d.transmission_id = s.transmission_id and d.delivery_id = s.delivery_id and d.covered_at is not null)
    update delivery_viewing d set completed_at = least(d.completed_at, f.at) from found f
    where d.transmission_id = f.transmission_id and d.delivery_id = f.delivery_id and f.at < coalesce(d.completed_at, 'infinity')`)
}
