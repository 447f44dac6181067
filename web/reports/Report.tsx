import './reports.css'
import '#web/ui/key-figures.css'
import type { ReportPeriod } from '#contract/reports.ts'
import { BarDays } from '#web/ui/Bars.tsx'
import { formatNumber, formatShare } from '#web/ui/format.ts'
import { Meanings as FoldedMeanings, type Meaning } from '#web/ui/Meanings.tsx'
import { ShareBar } from '#web/ui/ShareBar.tsx'
import { periodMeaning, periodWords, stepName } from './report.ts'

type Step = { day: string; value: number; text: string }
type PlotProps = {
  /** What is counted, as a heading: "Active people". */
  title: string
  /** All of it in one line. */
  sum: string
  period: ReportPeriod
  steps: readonly Step[]
}

/** One figure over the days of the period, or over the months of a year. */
export function Plot({ title, sum, period, steps }: PlotProps) {
  const unit = period === '12m' ? 'month' : 'day'
  const points = steps.map(({ day, value, text }) => ({ label: stepName(period, day), value, text }))
  const name = `${title} per ${unit}`
  return (
    <section className="ui-card ui-card-pad key-plot" aria-labelledby="plot-title">
      <header>
        <h2 id="plot-title">{name}</h2>
        <p>
          {periodWords[period]}: {sum}
        </p>
      </header>
      <BarDays name={name} points={points} labelHead={unit === 'month' ? 'Month' : 'Day'} valueHead={title} />
    </section>
  )
}

/** The definition of every figure on the page, and what the period means. */
export function Meanings({ meanings }: { meanings: readonly Meaning[] }) {
  return <FoldedMeanings meanings={[...meanings, periodMeaning]} />
}

/** A share as a bar with its words beside it. */
export function Share({ share, children }: { share: number; children: string }) {
  return (
    <span className="report-share">
      <ShareBar parts={[{ tone: 'info', value: share, label: children }]} total={1} />
      <span aria-hidden>{children}</span>
    </span>
  )
}

/** A count with its share of the whole, in one piece. */
export function Part({ count, whole }: { count: number; whole: number }) {
  return (
    <span>
      {formatNumber(count)}{' '}
      <span className="report-part">{whole === 0 ? null : formatShare(count / whole)}</span>
    </span>
  )
}
