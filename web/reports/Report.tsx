import { IconArrowDownRight, IconArrowUpRight, IconEqual, IconInfoCircle } from '@tabler/icons-react'
import { changeOf, type ChangeKind } from '#contract/report-change.ts'
import { figureMeanings } from '#contract/report-figures.ts'
import { spanText, stepName, type Range } from '#contract/report-labels.ts'
import type { Overview, ReportFigure } from '#contract/report-overviews.ts'
import type { Measure, ReportStep } from '#contract/report-scope.ts'
import { dash, formatDuration, formatNumber, formatShare, formatWatched } from '#web/ui/format.ts'
import { timeUnit } from '#web/ui/plot/shapes.ts'
import { StepPlot } from '#web/ui/plot/StepPlot.tsx'
import { ShareBar } from '#web/ui/ShareBar.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import type { Tone } from '#web/ui/StatusBadge.tsx'
import { shows } from '#web/ui/tips.ts'
import classes from './Report.module.css'
import shapes from '#web/ui/shapes.module.css'

type Drawn = { range: Range; steps: readonly ReportStep[] }

type FiguresProps = { overview: Overview | undefined; report: Drawn | undefined }

/** Beside the table of a report: how its main figure went, and each figure with what it was before. */
export function Figures({ overview, report }: FiguresProps) {
  return (
    <aside className={`${shapes.card} ${classes['figures'] ?? ''}`} aria-label="Key figures" data-stop="row">
      {overview && report ? (
        <>
          <Plot {...overview.plot} {...report} />
          {overview.figures.map((figure) => (
            <KeyFigure key={figure.name} {...figure} />
          ))}
        </>
      ) : (
        <>
          <Bone height={160} />
          {['one', 'two', 'three', 'four'].map((row) => (
            <Bone key={row} height={40} />
          ))}
        </>
      )}
    </aside>
  )
}

/** One figure over the days or the months of the period, with the period before. */
function Plot({ title, sum, range, steps, isTime = false }: Overview['plot'] & Drawn) {
  const name = range.unit === 'day' ? `${title} per day` : `${title} per month`
  const named = steps.map(({ day, value, before }) => ({ label: stepName(range.unit, day), value, before }))
  return (
    <section aria-labelledby="plot-title">
      <h2 id="plot-title">{name}</h2>
      <p className={shapes.hint}>
        {spanText(range)}: {sum}
      </p>
      {steps.length > 0 && (
        <StepPlot
          name={name}
          steps={named}
          height={72}
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
    <p className={`${shapes.row} ${shapes.hint} ${classes['change']}`}>
      {direction !== 'unknown' && <Icon size={14} aria-hidden />}
      <span>
        <span className={shapes.sr}>{moved && figure.before !== 0 && directionLabels[direction]}</span>
        {text}
        {moved && figure.before !== null && figure.before !== 0 && ` from ${format(figure.before)}`}
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

/** How much, how it compares, and what it means, one click away. */
function KeyFigure({ name, figure, as, hint }: ReportFigure) {
  const format = formats[as ?? 'count']
  const { label, value: meaning } = figureMeanings[name]
  const nothing = as === 'time' ? formatWatched(null) : dash
  return (
    <div className={classes['figure']} role="group" aria-label={label}>
      <dl>
        <dt>{label}</dt>
        <dd>{figure.value === null ? nothing : format(figure.value)}</dd>
      </dl>
      {hint && <p className={shapes.hint}>{hint}</p>}
      <Change figure={figure} kind={as === 'share' ? 'share' : 'count'} format={format} />
      <details>
        <summary data-screen-only {...shows(`What “${label}” means`)}>
          <IconInfoCircle size={14} aria-hidden />
          <span className={shapes.sr}>What “{label}” means</span>
        </summary>
        <p>{meaning}</p>
      </details>
    </div>
  )
}

/** A share as a bar with its words beside it. How much of a video was watched has the colour that means it everywhere. */
export function Share({ tone, share }: { tone: Tone | 'watched'; share: number }) {
  const text = formatShare(share)
  return (
    <span className={classes['share']}>
      <ShareBar parts={[{ tone, value: share, label: text }]} total={1} />
      <span aria-hidden>{text}</span>
    </span>
  )
}

/** A count with its share of the whole, in one piece. */
export function Part({ count, whole }: { count: number; whole: number }) {
  return (
    <span>
      {formatNumber(count)}{' '}
      <span className={`${shapes.hint} ${classes['part']}`}>
        {whole === 0 ? null : formatShare(count / whole)}
      </span>
    </span>
  )
}
