import { arrayOf, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'

/** Condition on `organizations o`: it records nothing but completions, so that nobody is asked and no question holds a video. */
export const asksNothing = `coalesce(o.policies ->> 'trackingMode' = 'completed_only', false)`

type Viewers = { videoId: string; viewerKeys: readonly string[] }

/**
 * Writes down who has completed a video: covered up to the threshold, and every question answered, in whichever version, that the
 * published questions insist on now. To be called in the transaction of whatever may have changed one of the two. Completion is
 * sticky: it may move towards the past and never goes away.
 */
export async function settleCompletions(tx: Tx, { videoId, viewerKeys }: Viewers): Promise<void> {
  const keys = arrayOf([...viewerKeys], 'text')
  const due = sql`gates as (
      select i.key from quizzes q join organizations o on o.id = q.organization_id and not ${sql.raw(asksNothing)}
        join quiz_items i on i.version_id = q.current_version_id where q.video_id = ${videoId} and i.gate),
    answered as (
      select viewer_key, max(first) as at
      from (select a.viewer_key, i.key, min(w.answered_at) as first from quiz_attempts a
          join quiz_answers w on w.attempt_id = a.id join quiz_items i on i.id = w.item_id
        where a.video_id = ${videoId} and a.viewer_key = any(${keys}) and i.key in (select key from gates) group by 1, 2) first
      group by 1 having count(*) = (select count(*) from gates))`
  const then = sql`case when covered_at is null then null when not exists (select from gates) then covered_at
    else (select greatest(covered_at, at) from answered where answered.viewer_key = s.viewer_key) end`
  // From the keys to the rows, by the key of the table: a video may have a million viewers.
  await tx.execute(sql`
    with ${due}
    update viewer_videos s set completed_at = least(s.completed_at, ${then})
    from (select n.id, k.key from video_versions n cross join unnest(${keys}) k(key) where n.video_id = ${videoId} offset 0) w
    where s.version_id = w.id and s.viewer_key = w.key and s.covered_at is not null
      and ${then} < coalesce(s.completed_at, 'infinity')`)
  await tx.execute(sql`
    with ${due}, found as (select d.transmission_id, d.delivery_id, ${then} as at
      from (select distinct transmission_id, delivery_id, viewer_key from play_sessions
        where video_id = ${videoId} and viewer_key = any(${keys}) and delivery_id is not null) s
      join delivery_viewing d on d.transmission_id = s.transmission_id and d.delivery_id = s.delivery_id)
    update delivery_viewing d set completed_at = least(d.completed_at, f.at) from found f
    where d.transmission_id = f.transmission_id and d.delivery_id = f.delivery_id and f.at < coalesce(d.completed_at, 'infinity')`)
}
