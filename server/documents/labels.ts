import {
  dash,
  formatClock,
  formatDuration,
  formatNumber,
  formatReached,
  formatShare,
  formatWatched,
} from '#contract/platform/text/format.ts'
import type { Cell, Column, PaperFigure } from './paper.ts'

const instants = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** Nov 21, 2026, 19:04. */
export const instantText = (iso: string): string => instants.format(new Date(iso))

/** A cell as it is read; empty where there is nothing to say. */
export function cellText(cell: Cell, { as, none = '' }: Pick<Column, 'as' | 'none'>): string {
  if (cell === null) return none
  if (typeof cell === 'string') return as === 'instant' ? instantText(cell) : cell
  if (as === 'share') return formatShare(cell)
  if (as === 'reached') return formatReached(cell)
  if (as === 'time') return formatDuration(cell)
  return as === 'clock' ? formatClock(cell) : formatNumber(cell)
}

export function figureText(value: number | null, as: PaperFigure['as']): string {
  if (value === null) return as === 'time' ? formatWatched(null) : dash
  if (as === 'share') return formatShare(value)
  return as === 'time' ? formatDuration(value) : formatNumber(value)
}

const directions = { up: 'Up ', down: 'Down ', same: '', unknown: '' } as const

/** "Up 12%", "As before". */
export function changeText({ figure, change }: PaperFigure): string {
  if (!change) return ''
  // "None before" has a direction and yet no amount.
  return figure.before === 0 ? change.text : directions[change.direction] + change.text
}
