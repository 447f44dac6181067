import { rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { byMonth, kindOf, type ReachKind } from '../plays/reach.ts'
import { calendar, during, ofVideos, onDays, owned, persons, shows, utcDay, type Ground } from './ground.ts'
import { addDays } from './span.ts'

/** A report on all people and videos is read from sums, a narrower one from the days of those whom it is about. */
export function isWhole(ground: Ground): boolean {
  return !persons(ground, sql`null`) && !ofVideos(ground.subjects, sql`null`)
}

/** The first day after the whole months with which the period begins: of what is not over, nothing more is to come. */
export function monthsEnd({ span: { from, to } }: Ground): string {
  if (!from.endsWith('-01')) return from
  const [next, today] = [addDays(to, 1), new Date().toISOString().slice(0, 10)]
  return next > today || next.endsWith('-01') ? next : `${to.slice(0, 7)}-01`
}

/** Rows of the sums for the days of the period, and for its whole months where `inMonths` allows it. */
function rowsOf(ground: Ground, { reach, kinds, inMonths }: Wanted): SQL {
  const { from, to } = ground.span
  const end = inMonths ? monthsEnd(ground) : from
  const list = (more: SQL) =>
    sql.join(
      kinds.map((kind) => sql`(${kindOf(kind)} ${more})::smallint`),
      sql`, `,
    )
  const days = sql`select s.kind, ${columns} from ${reach} s
    where s.kind in (${list(sql``)}) and s.day between ${end}::date and ${to}::date`
  if (end === from) return sql`(${days})`
  return sql`(${days} union all select s.kind - ${byMonth}, ${columns} from ${reach} s
    where s.kind in (${list(sql`+ ${byMonth}`)}) and s.day >= ${from}::date and s.day < ${end}::date)`
}

const columns = sql.raw(
  [
    'organization_id',
    'subject',
    'day',
    'before',
    'n',
    'forgotten',
    'known',
    'finished',
    'seen_ms',
    'covered_ms',
    'watch_ms',
  ]
    .map((name) => `s.${name}`)
    .join(', '),
)

type Wanted = { reach: SQL; kinds: readonly ReachKind[]; inMonths: boolean }

/** Rows `r` that add up to those who were there in the period, each of them once. */
export function reached(ground: Ground, wanted: Omit<Wanted, 'inMonths'>): SQL {
  return sql`${rowsOf(ground, { ...wanted, inMonths: true })} r
    where ${owned(ground, sql`r.organization_id`)} and r.before < ${ground.span.from}::date`
}

/**
 * How many people of today were active in each step of the plot, by its number, and in all (0). Those who watched are in the sums, the
 * removed among them too, who are few and taken out; who did anything else in the console is in the audit, and counts unless they
 * watched as well. `actors`: a condition on `u`.
 */
export function activeBySums(
  tx: Tx,
  ground: Ground,
  { reach, actors }: { reach: SQL; actors: SQL },
): Promise<{ step: number; n: number }[]> {
  const { from } = ground.span
  const onTheseDays = sql`d.organization_id = u.organization_id and d.user_id = u.id and ${onDays(ground, sql`d.day`)}`
  const visits = (of: SQL) => sql`select distinct u.id, c.step from ${of}
    join viewer_days d on ${onTheseDays} and ${shows(ground, sql`d.organization_id`)} join calendar c on c.day = d.day::date`
  return rows(
    tx,
    sql`with calendar as materialized (select c.day::date as day, c.step, min(c.day::date) over (partition by c.step) as first from ${calendar(ground)}),
      here as (select c.step, sum(r.n) filter (where r.before < c.first) as n, sum(r.n) filter (where r.before < ${from}::date) as anew
        from ${rowsOf(ground, { reach, kinds: ['people'], inMonths: ground.spans.unit === 'month' })} r join calendar c on c.day = r.day
        where ${owned(ground, sql`r.organization_id`)} and ${shows(ground, sql`r.organization_id`)} group by 1),
      gone as materialized (${visits(sql`users u`)} where u.deleted_at is not null and ${owned(ground, sql`u.organization_id`)}),
      acted as materialized (select distinct a.actor_id as id, c.step from audit a join calendar c on c.day = ${utcDay(sql`a.at`)}::date
        join users u on u.id = a.actor_id where ${owned(ground, sql`a.organization_id`)} and ${during(ground, sql`a.at`)} and ${actors}),
      watched as materialized (${visits(sql`(select distinct id from acted) m join users u on u.id = m.id`)}),
      more as (select id, step from acted except select id, step from watched),
      counted(step, n) as (select step, n from here union all select 0, sum(anew) from here
        union all select step, -count(*) from gone group by step union all select 0, -count(distinct id) from gone
        union all select step, count(*) from more group by step
        union all select 0, count(*) from (select id from acted except select id from watched) others)
      select step, coalesce(sum(n), 0)::int as n from counted group by step`,
  )
}
