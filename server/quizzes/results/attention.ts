import { watchedShare, type Attention, type QuestionAttention } from '#contract/quiz-results.ts'
import { row, type Tx } from '../../db/client.ts'
import { sql, type SQL } from '../../db/drizzle.ts'
import { refuse } from '../../errors.ts'
import { person } from '../../plays/attempts.ts'
import { byPeople } from '../../plays/programs.ts'
import { findHead } from './head.ts'

/** A question, and the part [fromMs, toMs) of the video that teaches it. */
type Taught = { itemId: string; versionId: string; fromMs: number; toMs: number }

/** Whose first answer was wrong and when, and the version of the video in which they gave it. */
function wrongs({ itemId, versionId }: Taught): SQL {
  return sql`select a.id, a.viewer_key, a.user_id, ${person} as person, w.answered_at as wrong_at, o.version_id as media_version
    from quiz_answers w join quiz_attempts a on a.id = w.attempt_id left join play_sessions o on o.id = a.session_id
    where w.item_id = ${itemId} and w.try = 1 and not w.correct and a.version_id = ${versionId} and a.is_first`
}

/** When they first gave the right answer to it afterwards, in a later try or another attempt. */
function rights({ itemId, versionId }: Taught): SQL {
  return sql`select f.id, min(w.answered_at) as right_at from quiz_answers w join quiz_attempts a on a.id = w.attempt_id
    join wrongs f on f.person = ${person} and w.answered_at > f.wrong_at
    where w.item_id = ${itemId} and w.correct and (w.try > 1 or not a.is_first) and a.version_id = ${versionId} group by 1`
}

/** What they watched of that version, by whichever link or session. */
function sittings(videoId: string): SQL {
  return sql`select w.id as wrong_id, w.wrong_at, r.right_at, s.id, s.started_at, s.zero_at, s.last_at, s.coverage
    from (select * from wrongs where user_id is null union all
      select id, kind || user_id, user_id, person, wrong_at, media_version from wrongs, unnest(array['recipient:', 'user:']) kind
        where user_id is not null) w
    left join (select * from rights) r on r.id = w.id
    join play_sessions s on s.video_id = ${videoId} and s.viewer_key = w.viewer_key
      and s.version_id = coalesce(w.media_version, s.version_id) and ${byPeople(sql`s.flags`)}`
}

/** Where span `p` of session `s` stood at an instant, its end not minded; in whole milliseconds, from whole microseconds. */
function reached(at: SQL): SQL {
  return sql`p.start_ms + greatest(0, (date_part('epoch', ${at} - s.zero_at) * 1e6)::bigint - p.began_ms * 1000) * p.rate / 100000`
}

function between(from: SQL, to: SQL): SQL {
  return sql`case when ${from} < ${to} then int4multirange(int4range((${from})::int, (${to})::int)) end`
}

/** Of the part that teaches it: what was played by the wrong answer, and what between that and the right one. */
function pieces({ fromMs, toMs }: Taught): SQL {
  return sql`select wrong_id, coverage * int4multirange(int4range(${fromMs}, ${toMs})) as before, null::int4multirange as after
    from sittings where last_at <= wrong_at
    union all
    select wrong_id, ${between(sql`low`, sql`least(high, wrong_ms)`)}, ${between(sql`greatest(low, wrong_ms)`, sql`least(high, right_ms)`)}
    from (select s.wrong_id, greatest(p.start_ms, ${fromMs}) as low, least(p.end_ms, ${toMs}) as high,
        case when s.started_at < s.wrong_at then ${reached(sql`s.wrong_at`)} else p.start_ms end as wrong_ms,
        case when s.right_at is null then p.start_ms else ${reached(sql`s.right_at`)} end as right_ms
      from sittings s join play_spans p on p.session_id = s.id and p.refused is null and p.start_ms < ${toMs} and p.end_ms > ${fromMs}
      where s.last_at > s.wrong_at and (s.started_at < s.wrong_at or s.right_at is not null)) clipped`
}

/** Whether people have a session at all, and one that was under way at their answer and whose spans are gone. */
const known = sql`select wrong_id, bool_or(started_at < wrong_at and last_at > wrong_at and coverage <> '{}'
    and not exists (select from play_spans p where p.session_id = s.id)) as is_lost
  from sittings s group by 1`

/** Whether a multirange within the part holds enough of it. */
function isWatched(parts: SQL, { fromMs, toMs }: Taught): SQL {
  return sql`coalesce((select sum(upper(r) - lower(r)) from unnest(${parts}) r), 0) >= ${watchedShare * (toMs - fromMs)}`
}

/**
 * The moment that counts is the server's instant of the FIRST answer. Counted is what the same person had played by then, in all
 * their sessions of the version of the video in which they answered: sessions that were over with all of their coverage, the others
 * with what their spans had reached at that instant. A session whose spans are gone, and a person without any session, are not
 * known, and held against nobody.
 */
function attentionOf(tx: Tx, { videoId, ...taught }: Taught & { videoId: string }) {
  return row<Attention>(
    tx,
    sql`with wrongs as materialized (${wrongs(taught)}), rights as materialized (${rights(taught)}),
      sittings as materialized (${sittings(videoId)}),
      played as (select wrong_id, range_agg(before) as before, range_agg(after) as after from (${pieces(taught)}) pieces group by 1),
      judged as materialized (select k.wrong_id is null or k.is_lost as is_unknown,
          ${isWatched(sql`p.before`, taught)} as had_watched, ${isWatched(sql`p.after`, taught)} as has_rewatched
        from wrongs w left join (${known}) k on k.wrong_id = w.id left join played p on p.wrong_id = w.id)
      select count(*)::int as wrong,
        count(*) filter (where is_unknown)::int as unknown,
        count(*) filter (where not is_unknown and has_rewatched)::int as rewatched,
        count(*) filter (where not is_unknown and not has_rewatched and had_watched)::int as watched,
        count(*) filter (where not is_unknown and not has_rewatched and not had_watched)::int as "notWatched",
        count(*) filter (where not is_unknown and not had_watched)::int as "hadNotWatched"
      from judged`,
  )
}

type Asked = { videoId: string; itemId: string }

/** What the people who got a question wrong had watched; of fewer than the smallest group nothing is said. */
export async function questionAttention(tx: Tx, { videoId, itemId }: Asked): Promise<QuestionAttention> {
  const { isRecorded, smallestGroup, versions } = await findHead(tx, videoId)
  const item = await row<Taught & { isTaught: boolean }>(
    tx,
    sql`select id as "itemId", version_id as "versionId", teaches_from_ms as "fromMs", teaches_to_ms as "toMs",
        teaches_to_ms > teaches_from_ms is true as "isTaught" from quiz_items where id = ${itemId}`,
  )
  if (!item || versions.every(({ id }) => id !== item.versionId)) throw refuse('not_found')
  const found = isRecorded && item.isTaught ? await attentionOf(tx, { videoId, ...item }) : undefined
  return { isRecorded, attention: found && found.wrong >= smallestGroup ? found : null }
}
