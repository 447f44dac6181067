import type { Due } from '#contract/assignments/assignments.ts'
import type { Reminders } from '#contract/duty/reminders.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { today } from '../directory/organizations/days.ts'

/**
 * This expression gives the day of the next message for `obligations o` of `assignments a` that is owed again after a waiver or an
 * exemption. It leaves on that day, unless all reminders were sent. Whoever still waits for the message whose day it is gets that first,
 * and is in the plan once they have it.
 */
export const backInPlan = sql`(case when o.messages <= (a.reminders ->> 'most')::int and not (o.messages = 0 and exists (select from deliveries d
  where d.transmission_id = a.message_id and d.user_id = o.user_id)) then ${today} end)`

/** This expression gives the last millisecond of a day (an expression) in the zone of `organizations z`. */
const endOf = (day: SQL): SQL =>
  sql`((${day} + 1)::timestamp at time zone z.time_zone - interval '1 millisecond')`

/** This expression gives the `n`th working day after a day, from Monday to Friday. A weekend counts as the Friday before it. */
function workingDay(day: SQL, n: number): SQL {
  const fromMonday = sql`(least(extract(isodow from ${day})::int, 5) - 1 + ${n}::int)`
  return sql`(date_trunc('week', ${day}::timestamp)::date + ${fromMonday} / 5 * 7 + ${fromMonday} % 5)`
}

/**
 * This expression gives the end of the day by which whoever is obliged since an instant has to have done it, in the zone of `organizations
 * z`. It is null where there is no such day.
 */
export function dueOf(due: Due, since: SQL): SQL {
  if (due.kind === 'none') return sql`null::timestamptz`
  if (due.kind === 'day') return endOf(sql`${due.day}::date`)
  const from = sql`(${since} at time zone z.time_zone)::date`
  return endOf(due.working ? workingDay(from, due.days) : sql`(${from} + ${due.days}::int)`)
}

type Anchor = { since: string; due: string | null; reminders: number }

/**
 * Returns the day (ISO) of the next reminder after `today`, or null. Days count from the due day, or from the first message where there is
 * none. Reminders that were missed are not made up for.
 */
export function nextReminder(
  plan: Reminders,
  { since, due, reminders }: Anchor,
  today: string,
): string | null {
  if (reminders >= plan.most) return null
  const anchor = Temporal.PlainDate.from(due ?? since)
  const after = plan.daysAfter
  const days = [
    ...(due === null ? [] : plan.daysBefore.map((days) => -days)),
    ...(due !== null && plan.onTheDay ? [0] : []),
    ...after,
  ].map((days) => anchor.add({ days }))
  const now = Temporal.PlainDate.from(today)
  const ahead = days.filter((day) => Temporal.PlainDate.compare(day, now) > 0)
  const [first, ...others] = ahead
  if (first) return others.reduce((a, b) => (Temporal.PlainDate.compare(b, a) < 0 ? b : a), first).toString()
  if (!plan.weekly) return null
  const last = anchor.add({ days: Math.max(0, ...after) })
  const passed = Math.max(0, last.until(now, { largestUnit: 'days' }).days)
  return last.add({ days: (Math.floor(passed / 7) + 1) * 7 }).toString()
}
