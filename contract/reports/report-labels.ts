import { formatDay, formatDayOfYear, formatShare } from '../platform/text/format.ts'
import { language } from '../platform/text/language.ts'
import type { Measure } from './report-scope.ts'

export type Unit = 'day' | 'month'
export type Range = { from: string; to: string; unit: Unit; before: { from: string; to: string } }

export const spanText = ({ from, to }: { from: string; to: string }) =>
  from === to ? formatDayOfYear(from) : `${formatDayOfYear(from)} to ${formatDayOfYear(to)}`

const month = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** One step of the plot in words. */
export function stepName(unit: Unit, day: string): string {
  return unit === 'month' ? month.format(new Date(`${day}T00:00:00Z`)) : formatDay(day)
}

/** "62% of those sent"; nothing where there is nothing to divide by. */
export function shareOf(part: number, whole: number, of: string): string | undefined {
  return whole === 0 ? undefined : `${formatShare(part / whole)} of ${of}`
}

/** A part of a whole, in the period and before. */
export function ratio(part: Measure, whole: Measure): Measure {
  const divide = (a: number | null, b: number | null) => (a === null || !b ? null : a / b)
  return { value: divide(part.value, whole.value), before: divide(part.before, whole.before) }
}
