import { watchedShare, type Attention } from '#contract/quiz-results.ts'
import { rows, type Tx } from '../../db/client.ts'
import { sql, type SQL } from '../../db/drizzle.ts'
import { firstAttempts } from '../../plays/attempts.ts'
import { byPeople } from '../../plays/programs.ts'

/** Milliseconds of session `s` that had gone by, since span `p` began, at an instant. */
function elapsed(at: SQL): SQL {
  return sql`(extract(epoch from (${at} - s.zero_at)) * 1000 - p.began_ms)`
}

/** Where span `p` stood at an instant. */
function reached(at: SQL): SQL {
  return sql`least(p.end_ms, p.start_ms + floor(greatest(0, ${elapsed(at)}) * p.rate / 100))::int`
}

/** What the spans of session `s` that earned credit played between two instants; an empty multirange for nothing. */
function played(from: SQL | undefined, to: SQL): SQL {
  const start = from ? reached(from) : sql`p.start_ms`
  return sql`select range_agg(int4range(${start}, ${reached(to)})) from play_spans p
    where p.session_id = s.id and p.refused is null and ${reached(to)} > ${start}`
}

/** How much of [teaches_from_ms, teaches_to_ms) of `w` is in a multirange, 0 to 1. */
function shareOf(parts: SQL): SQL {
  return sql`(select coalesce(sum(upper(r) - lower(r)), 0)::float8 / (w.teaches_to_ms - w.teaches_from_ms)
    from unnest(${parts} * int4multirange(int4range(w.teaches_from_ms, w.teaches_to_ms))) r)`
}

/** Everybody's first answer that was wrong, to questions that a part of the video teaches; `keys`: all by which the person watches. */
function wrongAnswers(versionId: string): SQL {
  return sql`select f.quiz_id, f.video_id, w.item_id, w.answered_at, i.teaches_from_ms, i.teaches_to_ms,
      case when f.user_id is null then array[f.viewer_key] else array['recipient:' || f.user_id, 'user:' || f.user_id] end as keys,
      (select o.version_id from play_sessions o where o.id = f.session_id) as media_version
    from (${firstAttempts(sql`a.version_id = ${versionId}`)}) f
    join quiz_answers w on w.attempt_id = f.id and w.try = 1 and not w.correct
    join quiz_items i on i.id = w.item_id and i.teaches_to_ms > i.teaches_from_ms`
}

/** When the person of `w` first gave the right answer to the same question, which belongs to one version, afterwards. */
const rightLater = sql`select min(x.answered_at) as at from quiz_attempts a join quiz_answers x on x.attempt_id = a.id
  where a.quiz_id = w.quiz_id and a.viewer_key = any(w.keys)
    and x.item_id = w.item_id and x.correct and x.answered_at > w.answered_at`

/** What the person of `w` had played by the answer, and played again before the right one in `l`. */
const playedParts = sql`select count(*) as sessions, bool_or(x.is_lost) as is_lost,
    coalesce(range_agg(x.before), '{}'::int4multirange) as before, coalesce(range_agg(x.after), '{}'::int4multirange) as after
  from play_sessions s cross join lateral (select
    case when s.last_at <= w.answered_at then s.coverage
      when s.started_at < w.answered_at then (${played(undefined, sql`w.answered_at`)}) end as before,
    case when l.at is not null and s.last_at > w.answered_at then (${played(sql`w.answered_at`, sql`l.at`)}) end as after,
    s.started_at < w.answered_at and s.last_at > w.answered_at and s.coverage <> '{}'
      and not exists (select from play_spans p where p.session_id = s.id) as is_lost) x
  where s.video_id = w.video_id and s.viewer_key = any(w.keys) and s.version_id = coalesce(w.media_version, s.version_id)
    and ${byPeople(sql`s.flags`)}`

/**
 * The moment that counts is the server's instant of the FIRST answer. Counted is what the same person had played by then, in all
 * their sessions of the version of the video in which they answered: sessions that were over with all of their coverage, the others
 * with what their spans had reached at that instant. A session whose spans are gone, and a person without any session, are not
 * known, and held against nobody. Everything is found through an index, wrong answer by wrong answer.
 */
export async function attentionOf(tx: Tx, versionId: string): Promise<Map<string, Attention>> {
  const found = await rows<Attention & { itemId: string }>(
    tx,
    sql`with wrong as materialized (${wrongAnswers(versionId)}),
      judged as (
        select w.item_id, p.sessions = 0 or p.is_lost as is_unknown,
          ${shareOf(sql`p.before`)} >= ${watchedShare} as had_watched, ${shareOf(sql`p.after`)} >= ${watchedShare} as has_rewatched
        from wrong w cross join lateral (${rightLater}) l cross join lateral (${playedParts}) p)
      select item_id as "itemId", count(*)::int as wrong,
        count(*) filter (where is_unknown)::int as unknown,
        count(*) filter (where not is_unknown and has_rewatched)::int as rewatched,
        count(*) filter (where not is_unknown and not has_rewatched and had_watched)::int as watched,
        count(*) filter (where not is_unknown and not has_rewatched and not had_watched)::int as "notWatched",
        count(*) filter (where not is_unknown and not had_watched)::int as "hadNotWatched"
      from judged group by 1`,
  )
  return new Map(found.map(({ itemId, ...attention }) => [itemId, attention]))
}
