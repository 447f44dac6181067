import type { ReactNode } from 'react'
import { Figure, Figures } from './Figure.tsx'
import { formatDay, formatDuration, formatNumber, formatShare, formatWatched } from '../format.ts'
import { timeUnit } from '../plot/shapes.ts'
import { StepPlot } from '../plot/StepPlot.tsx'
import shapes from '../look/shapes.module.css'

type Day = { day: string; watchedMs: number | null; viewers: number | null }
type Numbers = { recipients: number; opened: number; completed: number; watchedMs: number | null }

function shareOf(part: number, whole: number): string {
  return whole === 0 ? 'Nothing sent yet' : `${formatShare(part / whole)} of messages`
}

type SentCounts = { recipients: number; resting: number; hint: string }

/** Messages that left; without a mail server they rest in the outbox, and none has left. */
export function SentFigure({ recipients, resting, hint }: SentCounts) {
  return (
    <Figure
      label="Messages sent"
      value={formatNumber(recipients - resting)}
      hint={resting > 0 ? `${formatNumber(resting)} more in the outbox` : hint}
    />
  )
}

/** What became of everything that was sent; `before` are further figures in front of them. */
export function ViewingFigures({ numbers, before }: { numbers: Numbers; before?: ReactNode }) {
  const { recipients, opened, completed, watchedMs } = numbers
  return (
    <Figures>
      {before}
      <Figure label="Opened" value={formatNumber(opened)} hint={shareOf(opened, recipients)} />
      <Figure label="Completed" value={formatNumber(completed)} hint={shareOf(completed, recipients)} />
      <Figure label="Time watched" value={formatWatched(watchedMs)} hint="Repeats counted" />
    </Figures>
  )
}

/** Time watched and viewers of one day, as far as they are told. */
function watchedText({ watchedMs, viewers }: Omit<Day, 'day'>): string {
  if (watchedMs === null || viewers === null) return 'Not shown: too few people'
  return `${formatDuration(watchedMs)}, ${formatNumber(viewers)} ${viewers === 1 ? 'viewer' : 'viewers'}`
}

/** Time watched on each of these days. */
export function WatchedPlot({ days }: { days: readonly Day[] }) {
  return (
    <StepPlot
      name="Time watched per day"
      steps={days.map((day) => ({
        label: formatDay(day.day),
        value: day.watchedMs ?? 0,
        text: watchedText(day),
      }))}
      format={formatDuration}
      unit={timeUnit(days.map(({ watchedMs }) => watchedMs ?? 0))}
      heads={['Day', 'Watched']}
    />
  )
}

/** Time watched on each of the last 30 days. */
export function ViewingPlot({ days }: { days: readonly Day[] }) {
  const total = days.reduce((sum, { watchedMs }) => sum + (watchedMs ?? 0), 0)
  const isVisible = days.some(({ watchedMs }) => watchedMs !== null)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="plot-title">
      <header className={shapes.spaceBetween}>
        <h2 id="plot-title">Last 30 days</h2>
        <p>
          {!isVisible && 'Not shown: this organization records only who completed a video'}
          {isVisible &&
            (total === 0 ? 'Nobody has watched anything yet' : `${formatDuration(total)} watched`)}
        </p>
      </header>
      <WatchedPlot days={days} />
    </section>
  )
}
