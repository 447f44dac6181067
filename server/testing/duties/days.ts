import type { Rule } from './duty.ts'

export const dayIn = (at: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()
export const endOf = (day: Temporal.PlainDate, zone: string) =>
  day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds - 1
/** Mails of a day leave from eight in the morning on. */
export const mailDay = (at: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .subtract({ hours: 8 })
    .toPlainDate()

export function dueOf({ due, zone }: Pick<Rule, 'due' | 'zone'>, since: number): number | null {
  if (due.kind === 'none') return null
  if (due.kind === 'day') return endOf(Temporal.PlainDate.from(due.day), zone)
  let day = dayIn(since, zone)
  for (let left = due.days; left > 0;) {
    day = day.add({ days: 1 })
    if (!due.working || day.dayOfWeek < 6) left -= 1
  }
  return endOf(day, zone)
}

type MessageDuty = {
  rule: Pick<Rule, 'reminders' | 'zone'>
  sent: number
  dueAt: number | null
  since: number
}

/** The first day after `today` on which the plan has a reminder. */
export function nextReminder(duty: MessageDuty, today: Temporal.PlainDate): string | null {
  const { rule, sent } = duty
  const { daysBefore, daysAfter, onTheDay, weekly, most } = rule.reminders
  if (sent > most) return null
  const hasDue = duty.dueAt !== null
  const anchor = dayIn(duty.dueAt ?? duty.since, rule.zone)
  const last = Math.max(0, ...daysAfter)
  for (let day = today.add({ days: 1 }); ; day = day.add({ days: 1 })) {
    const past = anchor.until(day, { largestUnit: 'days' }).days
    if (hasDue && daysBefore.includes(-past)) return day.toString()
    if (hasDue && onTheDay && past === 0) return day.toString()
    if (daysAfter.includes(past)) return day.toString()
    if (weekly && past > last && (past - last) % 7 === 0) return day.toString()
    if (!weekly && past > last) return null
  }
}
