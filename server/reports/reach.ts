import { row, rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { anyTime, byMonth, kindOf, type ReachKind } from '../plays/reach-worth.ts'
import { entriesByActor, inPeriod } from './entries.ts'
import { calendar, ofVideos, onDays, owned, persons, shows, type Ground } from './ground.ts'
import { addDays, daysBetween } from './span.ts'

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

/** Days of the sums, or months by their first days, `last` included. */
type Part = { by: 'day' | 'month'; first: string; last: string }

/** The whole months with which the period begins, and the days that are left. */
function partsOf(ground: Ground, inMonths: boolean): Part[] {
  const { from, to } = ground.span
  const end = inMonths ? monthsEnd(ground) : from
  const months: Part = { by: 'month', first: from, last: addDays(end, -1) }
  const days: Part = { by: 'day', first: end, last: to }
  return [months, days].filter(({ first, last }) => first <= last)
}

type Wanted = { reach: SQL; kinds: readonly ReachKind[] }

/** Rows of the sums, `s`, with another sign if need be. */
function rowsOf(
  { reach, kinds }: Wanted,
  { by, first, last }: Part,
  { sign, where }: { sign: 1 | -1; where: SQL },
): SQL {
  const higher = by === 'month' ? byMonth : sql`0::smallint`
  const wanted = kinds.map((kind) => sql`(${kindOf(kind)} + ${higher})::smallint`)
  const columns = sql.raw(sums.map((name) => (sign === 1 ? `s.${name}` : `-s.${name}`)).join(', '))
  return sql`select (s.kind - ${higher})::smallint, s.organization_id, s.subject, s.day, s.before, ${columns} from ${reach} s
    where s.kind in (${sql.join(wanted, sql`, `)}) and s.day between ${first}::date and ${last}::date and ${where}`
}

const sums = ['n', 'forgotten', 'known', 'finished', 'seen_ms', 'covered_ms', 'watch_ms'] as const
const named = sql.raw(`r(kind, organization_id, subject, day, before, ${sums.join(', ')})`)

/** All that were there on each day, and a minus before those of them who had been there on another day of the period. */
function withoutRepeats({ span }: Ground, wanted: Wanted, part: Part): SQL[] {
  const again = sql`s.before between ${span.from}::date and ${part.last}::date`
  return [
    rowsOf(wanted, part, { sign: 1, where: sql`s.before = ${anyTime}` }),
    rowsOf(wanted, part, { sign: -1, where: again }),
  ]
}

/** Up to here (days) fewer come again within the period than had been there before it. */
const short = 100

/** Whether there was somebody long before the period: then it is cheaper to look for those who came again within it. */
export async function hasLongPast(tx: Tx, ground: Ground): Promise<boolean> {
  const { from, to } = ground.span
  const long = addDays(from, -Math.ceil(daysBetween(from, to) / 2))
  const found = await row(
    tx,
    sql`select 1 from reach_sums s where s.kind = ${kindOf('viewers')} and s.before = ${anyTime} and s.day < ${long}::date
      and ${owned(ground, sql`s.organization_id`)} limit 1`,
  )
  return found !== undefined
}

/** Rows `r` that add up to those who were there in the period, each of them once. */
export function reached(ground: Ground, { longPast, ...wanted }: Wanted & { longPast: boolean }): SQL {
  const { from } = ground.span
  const found = partsOf(ground, true).flatMap((part) =>
    longPast && (part.by === 'month' || daysBetween(from, part.last) <= short)
      ? withoutRepeats(ground, wanted, part)
      : [rowsOf(wanted, part, { sign: 1, where: sql`s.before < ${from}::date` })],
  )
  return sql`(${sql.join(found, sql` union all `)}) ${named} where ${owned(ground, sql`r.organization_id`)}`
}

/** Rows `r` that add up in the same way, and by steps as well: each step without those who have a minus since it began. */
function reachedInSteps(ground: Ground, wanted: Wanted): SQL {
  const found = partsOf(ground, ground.spans.unit === 'month').flatMap((part) =>
    withoutRepeats(ground, wanted, part),
  )
  return sql`(${sql.join(found, sql` union all `)}) ${named}`
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
  const onTheseDays = sql`d.organization_id = u.organization_id and d.user_id = u.id and ${onDays(ground, sql`d.day`)}`
  // The days first, then the calendar: beside one person, all of its days would be gone through for each of them.
  const visits = (of: SQL) => sql`select distinct v.id, c.step
    from (select u.id, d.day from ${of} u cross join lateral (select d.day::date as day from viewer_days d
      where ${onTheseDays} and ${shows(ground, sql`d.organization_id`)} offset 0) d offset 0) v join calendar c on c.day = v.day`
  return rows(
    tx,
    sql`with calendar as materialized (select c.day::date as day, c.step, min(c.day::date) over (partition by c.step) as first from ${calendar(ground)}),
      here as (select c.step, sum(r.n) filter (where r.before >= c.first) as n, sum(r.n) as anew
        from ${reachedInSteps(ground, { reach, kinds: ['people'] })} join calendar c on c.day = r.day
        where ${owned(ground, sql`r.organization_id`)} and ${shows(ground, sql`r.organization_id`)} group by 1),
      gone as materialized (${visits(sql`(select u.id, u.organization_id from users u where u.deleted_at is not null and ${owned(ground, sql`u.organization_id`)})`)}),
      days as materialized (select c.actor_id, k.step from ${entriesByActor(owned(ground, sql`organization_id`))} join calendar k on k.day = c.day
        where ${inPeriod(ground, sql`c.day`)} group by 1, 2),
      actors as materialized (select u.id, u.organization_id from (select distinct actor_id from days) a
        cross join lateral (select * from users t where t.id = a.actor_id offset 0) u where ${actors}),
      acted as materialized (select d.actor_id as id, d.step from days d where d.actor_id in (select id from actors)),
      watched as materialized (${visits(sql`actors`)}),
      more as (select id, step from acted except select id, step from watched),
      counted(step, n) as (select step, n from here union all select 0, sum(anew) from here
        union all select step, -count(*) from gone group by step union all select 0, -count(distinct id) from gone
        union all select step, count(*) from more group by step
        union all select 0, count(*) from (select id from acted except select id from watched) others)
      select step, coalesce(sum(n), 0)::int as n from counted group by step`,
  )
}
