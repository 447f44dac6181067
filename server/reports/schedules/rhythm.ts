import * as z from 'zod/mini'
import { type SchedulePeriod, rhythms } from '#contract/reports/report-schedules.ts'
import type { Span } from '../span.ts'

/** When something happens again and again; `hour` is what the clocks of the time zone say. */
export const Timing = z.object({
  rhythm: z.enum(rhythms),
  weekday: z.number(),
  monthDay: z.number(),
  hour: z.number(),
  timeZone: z.string(),
})
export type Timing = z.infer<typeof Timing>

/**
 * The one instant at which it is that hour of that day (ISO) in that zone: of an hour that exists twice the first, of one that does not
 * exist the moment as long after the change of the clocks.
 */
export const instantOf = (day: string, { hour, timeZone }: Pick<Timing, 'hour' | 'timeZone'>): Date =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: { hour } }).epochMilliseconds)

function falls({ rhythm, weekday, monthDay }: Timing, day: Temporal.PlainDate): boolean {
  if (rhythm === 'daily') return true
  if (rhythm === 'weekly') return day.dayOfWeek === weekday
  return day.day === Math.min(monthDay, day.daysInMonth)
}

/** No two times of a monthly rhythm are farther apart. */
const farthest = 64

const dayIn = (timeZone: string, at: Date): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()

/** The first time after an instant. */
export function nextAfter(timing: Timing, after: Date): Date {
  const today = dayIn(timing.timeZone, after)
  // Where clocks go back over midnight, it is yesterday once more.
  for (let n = -1; n <= farthest; n += 1) {
    const day = today.add({ days: n })
    if (!falls(timing, day)) continue
    const at = instantOf(day.toString(), timing)
    if (at > after) return at
  }
  throw new Error('a rhythm always goes on')
}

/** Of the times from `next` on that lie behind, the last; and how many there were. */
export function lastDue(timing: Timing, next: Date, now: Date): { slot: Date; missed: number } {
  let slot = next
  let missed = 0
  for (let later = nextAfter(timing, slot); later <= now; later = nextAfter(timing, slot)) {
    slot = later
    missed += 1
  }
  return { slot, missed }
}

const before: Record<SchedulePeriod, Temporal.DurationLike> = {
  day: { days: 1 },
  '7d': { days: 7 },
  '30d': { days: 30 },
  '90d': { days: 90 },
  month: { months: 1 },
  '12m': { months: 12 },
}

/** Whole days of the time zone that are over there at an instant: see `schedulePeriods`. */
export function rangeOf(period: SchedulePeriod, at: Date, timeZone: string): Span {
  const today = dayIn(timeZone, at)
  const end = period === 'month' || period === '12m' ? today.with({ day: 1 }) : today
  return { from: end.subtract(before[period]).toString(), to: end.subtract({ days: 1 }).toString() }
}
