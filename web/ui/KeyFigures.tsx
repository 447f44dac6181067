import type { ReactNode } from 'react'
import { BarDays } from './Bars.tsx'
import { Figure, Figures } from './Figure.tsx'
import { formatDay, formatDuration, formatNumber, formatShare } from './format.ts'
import './key-figures.css'

type Day = { day: string; watchedMs: number; viewers: number }
type Numbers = { recipients: number; opened: number; completed: number; watchedMs: number }

function shareOf(part: number, whole: number, words: string): string {
  return whole === 0 ? 'Nothing sent yet' : `${formatShare(part / whole)} of ${words}`
}

/** What became of everything that was sent; `before` are further figures in front of them. */
export function ViewingFigures({ numbers, before }: { numbers: Numbers; before?: ReactNode }) {
  const { recipients, opened, completed, watchedMs } = numbers
  return (
    <Figures>
      {before}
      <Figure label="Opened" value={formatNumber(opened)} hint={shareOf(opened, recipients, 'messages')} />
      <Figure
        label="Watched to the end"
        value={formatNumber(completed)}
        hint={shareOf(completed, recipients, 'messages')}
      />
      <Figure label="Time watched" value={formatDuration(watchedMs)} hint="Repeats counted" />
    </Figures>
  )
}

/** Time watched on each of the last 30 days. */
export function ViewingPlot({ days }: { days: readonly Day[] }) {
  const total = days.reduce((sum, { watchedMs }) => sum + watchedMs, 0)
  const points = days.map(({ day, watchedMs, viewers }) => ({
    label: formatDay(day),
    value: watchedMs,
    text: `${formatDuration(watchedMs)}, ${formatNumber(viewers)} ${viewers === 1 ? 'viewer' : 'viewers'}`,
  }))
  return (
    <section className="ui-card ui-card-pad key-plot" aria-labelledby="plot-title">
      <header>
        <h2 id="plot-title">Last 30 days</h2>
        <p>{total === 0 ? 'Nobody has watched anything yet' : `${formatDuration(total)} watched`}</p>
      </header>
      <BarDays name="Time watched per day" points={points} valueHead="Watched" />
    </section>
  )
}
