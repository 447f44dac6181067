import { noteDirty } from '../platform/derived/keys.ts'
import * as z from 'zod/mini'
import { watchedShare, type WatchedBefore } from '#contract/quizzes/quiz-results.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { catchUp, type DerivedFigure } from '../platform/derived/keys.ts'
import { byPeople } from '../tracking/programs.ts'

/** What somebody who got a question wrong had watched of the part that teaches it, and whether they did so again and then knew. */
const verdicts = { unknown: 1, watched: 2, notWatched: 3, rewatched: 4, watchedAtLast: 5 } as const

const verdict = (name: keyof typeof verdicts) => sql.raw(`${verdicts[name]}::smallint`)

/** Questions of every version whose part of the video is known. */
function taught(videoId: string): SQL {
  return sql`select i.id, i.version_id, v.quiz_id, i.teaches_from_ms as from_ms, i.teaches_to_ms as to_ms
    from quizzes z join quiz_versions v on v.quiz_id = z.id join quiz_items i on i.version_id = v.id
    where z.video_id = ${videoId} and i.teaches_to_ms > i.teaches_from_ms`
}

/** Whose first answer was wrong and when, and the version of the video in which they gave it. */
// Under the tenant policy no index can look for an expression like that of a person, only for the keys themselves.
const wrongs = sql`select row_number() over ()::int as id, m.person, a.organization_id, a.user_id, a.viewer_key, a.version_id, t.id as item_id,
    t.quiz_id, t.from_ms, t.to_ms, w.answered_at as wrong_at, o.version_id as media_version
  from (select distinct quiz_id from taught) z
  cross join (select person, unnest(array[person, 'recipient:' || person, 'user:' || person]) as key from marked) m
  join quiz_attempts a on a.quiz_id = z.quiz_id and a.is_first and a.viewer_key = m.key
  join taught t on t.version_id = a.version_id
  join quiz_answers w on w.attempt_id = a.id and w.item_id = t.id and w.try = 1 and not w.correct
  left join play_sessions o on o.id = a.session_id`

/** When they first gave the right answer to it afterwards, in a later try or another attempt. */
function rights(): SQL {
  const of = (isTheirs: SQL, who: SQL) => sql`select f.id, w.answered_at from wrongs f
    join quiz_attempts t on ${isTheirs} and t.version_id = f.version_id
    join quiz_answers w on w.attempt_id = t.id and w.item_id = f.item_id and w.correct and (w.try > 1 or not t.is_first)
      and w.answered_at > f.wrong_at where ${who}`
  return sql`select id, min(answered_at) as right_at from (
      ${of(sql`t.organization_id = f.organization_id and t.user_id = f.user_id`, sql`f.user_id is not null`)} union all
      ${of(sql`t.quiz_id = f.quiz_id and t.viewer_key = f.viewer_key and t.user_id is null`, sql`f.user_id is null`)}) found group by 1`
}

/** What they watched of that version, by whichever link or session. */
function sittings(videoId: string): SQL {
  return sql`select w.id as wrong_id, w.wrong_at, w.right_at, w.from_ms, w.to_ms, s.*
    from (select w.*, r.right_at from wrongs w left join rights r on r.id = w.id) w
    cross join lateral (select w.viewer_key as key where w.user_id is null union all
      select kind || w.user_id from unnest(array['recipient:', 'user:']) kind where w.user_id is not null) k
    join lateral (select t.id, t.started_at, t.zero_at, t.last_at, t.coverage from play_sessions t
      where t.video_id = ${videoId} and t.viewer_key = k.key and t.version_id = coalesce(w.media_version, t.version_id)
        and ${byPeople(sql`t.flags`)}) s on true`
}

/** Where span `p` of session `s` stood at an instant, its end not minded; in whole milliseconds, from whole microseconds. */
function reached(at: SQL): SQL {
  return sql`p.start_ms + greatest(0, (date_part('epoch', ${at} - s.zero_at) * 1e6)::bigint - p.began_ms * 1000) * p.rate / 100000`
}

function between(from: SQL, to: SQL): SQL {
  return sql`case when ${from} < ${to} then int4multirange(int4range((${from})::int, (${to})::int)) end`
}

/** Of the part that teaches it: what was played by the wrong answer, and what between that and the right one. */
const pieces = sql`select wrong_id, coverage * int4multirange(int4range(from_ms, to_ms)) as before, null::int4multirange as after
    from sittings where last_at <= wrong_at
    union all
    select wrong_id, ${between(sql`low`, sql`least(high, wrong_ms)`)}, ${between(sql`greatest(low, wrong_ms)`, sql`least(high, right_ms)`)}
    from (select s.wrong_id, greatest(p.start_ms, s.from_ms) as low, least(p.end_ms, s.to_ms) as high,
        case when s.started_at < s.wrong_at then ${reached(sql`s.wrong_at`)} else p.start_ms end as wrong_ms,
        case when s.right_at is null then p.start_ms else ${reached(sql`s.right_at`)} end as right_ms
      from sittings s join play_spans p
        on p.session_id = s.id and p.refused is null and p.start_ms < s.to_ms and p.end_ms > s.from_ms
      where s.last_at > s.wrong_at and (s.started_at < s.wrong_at or s.right_at is not null)) clipped`

/** Whether people have a session at all, and one that was under way at their answer and whose spans are gone. */
const known = sql`select wrong_id, bool_or(started_at < wrong_at and last_at > wrong_at and coverage <> '{}'
    and not exists (select from play_spans p where p.session_id = s.id)) as is_lost
  from sittings s group by 1`

/** Whether a multirange within the part holds enough of it. */
function isWatched(parts: SQL): SQL {
  return sql`coalesce((select sum(upper(r) - lower(r)) from unnest(${parts}) r), 0) >= ${watchedShare}::float8 * (w.to_ms - w.from_ms)`
}

/**
 * CTEs over `marked` people, the last of which is `judged`: each question that they got wrong, with a verdict. The moment that counts is
 * the server's instant of the FIRST answer. Counted is what the same person had played by then, in all their sessions of the version of
 * the video in which they answered: sessions that were over with all of their coverage, the others with what their spans had reached at
 * that instant. A session whose spans are gone, and a person without any session, are not known, and held against nobody; a first
 * session of theirs decides whenever it comes.
 */
function judging(videoId: string): SQL {
  return sql`taught as materialized (${taught(videoId)}), wrongs as materialized (${wrongs}), rights as materialized (${rights()}),
    sittings as materialized (${sittings(videoId)}),
    played as (select wrong_id, range_agg(before) as before, range_agg(after) as after from (${pieces}) pieces group by 1),
    judged as materialized (select person, item_id, organization_id,
        case when not has_session or is_lost then ${verdict('unknown')}
          when has_rewatched then case when had_watched then ${verdict('rewatched')} else ${verdict('watchedAtLast')} end
          when had_watched then ${verdict('watched')} else ${verdict('notWatched')} end as verdict,
        case when has_session then greatest(wrong_at, right_at) else 'infinity' end as until
      from (select w.*, r.right_at, k.wrong_id is not null as has_session, k.is_lost, ${isWatched(sql`p.before`)} as had_watched,
          ${isWatched(sql`p.after`)} as has_rewatched
        from wrongs w left join rights r on r.id = w.id left join (${known}) k on k.wrong_id = w.id left join played p on p.wrong_id = w.id) w)`
}

/** As many people are judged while somebody waits for the figures. */
const mostAtOnce = 200

const CountedVerdict = z.object({ verdict: z.number(), n: z.number() })
type CountedVerdict = z.infer<typeof CountedVerdict>

/** Of everybody who got a question wrong; `asOf`: changes since this instant are not in it yet, null when there are none. */
export async function watchedBeforeOf(
  tx: Tx,
  { organizationId, videoId, itemId }: { organizationId: string; videoId: string; itemId: string },
): Promise<{ attention: WatchedBefore; asOf: string | null }> {
  const asOf = await catchUp(tx, { figure: attention, organizationId, subject: videoId }, mostAtOnce)
  const counted = await rows(
    tx,
    CountedVerdict,
    sql`select verdict, count(*)::int as n from quiz_attention where item_id = ${itemId} group by verdict`,
  )
  const count = (...names: (keyof typeof verdicts)[]) =>
    counted.reduce(
      (sum, one) => (names.some((name) => verdicts[name] === one.verdict) ? sum + one.n : sum),
      0,
    )
  const found = {
    wrong: counted.reduce((sum, { n }) => sum + n, 0),
    unknown: count('unknown'),
    rewatched: count('rewatched', 'watchedAtLast'),
    watched: count('watched'),
    notWatched: count('notWatched'),
    hadNotWatched: count('notWatched', 'watchedAtLast'),
  }
  return { attention: found, asOf }
}

/**
 * What those had watched who got a question wrong: of a video and a person. Under the lock of the video, so that nobody's verdict is
 * found while their sessions change.
 */
export const attention: DerivedFigure = {
  name: 'attention',
  bySubject: true,
  lock: 'videoResults',
  most: 1_000,
  // Judging costs as much for each person, and whoever writes sessions of the video waits.
  collapses: false,
  restMs: 400,
  async recompute(tx, { subject }, keys) {
    if (subject === null) return
    const people = arrayOf(
      keys.map(({ person }) => person),
      'text',
    )
    await tx.execute(
      sql`with marked as materialized (select person from unnest(${people}) m(person)), ${judging(subject)},
        kept as (insert into quiz_attention as t (video_id, person, item_id, organization_id, verdict, until)
          select ${subject}, person, item_id, organization_id, verdict, until from judged
          on conflict (video_id, person, item_id) do update set verdict = excluded.verdict, until = excluded.until
            where (t.verdict, t.until) is distinct from (excluded.verdict, excluded.until))
        delete from quiz_attention t where t.video_id = ${subject} and t.person in (select person from marked)
          and (t.person, t.item_id) not in (select person, item_id from judged)`,
    )
  },
}

/** Has everybody judged anew. */
export async function markAllVerdicts(tx: Tx): Promise<void> {
  await noteDirty(
    tx,
    sql`select 'attention', organization_id, video_id, person from quiz_attention
    union select 'attention', organization_id, video_id, coalesce(user_id::text, viewer_key) from quiz_attempts
      where is_first and teaches(version_id)`,
  )
}
