import * as z from 'zod/mini'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { today } from '../directory/organizations/days.ts'

const CalendarRow = z.object({ today: z.string(), timeZone: z.string() })
/** Of an organization: its days are those on which the product sends, and nothing of a sample depends on the hour at which it is made. */
export type Calendar = z.infer<typeof CalendarRow>

export function calendarOf(tx: Tx, organizationId: string): Promise<Calendar> {
  return requireRow(
    tx,
    CalendarRow,
    sql`select ${today}::text as today, z.time_zone as "timeZone" from organizations z where z.id = ${organizationId}`,
  )
}

export const dayOf = ({ today: now }: Calendar, ago: number) =>
  Temporal.PlainDate.from(now).subtract({ days: ago })

const at = (date: Temporal.PlainDate, timeZone: string, plainTime: string): number =>
  date.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds

/** Nine in the morning where the organization is, so many days ago; epoch milliseconds. */
export const instant = (calendar: Calendar, ago: number): number =>
  at(dayOf(calendar, ago), calendar.timeZone, '09:00')

/** Eight in the morning, when reminders leave; epoch milliseconds. */
export const atEight = ({ timeZone }: Calendar, date: string): number =>
  at(Temporal.PlainDate.from(date), timeZone, '08:00')
