import { longestRangeMonths, type ReportPeriod } from '#contract/reports/report-scope.ts'
import { refuse } from '../platform/errors.ts'

/** Days of UTC as ISO dates, both included. */
export type Span = { from: string; to: string }
export type Spans = {
  span: Span
  before: Span
  unit: 'day' | 'month'
  /** Whole months and what there is of this one, which is longer tomorrow. */
  goesOn?: true
}

const dayMs = 86_400_000
/** A range of more days than these is drawn in months. */
const mostDays = 92
const dayCounts = { '7d': 7, '30d': 30, '90d': 90 } as const

const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

export function addDays(day: string, count: number): string {
  return isoDay(Date.parse(day) + count * dayMs)
}

/** How many days later `to` is. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
}

export function daysOf({ from, to }: Span): string[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_day, n) => addDays(from, n))
}

type SpanQuery = { period: ReportPeriod; from?: string | undefined; to?: string | undefined }

/**
 * The days that are meant, and as many before them: right before, and for the twelve months that begin with a whole month the same
 * days a year earlier. Refuses a range that ends before it begins, has no beginning, or is too long.
 */
export function spansOf(asked: SpanQuery, now: Date): Spans {
  if (asked.from !== undefined || asked.to !== undefined) return chosenSpans(asked, isoDay(now.getTime()))
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const to = isoDay(Date.UTC(year, month, day))
  if (asked.period !== '12m') return withBefore({ from: addDays(to, 1 - dayCounts[asked.period]), to }, 'day')
  const from = isoDay(Date.UTC(year, month - 11, 1))
  const back = daysBetween(from, isoDay(Date.UTC(year - 1, month - 11, 1)))
  const before = { from: addDays(from, back), to: addDays(to, back) }
  return { span: { from, to }, before, unit: 'month', goesOn: true }
}

function chosenSpans({ from, to: last }: SpanQuery, today: string): Spans {
  const to = last ?? today
  if (from === undefined) throw refuse('validation_failed', { fields: { from: ['required'] } })
  if (to < from) throw refuse('validation_failed', { fields: { to: ['invalid'] } })
  const farthest = new Date(`${from}T00:00:00Z`)
  farthest.setUTCMonth(farthest.getUTCMonth() + longestRangeMonths)
  if (to >= isoDay(farthest.getTime())) throw refuse('validation_failed', { fields: { to: ['too_long'] } })
  return withBefore({ from, to }, daysBetween(from, to) < mostDays ? 'day' : 'month')
}

function withBefore(span: Span, unit: Spans['unit']): Spans {
  const days = daysBetween(span.from, span.to) + 1
  return { span, before: { from: addDays(span.from, -days), to: addDays(span.from, -1) }, unit }
}

/** The step of the plot to which a day belongs, by its first day. */
export function stepOfDay(day: string, unit: Spans['unit']): string {
  return unit === 'month' ? `${day.slice(0, 7)}-01` : day
}
