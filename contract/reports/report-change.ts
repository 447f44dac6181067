import { formatNumber } from '../platform/text/format.ts'
import { language } from '../platform/text/language.ts'
import type { Measure } from './report-scope.ts'

export type ChangeKind = 'count' | 'share'
export type ChangeLabels = {
  direction: 'up' | 'down' | 'same' | 'unknown'
  /** "12%" or "3 points"; how it compares where there is no number for it. */
  text: string
}

const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
const points = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })

/** How a figure differs from the period before: counts by their part, shares by points of percent. Null: there is no figure. */
export function changeOf({ value, before }: Measure, kind: ChangeKind): ChangeLabels | null {
  if (value === null) return null
  if (before === null) return { direction: 'unknown', text: 'No data before' }
  if (value === before) return { direction: 'same', text: before === 0 ? 'None before either' : 'As before' }
  const direction = value > before ? 'up' : 'down'
  if (kind === 'share') {
    const moved = Math.abs(value - before) * 100
    return { direction, text: moved < 0.05 ? '<0.1 points' : `${points.format(moved)} points` }
  }
  if (before === 0) return { direction: 'up', text: 'None before' }
  const part = Math.abs(value - before) / before
  if (part >= 10) return { direction, text: `${formatNumber(value / before)} times` }
  return { direction, text: part < 0.005 ? '<1%' : percent.format(part) }
}
