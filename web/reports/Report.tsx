import './reports.css'
import '#web/ui/key-figures.css'
import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '@tabler/icons-react'
import { changeOf, type ChangeKind } from '#contract/report-change.ts'
import { figureMeanings } from '#contract/report-figures.ts'
import type { Measure, ReportStep } from '#contract/report-scope.ts'
import type { Overview as OverviewLabels, ReportFigure } from '#contract/report-overviews.ts'
import { spanText, stepName, type Range } from '#contract/report-labels.ts'
import { Figure, Figures } from '#web/ui/Figure.tsx'
import { dash, formatDuration, formatNumber, formatShare, formatWatched } from '#web/ui/format.ts'
import { timeUnit } from '#web/ui/plot/shapes.ts'
import { StepPlot } from '#web/ui/plot/StepPlot.tsx'
import { ShareBar } from '#web/ui/ShareBar.tsx'

type PlotProps = OverviewLabels['plot'] & { range: Range; steps: readonly ReportStep[] }

/** One figure over the days or the months of the period, with the period before. */
function Plot({ title, sum, range, steps, isTime = false }: PlotProps) {
  const name = range.unit === 'day' ? `${title} per day` : `${title} per month`
  const named = steps.map(({ day, value, before }) => ({ label: stepName(range.unit, day), value, before }))
  return (
    <section className="ui-card ui-card-pad key-plot" aria-labelledby="plot-title">
      <header>
        <h2 id="plot-title">{name}</h2>
        <p>
          {spanText(range)}: {sum}
        </p>
      </header>
      {steps.length > 0 && (
        <StepPlot
          name={name}
          steps={named}
          format={isTime ? formatDuration : formatNumber}
          unit={isTime ? timeUnit(steps.flatMap(({ value, before }) => [value, before])) : 1}
          heads={[
            range.unit === 'month' ? 'Month' : 'Day',
            'This period',
            `Before (${spanText(range.before)})`,
          ]}
        />
      )}
    </section>
  )
}

const directionLabels = { up: 'Up ', down: 'Down ', same: '', unknown: '' } as const

/** How a figure compares with the period before, with what it was then. */
function Change({ figure, kind, format }: { figure: Measure; kind: ChangeKind; format: Format }) {
  const change = changeOf(figure, kind)
  if (!change) return null
  const { direction, text } = change
  const moved = direction === 'up' || direction === 'down'
  const Icon = direction === 'up' ? IconArrowUpRight : direction === 'down' ? IconArrowDownRight : IconEqual
  return (
    <p className="report-change" data-direction={direction}>
      {direction !== 'unknown' && <Icon size={14} aria-hidden />}
      <span>
        <span className="ui-sr">{moved && figure.before !== 0 && directionLabels[direction]}</span>
        {text}
        {moved && figure.before !== null && figure.before !== 0 && (
          <span className="report-before"> from {format(figure.before)}</span>
        )}
      </span>
    </p>
  )
}

type Format = (value: number) => string

const formats: Record<'count' | 'share' | 'time', Format> = {
  count: formatNumber,
  share: formatShare,
  time: formatDuration,
}

/** A key figure: how much, how it compares, and what it means. */
function KeyFigure({ name, figure, as, hint }: ReportFigure) {
  const format = formats[as ?? 'count']
  const { label, value: meaning } = figureMeanings[name]
  const nothing = as === 'time' ? formatWatched(null) : dash
  return (
    <Figure
      label={label}
      value={figure.value === null ? nothing : format(figure.value)}
      hint={hint}
      change={<Change figure={figure} kind={as === 'share' ? 'share' : 'count'} format={format} />}
      meaning={meaning}
    />
  )
}

type OverviewProps = { words: OverviewLabels; report: { range: Range; steps: readonly ReportStep[] } }

/** What stands above the table of a report: the plot, the key figures, and what has to be known about them. */
export function Overview({ words: { plot, figures, notes }, report: { range, steps } }: OverviewProps) {
  return (
    <>
      <Plot {...plot} range={range} steps={steps} />
      <Figures>
        {figures.map((figure) => (
          <KeyFigure key={figure.name} {...figure} />
        ))}
      </Figures>
      {notes?.map((note) => (
        <p key={note} className="ui-hint">
          {note}
        </p>
      ))}
    </>
  )
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
