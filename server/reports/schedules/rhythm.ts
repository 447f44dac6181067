import * as z from 'zod/mini'
import { type SchedulePeriod, rhythms } from '#contract/report-schedules.ts'
import { addDays, type Span } from '../span.ts'

/** When something happens again and again; `hour` is what the clocks of the time zone say. */
export const Timing = z.object({
  rhythm: z.enum(rhythms),
  weekday: z.number(),
  monthDay: z.number(),
  hour: z.number(),
  timeZone: z.string(),
})
export type Timing = z.infer<typeof Timing>

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(timeZone, made)
  return made
}

/** What a clock there shows, as the instant at which one in UTC shows the same. */
function shownAt(timeZone: string, at: number): number {
  const parts = clockOf(timeZone).formatToParts(at)
  const of = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? 0)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
}

/** How far the clocks there are ahead of UTC, in milliseconds. */
const aheadAt = (timeZone: string, at: number) => shownAt(timeZone, at) - Math.floor(at / 1_000) * 1_000

/**
 * The one instant at which it is that hour of that day: of an hour that exists twice the first, of one that does not exist the moment
 * as long after the change of the clocks.
 */
export function instantOf(day: string, { hour, timeZone }: Pick<Timing, 'hour' | 'timeZone'>): Date {
  const shown = Date.parse(`${day}T00:00:00Z`) + hour * hourMs
  const before = shown - aheadAt(timeZone, shown - dayMs)
  const after = shown - aheadAt(timeZone, shown + dayMs)
  const found = [before, after].filter((at) => shownAt(timeZone, at) === shown)
  return new Date(found.length > 0 ? Math.min(...found) : before)
}

function daysInMonth(day: string): number {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function falls({ rhythm, weekday, monthDay }: Timing, day: string): boolean {
  if (rhythm === 'daily') return true
  const date = new Date(`${day}T00:00:00Z`)
  if (rhythm === 'weekly') return (date.getUTCDay() || 7) === weekday
  return date.getUTCDate() === Math.min(monthDay, daysInMonth(day))
}

/** No two times of a monthly rhythm are farther apart. */
const farthest = 64

/** The first time after an instant. */
export function nextAfter(timing: Timing, after: Date): Date {
  const today = new Date(shownAt(timing.timeZone, after.getTime())).toISOString().slice(0, 10)
  // Where clocks go back over midnight, it is yesterday once more.
  for (let n = -1; n <= farthest; n += 1) {
    const day = addDays(today, n)
    if (!falls(timing, day)) continue
    const at = instantOf(day, timing)
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

const dayCounts = { day: 1, '7d': 7, '30d': 30, '90d': 90 } as const
const isoDay = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)

/** Whole days of UTC that are over at an instant: see `schedulePeriods`. */
export function rangeOf(period: SchedulePeriod, at: Date): Span {
  const today = at.toISOString().slice(0, 10)
  if (period !== 'month' && period !== '12m')
    return { from: addDays(today, -dayCounts[period]), to: addDays(today, -1) }
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { from: isoDay(year, month - (period === 'month' ? 1 : 12), 1), to: isoDay(year, month, 0) }
}
