import { sql, type SQL } from '../db/drizzle.ts'

/**
 * What `reach_sums` counts, each by its days: people known by name who opened a video; viewers who played anything; viewings (a viewer
 * and a video), with those of which only the day is kept, those of which more is known, and the completed among these; viewings whose
 * threshold was reached, by the days on which it was; viewers of a version, with how far they got.
 */
export const reachKinds = { people: 1, viewers: 2, viewings: 3, completed: 4, versions: 5 } as const
export type ReachKind = keyof typeof reachKinds

export const kindOf = (kind: ReachKind) => sql.raw(`${reachKinds[kind]}::smallint`)

/**
 * The same by months: kinds that are ten higher, whose `day` is the first of a month and whose `before` that of the month in which they
 * had been there last. It follows from the days: those whose `before` lies in an earlier month.
 */
export const byMonth = sql.raw('10::smallint')

/** `before` of the rows that say how many were there on a day (or in a month) at all, whenever they had been there last. */
export const anyTime = sql.raw(`'infinity'::date`)

const weights = ['forgotten', 'known', 'finished', 'seen_ms', 'covered_ms', 'watch_ms'] as const
const weightList = sql.raw(weights.join(', '))
const none = sql.raw('0, 0, 0, 0, 0, 0::bigint')
const whole = sql.raw(`'00000000-0000-0000-0000-000000000000'::uuid`)
const utcDate = (column: string) => sql.raw(`(${column} at time zone 'UTC')::date`)

export const summedWeights = sql.raw(weights.map((name) => `sum(${name}) as ${name}`).join(', '))
export const addedWeights = sql.raw(
  ['n', ...weights].map((name) => `${name} = s.${name} + excluded.${name}`).join(', '),
)
const isAny = sql.raw(['n', ...weights].map((name) => `sum(${name}) <> 0`).join(' or '))
/** Columns of `reach_sums`. */
export const sumColumns = sql`organization_id, kind, subject, day, before, n, ${weightList}`
/** A row of `parts` as one value. */
export const onePart = sql`(kind, subject, day, before, ${weightList})::reach_part`

/** Where the days of viewers come from; each gives rows with the number of their viewer in `marked`, `v`. */
type Source = (table: 'viewer_days' | 'viewer_videos', columns: SQL) => SQL

/** People are found by their id, all others by their key. `offset 0` has each found by an index, however many the planner expects. */
const ofMarked: Source = (table, columns) => {
  const from = sql.raw(table)
  const of = (isTheirs: SQL, who: SQL) => sql`select m.v, f.* from marked m
    cross join lateral (select t.video_id, t.viewer_key, ${columns} from ${from} t
      where t.organization_id = m.organization_id and ${isTheirs} offset 0) f where ${who}`
  return sql`${of(sql`t.user_id = m.user_id`, sql`m.user_id is not null`)}
    union all ${of(sql`t.viewer_key = m.viewer and t.user_id is null`, sql`m.user_id is null`)}`
}

/** Everybody of an organization is marked: their rows are read as they lie. */
const ofEverybody =
  (organizationId: SQL): Source =>
  (table, columns) =>
    sql`select m.v, t.video_id, t.viewer_key, ${columns} from ${sql.raw(table)} t
    join marked m on m.viewer = coalesce(t.user_id::text, t.viewer_key) where t.organization_id = ${organizationId}`

/** CTE `marked`: those who are named (several times, some of them), each with a number, which is grouped faster than an id. */
const marking = (named: SQL) => sql`marked as materialized (
  select row_number() over ()::int as v, n.* from (select distinct organization_id, viewer, user_id from ${named}) n)`

/**
 * CTEs over `marked`, the last of which is `parts`: what these viewers are worth in the sums now. A viewer saw a version on the days of
 * their viewing that lie between their first and their last visit to it. A viewing is known as long as what was covered is.
 */
const worth = (source: Source) => sql`seen as materialized (
      ${source('viewer_days', sql`t.day::date as day, t.plays > 0 as played, t.user_id is not null as is_named`)}),
    stand as materialized (${source(
      'viewer_videos',
      sql`t.version_id, ${utcDate('t.first_at')} as first_day, ${utcDate('t.last_at')} as last_day, ${utcDate('t.completed_at')} as completed_day,
        t.covered_ms, t.watch_ms, t.plays > 0 and not (t.completed_at is not null and t.covered_ms = 0) as is_known`,
    )}),
    standing as (select v, video_id, 1 as known, bool_or(completed_day is not null)::int as finished from stand where is_known group by 1, 2),
    single(kind, v, subject, via, day, ${weightList}) as (
      select ${kindOf('people')}, v, ${whole}, ''::text, day, ${none} from seen where is_named group by v, day
      union all select ${kindOf('viewers')}, v, ${whole}, '', day, ${none} from seen where played group by v, day
      union all select ${kindOf('viewings')}, s.v, s.video_id, '', s.day, max((s.viewer_key like 'gone:%')::int), coalesce(max(k.known), 0),
          coalesce(max(k.finished), 0), 0, 0, 0
        from seen s left join standing k on k.v = s.v and k.video_id = s.video_id where s.played group by s.v, s.video_id, s.day
      union all select ${kindOf('completed')}, v, video_id, '', completed_day, ${none} from stand where completed_day is not null group by v, video_id, completed_day
      union all select ${kindOf('versions')}, s.v, s.version_id, s.viewer_key, d.day, 0, 0, 0,
          least(s.covered_ms, coalesce(nullif(n.duration_ms, 0), s.covered_ms)), s.covered_ms, s.watch_ms
        from stand s join seen d on d.v = s.v and d.video_id = s.video_id and d.viewer_key = s.viewer_key and d.played
          and d.day between s.first_day and s.last_day
        cross join lateral (select t.duration_ms from video_versions t where t.id = s.version_id offset 0) n where s.is_known),
    parts as materialized (select m.organization_id, s.v, s.kind, s.subject, s.day,
        coalesce(lag(s.day) over (partition by s.v, s.kind, s.subject, s.via order by s.day), '-infinity') as before, 1 as n, ${weightList}
      from single s join marked m on m.v = s.v)`

/** What `marked` viewers are worth in the sums so far, to be taken away. */
const taken = sql`select m.organization_id, p.kind, p.subject, p.day, p.before, -1, ${sql.raw(weights.map((name) => `-p.${name}`).join(', '))}
  from marked m cross join lateral (select t.parts from viewer_reach t
    where t.organization_id = m.organization_id and t.viewer = m.viewer offset 0) r cross join unnest(r.parts) p`

const monthOf = (column: string) => sql.raw(`date_trunc('month', ${column}::timestamp)::date`)

/** CTE `summed`: the rows of the sums that follow from the parts of single viewers, by days and by months, and those of any time before. */
const summing = (
  parts: SQL,
) => sql`by_days as (select ${sumColumns} from (select organization_id, kind, subject, day, before, sum(n) as n, ${summedWeights}
      from ${parts} group by 1, 2, 3, 4, 5 having ${isAny}) d),
    by_months as (select organization_id, (kind + ${byMonth})::smallint as kind, subject, ${monthOf('day')} as day, ${monthOf('before')} as before,
      sum(n) as n, ${summedWeights} from by_days where before < ${monthOf('day')} group by 1, 2, 3, 4, 5 having ${isAny}),
    by_before as materialized (select * from by_days union all select * from by_months),
    summed as (select ${sumColumns} from by_before
      union all select organization_id, kind, subject, day, ${anyTime}, sum(n), ${summedWeights} from by_before group by 1, 2, 3, 4 having ${isAny})`

/** CTEs `marked`, `parts` and `summed`: by how much the sums differ from what the viewers who are `named` are worth now. */
export const differences = (named: SQL) => sql`${marking(named)}, ${worth(ofMarked)},
  changed(${sumColumns}) as (select ${sumColumns} from parts union all ${taken}), ${summing(sql`changed`)}`

/** CTEs `marked`, `parts` and `summed` of everybody in an organization, as if nobody were in the sums yet. */
export const everything = (organizationId: SQL) => {
  const viewers = (table: string) =>
    sql`select organization_id, coalesce(user_id::text, viewer_key) as viewer, user_id from ${sql.raw(table)} where organization_id = ${organizationId}`
  return sql`${marking(sql`(${viewers('viewer_days')} union ${viewers('viewer_videos')}) everybody`)},
    ${worth(ofEverybody(organizationId))}, ${summing(sql`parts`)}`
}
