import { row, type Database, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { lock, tryLock } from '../db/locks.ts'
import { byMonth } from './reach-worth.ts'

/**
 * What `quiz_sums` counts, each by its days. Different people with a completed attempt: of an organization, of a video, of a version
 * of its questions, and those of a version who passed. Attempts with a version that were completed; first attempts with it, failed and
 * passed, by the share of the full score.
 */
export const quizKinds = {
  people: 1,
  ofVersion: 2,
  passed: 3,
  attempts: 4,
  firstFailed: 5,
  firstPassed: 6,
  ofVideo: 7,
} as const

const kind = (name: keyof typeof quizKinds) => sql.raw(`${quizKinds[name]}::smallint`)
const differing = sql.raw(
  [quizKinds.people, quizKinds.ofVersion, quizKinds.passed, quizKinds.ofVideo].join(', '),
)
const whole = sql.raw(`'00000000-0000-0000-0000-000000000000'::uuid`)

/** Of a row of the sums. */
export const quizColumns = sql.raw('organization_id, kind, subject, day, before, share, n')
const partColumns = sql.raw('kind, subject, day, before, share, n')

/** Completed attempts of people in `marked`, each found by an index, however many the planner expects. */
function ofMarked(isTheirs: SQL, who: SQL): SQL {
  return sql`select m.v, f.* from marked m cross join lateral (
      select t.version_id, t.video_id, (t.completed_at at time zone 'UTC')::date as day, t.passed, t.is_first,
        coalesce(t.score / nullif(t.max_score, 0), -1) as share from quiz_attempts t
      where t.organization_id = m.organization_id and t.completed_at is not null and ${isTheirs} offset 0) f where ${who}`
}

const marking = (named: SQL) => sql`marked as materialized (
  select row_number() over ()::int as v, n.* from (select distinct organization_id, person, user_id from ${named}) n)`

/** CTEs over `marked`, the last of which is `parts`: what these people are worth in the sums now. */
const worth = sql`done as materialized (
      ${ofMarked(sql`t.user_id = m.user_id`, sql`m.user_id is not null`)} union all
      ${ofMarked(sql`t.viewer_key = m.person and t.user_id is null`, sql`m.user_id is null`)}),
    single(v, kind, subject, day, share, n) as (
      select v, ${kind('people')}, ${whole}, day, 0::float8, 1 from done group by v, day
      union all select v, ${kind('ofVideo')}, video_id, day, 0, 1 from done group by v, video_id, day
      union all select v, ${kind('ofVersion')}, version_id, day, 0, 1 from done group by v, version_id, day
      union all select v, ${kind('passed')}, version_id, day, 0, 1 from done where passed group by v, version_id, day
      union all select v, ${kind('attempts')}, version_id, day, 0, count(*)::int from done group by v, version_id, day
      union all select v, case when passed then ${kind('firstPassed')} else ${kind('firstFailed')} end, version_id, day, share, 1
        from done where is_first),
    parts as materialized (select m.organization_id, m.person, m.user_id, s.v, s.kind, s.subject, s.day,
        coalesce(case when s.kind in (${differing}) then lag(s.day) over (partition by s.v, s.kind, s.subject order by s.day) end, '-infinity')
          as before, s.share, s.n
      from single s join marked m on m.v = s.v)`

/** What `marked` people are worth in the sums so far, to be taken away. */
const taken = sql`select m.organization_id, p.kind, p.subject, p.day, p.before, p.share, -p.n
  from marked m cross join lateral (select t.parts from quiz_people t
    where t.organization_id = m.organization_id and t.person = m.person offset 0) r cross join unnest(r.parts) p`
const changed = sql`changed(${quizColumns}) as (select ${quizColumns} from parts union all ${taken})`

const monthOf = (column: string) => sql.raw(`date_trunc('month', ${column}::timestamp)::date`)

/** Rows by months out of rows by days: kinds that are ten higher, as in `reach_sums`. */
const months = (
  days: SQL,
) => sql`select organization_id, kind + ${byMonth} as kind, subject, ${monthOf('day')} as day,
  ${monthOf('before')} as before, share, sum(n) as n from ${days} where before < ${monthOf('day')} group by 1, 2, 3, 4, 5, 6`

const isOwn = (organizationId: string | undefined) =>
  organizationId === undefined ? sql`true` : sql`organization_id = ${organizationId}`

/** Whether nobody is to be counted first, of one organization or of all. */
async function isSettled(tx: Tx, own: SQL): Promise<boolean> {
  return (await row(tx, sql`select 1 from quiz_marks where ${own} limit 1`)) === undefined
}

/**
 * Rows like those of `quiz_sums`, which add up to what is true at this instant. People who are still to be counted are taken out as
 * they were and put in as they are; nearly always there are none, and then the sums alone are read.
 */
export async function quizSumsNow(tx: Tx, organizationId: string | undefined): Promise<SQL> {
  const own = isOwn(organizationId)
  if (await isSettled(tx, own)) return sql`quiz_sums`
  return sql`(with ${marking(sql`quiz_marks where ${own}`)}, ${worth}, ${changed}
    select ${quizColumns} from quiz_sums union all select ${quizColumns} from changed
    union all select ${quizColumns} from (${months(sql`changed`)}) m)`
}

/** The same rows of some people alone, by days, each with its `person`. `member`: a condition on `p.user_id`. */
export async function quizPartsNow(
  tx: Tx,
  { organizationId, member }: { organizationId: string | undefined; member: SQL },
): Promise<SQL> {
  const own = isOwn(organizationId)
  const kept = sql`select p.organization_id, p.person, ${partColumns} from quiz_people p cross join unnest(p.parts) where ${own} and (${member})`
  if (await isSettled(tx, own)) return sql`(${kept})`
  return sql`(with ${marking(sql`quiz_marks where ${own}`)}, ${worth}
    ${kept} and (p.organization_id, p.person) not in (select organization_id, person from marked)
    union all select p.organization_id, p.person, ${partColumns} from parts p where ${member})`
}

/** Marks in one transaction. */
const chunk = 5_000

/**
 * Brings the sums up to date with the people who have been marked, as many as the time allows (milliseconds); another process that
 * does so already is left to it.
 */
export async function settleQuizSums(db: Database, patienceMs = Infinity): Promise<void> {
  const until = performance.now() + patienceMs
  const waiting = await db.system.query('select 1 from quiz_marks limit 1')
  if (waiting.rows.length === 0) return
  while ((await db.as('system', settleSome)) && performance.now() < until);
}

/** Whether there may be more. The statement sees no attempt whose mark it does not see, and the other way round. */
async function settleSome(tx: Tx): Promise<boolean> {
  const held = await row<{ mine: boolean }>(
    tx,
    sql`select ${tryLock('quizSums')} as mine, set_config('work_mem', '32MB', true),
      set_config('enable_nestloop', 'off', true)`,
  )
  if (held?.mine !== true) return false
  const done = await row<{ n: number; emptied: string | null }>(
    tx,
    sql`with gone as materialized (delete from quiz_marks where ctid = any(array(select ctid from quiz_marks limit ${chunk})) returning *),
      ${marking(sql`gone`)}, ${worth}, ${changed},
      summed as (select organization_id, kind, subject, day, before, share, sum(n) as n from changed group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0),
      ours as (select v, array_agg((${partColumns})::quiz_part) as parts from parts group by v),
      kept as (insert into quiz_people as r (organization_id, person, user_id, parts)
        select m.organization_id, m.person, m.user_id, o.parts from ours o join marked m on m.v = o.v
        on conflict (organization_id, person) do update set parts = excluded.parts where r.parts is distinct from excluded.parts),
      lost as (delete from quiz_people where ctid = any(array(select r.at from marked m cross join lateral (select t.ctid as at from quiz_people t
        where t.organization_id = m.organization_id and t.person = m.person offset 0) r where m.v not in (select v from ours)))),
      written as (insert into quiz_sums as s (${quizColumns})
        select ${quizColumns} from summed union all select ${quizColumns} from (${months(sql`summed`)}) m where n <> 0
        on conflict (kind, organization_id, day, before, subject, share) do update set n = s.n + excluded.n returning s.*)
    select (select count(*)::int from gone) as n, (select json_agg(w) from written w where w.n = 0)::text as emptied`,
  )
  if (done?.emptied) await removeEmptied(tx, done.emptied)
  return done?.n === chunk
}

async function removeEmptied(tx: Tx, emptied: string): Promise<void> {
  await tx.execute(sql`delete from quiz_sums s using json_populate_recordset(null::quiz_sums, ${emptied}::json) e
    where s.kind = e.kind and s.organization_id = e.organization_id and s.day = e.day and s.before = e.before and s.subject = e.subject
      and s.share = e.share`)
}

/** Counts everybody anew. Until that is done, reports count by themselves those who are still missing. */
export async function recountQuizSums(db: Database): Promise<void> {
  await db.as('system', async (tx) => {
    await row(tx, sql`select ${lock('quizSums')}, set_config('statement_timeout', '0', true)`)
    for (const table of ['quiz_sums', 'quiz_people', 'quiz_marks'])
      await tx.execute(sql`delete from ${sql.raw(table)}`)
    await tx.execute(sql`insert into quiz_marks (organization_id, person, user_id)
      select distinct organization_id, coalesce(user_id::text, viewer_key), user_id from quiz_attempts where completed_at is not null`)
  })
  await settleQuizSums(db)
}
