import { row, type Database, type Tx } from '../db/client.ts'
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

const weights = ['forgotten', 'known', 'finished', 'seen_ms', 'covered_ms', 'watch_ms'] as const
const summed = sql.raw(weights.map((name) => `sum(${name}) as ${name}`).join(', '))
const weightList = sql.raw(weights.join(', '))
const none = sql.raw('0, 0, 0, 0, 0, 0::bigint')
const whole = sql.raw(`'00000000-0000-0000-0000-000000000000'::uuid`)
const utcDate = (column: string) => sql.raw(`(${column} at time zone 'UTC')::date`)

/**
 * Rows of one table that belong to viewers in `marked`: people by their id, all others by their key. `offset 0` has each found by an
 * index, however many the planner expects.
 */
function ofMarked(table: 'viewer_days' | 'viewer_videos', columns: SQL): SQL {
  const from = sql.raw(table)
  const of = (isTheirs: SQL, who: SQL) => sql`select m.v, f.* from marked m
    cross join lateral (select t.video_id, t.viewer_key, ${columns} from ${from} t
      where t.organization_id = m.organization_id and ${isTheirs} offset 0) f where ${who}`
  return sql`${of(sql`t.user_id = m.user_id`, sql`m.user_id is not null`)}
    union all ${of(sql`t.viewer_key = m.viewer and t.user_id is null`, sql`m.user_id is null`)}`
}

/** `marked`: those who are named (several times, some of them), each with a number, which is grouped faster than an id. */
const marking = (named: SQL) => sql`marked as materialized (
  select row_number() over ()::int as v, n.* from (select distinct organization_id, viewer, user_id from ${named}) n)`

/**
 * CTEs over `marked`, the last of which is `parts`: what these viewers are worth in the sums now. A viewer saw a version on the days of
 * their viewing that lie between their first and their last visit to it. A viewing is known as long as what was covered is.
 */
const worth = sql`seen as materialized (
      ${ofMarked('viewer_days', sql`t.day::date as day, t.plays > 0 as played, t.user_id is not null as is_named`)}),
    stand as materialized (${ofMarked(
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

const columns = sql`organization_id, kind, subject, day, before, n, ${weightList}`
const part = sql`(kind, subject, day, before, ${weightList})::reach_part`

const isWorth = sql.raw(['n', ...weights].map((name) => `${name} <> 0`).join(' or '))
const monthOf = (column: string) => sql.raw(`date_trunc('month', ${column}::timestamp)::date`)

/** Rows by months out of rows by days. */
const months = (
  days: SQL,
) => sql`select organization_id, kind + ${byMonth} as kind, subject, ${monthOf('day')} as day, ${monthOf('before')} as before,
  sum(n) as n, ${summed} from ${days} where before < ${monthOf('day')} group by 1, 2, 3, 4, 5`

/** What `marked` viewers are worth in the sums so far, to be taken away. */
const taken = sql`select m.organization_id, p.kind, p.subject, p.day, p.before, -1, ${sql.raw(weights.map((name) => `-p.${name}`).join(', '))}
  from marked m cross join lateral (select t.parts from viewer_reach t
    where t.organization_id = m.organization_id and t.viewer = m.viewer offset 0) r cross join unnest(r.parts) p`
const changed = sql`changed(${columns}) as (select ${columns} from parts union all ${taken})`

/**
 * Rows like those of `reach_sums`, which add up to what is true at this instant. Viewers who are still to be counted are taken out
 * as they were and put in as they are; nearly always there are none, and then the sums alone are read.
 */
export async function reachNow(tx: Tx, organizationId: string | undefined): Promise<SQL> {
  const own = organizationId === undefined ? sql`true` : sql`organization_id = ${organizationId}`
  const waiting = await row(tx, sql`select 1 from reach_marks where ${own} limit 1`)
  if (!waiting) return sql`reach_sums`
  const named = sql`reach_marks where ${own}`
  return sql`(with ${marking(named)}, ${worth}, ${changed}
    select ${columns} from reach_sums union all select ${columns} from changed
    union all select ${columns} from (${months(sql`changed`)}) m)`
}

/** Of the advisory lock under which one process at a time brings the sums up to date. */
const lockKey = 42_001
/** Marks in one transaction. */
const chunk = 5_000

/**
 * Brings the sums up to date with the viewers who have been marked, as many as the time allows (milliseconds); another process that
 * does so already is left to it.
 */
export async function settleReach(db: Database, patienceMs = Infinity): Promise<void> {
  const until = performance.now() + patienceMs
  const waiting = await db.system.query('select 1 from reach_marks limit 1')
  if (waiting.rows.length === 0) return
  while ((await db.as('system', settleSome)) && performance.now() < until);
}

/**
 * Whether there may be more. The statement sees no viewer whose mark it does not see, and the other way round. The planner takes the
 * marks for a handful; what is looked up one by one is written so, and everything else must not be.
 */
async function settleSome(tx: Tx): Promise<boolean> {
  const lock = await row<{ mine: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(${lockKey}) as mine, set_config('work_mem', '32MB', true),
      set_config('enable_nestloop', 'off', true)`,
  )
  if (lock?.mine !== true) return false
  const done = await row<{ n: number; emptied: string | null }>(
    tx,
    sql`with gone as materialized (delete from reach_marks where ctid = any(array(select ctid from reach_marks limit ${chunk})) returning *),
      ${marking(sql`gone`)}, ${worth}, ${changed},
      summed as (select organization_id, kind, subject, day, before, sum(n) as n, ${summed} from changed
        group by 1, 2, 3, 4, 5 having ${sql.raw(['n', ...weights].map((name) => `sum(${name}) <> 0`).join(' or '))}),
      ours as (select v, array_agg(${part}) as parts from parts group by v),
      kept as (insert into viewer_reach as r (organization_id, viewer, parts) select m.organization_id, m.viewer, o.parts from ours o join marked m on m.v = o.v
        on conflict (organization_id, viewer) do update set parts = excluded.parts where r.parts is distinct from excluded.parts),
      lost as (delete from viewer_reach where ctid = any(array(select r.at from marked m cross join lateral (select t.ctid as at from viewer_reach t
        where t.organization_id = m.organization_id and t.viewer = m.viewer offset 0) r where m.v not in (select v from ours)))),
      written as (insert into reach_sums as s (${columns}) select ${columns} from summed union all select ${columns} from (${months(sql`summed`)}) m where ${isWorth}
        on conflict (kind, organization_id, day, before, subject) do update set
          ${sql.raw(['n', ...weights].map((name) => `${name} = s.${name} + excluded.${name}`).join(', '))}
        returning s.*)
    select (select count(*)::int from gone) as n, (select json_agg(w) from written w where w.n = 0)::text as emptied`,
  )
  if (done?.emptied) await removeEmptied(tx, done.emptied)
  return done?.n === chunk
}

async function removeEmptied(tx: Tx, emptied: string): Promise<void> {
  await tx.execute(sql`delete from reach_sums s using json_populate_recordset(null::reach_sums, ${emptied}::json) e
    where s.kind = e.kind and s.organization_id = e.organization_id and s.day = e.day and s.before = e.before and s.subject = e.subject`)
}

/** Counts everybody anew. Until that is done, reports count by themselves those who are still missing. */
export async function recountReach(db: Database): Promise<void> {
  await db.as('system', async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(${lockKey}), set_config('statement_timeout', '0', true)`)
    for (const table of ['reach_sums', 'viewer_reach', 'reach_marks'])
      await tx.execute(sql`delete from ${sql.raw(table)}`)
    await tx.execute(sql`insert into reach_marks (organization_id, viewer, user_id)
      select organization_id, coalesce(user_id::text, viewer_key), user_id from viewer_days
      union select organization_id, coalesce(user_id::text, viewer_key), user_id from viewer_videos`)
  })
  await settleReach(db)
}
