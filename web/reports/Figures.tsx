import { useState, type ReactNode } from 'react'
import { changeOf, type ChangeKind } from '#contract/reports/report-change.ts'
import { figureMeanings } from '#contract/reports/report-figures.ts'
import { spanText, stepName, type Range } from '#contract/reports/report-labels.ts'
import type { Overview, ReportFigure } from '#contract/reports/report-overviews.ts'
import type { Measure, ReportStep } from '#contract/reports/report-scope.ts'
import { dash, formatDuration, formatNumber, formatShare, formatWatched } from '#web/ui/format.ts'
import { PlotTable } from '#web/ui/plot/PlotTable.tsx'
import { SmallLegend, SmallPlot } from '#web/ui/plot/SmallPlot.tsx'
import type { Place } from '#web/ui/plot/walk.ts'
import { Meaning } from '#web/ui/Meaning.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { whole } from '#web/ui/overlays/tips.ts'
import classes from './Figures.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Format = (value: number) => string

const formats = { count: formatNumber, share: formatShare, time: formatDuration } as const

const formatOf = ({ as }: ReportFigure): Format => formats[as ?? 'count']

/** A figure with a course: not one that was nothing all the time, of which there is nothing to draw. */
type Course = { label: string; format: Format; steps: readonly (ReportStep & { name: string })[] }

function courseOf(figure: ReportFigure, { unit }: Range): Course | undefined {
  const { name, steps = [] } = figure
  if (steps.every(({ value, before }) => value === 0 && before === 0)) return undefined
  const named = steps.map(({ day, value, before }) => ({ day, value, before, name: stepName(unit, day) }))
  return { label: figureMeanings[name].label, format: formatOf(figure), steps: named }
}

type FiguresProps = {
  overview: Overview | undefined
  range: Range | undefined
  /** How far they can be trusted. */
  quality: ReactNode
}

/** What a report comes to: each figure with what it was before and how it went, all over the same days and walked over together. */
export function Figures({ overview, range, quality }: FiguresProps) {
  return (
    <aside className={`${shapes.card} ${classes.figures ?? ''}`} aria-label="Key figures" data-stop>
      {overview && range ? <Drawn figures={overview.figures} range={range} /> : <Waiting />}
      {quality}
    </aside>
  )
}

/** As high as what comes. */
function Waiting() {
  return (
    <>
      <div className={classes.cells}>
        {['one', 'two', 'three', 'four', 'five'].map((figure) => (
          <div key={figure} className={classes.figure}>
            <Bone height={64} />
          </div>
        ))}
      </div>
      <SmallLegend now={'\u00a0'} before={undefined} />
    </>
  )
}

type DrawnProps = { figures: readonly ReportFigure[]; range: Range }

function Drawn({ figures, range }: DrawnProps) {
  const place = useState<number | null>(null)
  const drawn = figures.map((figure) => ({ figure, course: courseOf(figure, range) }))
  const courses = drawn.flatMap(({ course }) => course ?? [])
  const hasBefore = courses.some(({ steps }) => steps.some(({ before }) => before > 0))
  return (
    <>
      <h2 className={shapes.sr}>{range.unit === 'day' ? 'Day by day' : 'Month by month'}</h2>
      <div className={classes.cells}>
        {drawn.map(({ figure, course }) => (
          <KeyFigure
            key={figure.name}
            of={figure}
            course={course}
            courses={courses}
            range={range}
            place={place}
          />
        ))}
      </div>
      <SmallLegend now={spanText(range)} before={hasBefore ? spanText(range.before) : undefined} />
      {courses.length > 0 && <StepTable courses={courses} range={range} />}
    </>
  )
}

/** What all plots show, for those who do not see them or want the numbers. */
function StepTable({ courses, range }: { courses: readonly Course[]; range: Range }) {
  const isDaily = range.unit === 'day'
  const names = courses[0]?.steps.map(({ name }) => name) ?? []
  const cellsOf = (at: number) =>
    courses.flatMap(({ format, steps }) => [steps[at]?.value, steps[at]?.before].map((n) => format(n ?? 0)))
  return (
    <PlotTable
      name={isDaily ? 'The figures of each day' : 'The figures of each month'}
      label={isDaily ? 'Show the days as a table' : 'Show the months as a table'}
      heads={[isDaily ? 'Day' : 'Month', ...courses.flatMap(({ label }) => [label, `${label} before`])]}
      rows={names.map((name, at) => [name].concat(cellsOf(at)))}
    />
  )
}

type KeyFigureProps = {
  of: ReportFigure
  course: Course | undefined
  /** Those of all figures. */
  courses: readonly Course[]
  range: Range
  place: Place
}

/** How much, how it went and compares, and what it means, one click away. */
function KeyFigure({ of, course, courses, range, place }: KeyFigureProps) {
  const { name, figure, as, hint } = of
  const format = formatOf(of)
  const { label, value: meaning } = figureMeanings[name]
  const nothing = as === 'time' ? formatWatched(null) : dash
  const [at] = place
  const change = <Change figure={figure} kind={as === 'share' ? 'share' : 'count'} format={format} />
  return (
    <div className={classes.figure} role="group" aria-label={label}>
      <dl>
        <dt className={`${shapes.hint} ${shapes.cut}`}>{label}</dt>
        <dd>{figure.value === null ? nothing : format(figure.value)}</dd>
      </dl>
      {course && at !== null ? (
        <p className={classes.words} aria-hidden>
          {readingOf(course, at)}
        </p>
      ) : (
        <div className={`${shapes.unit} ${classes.words}`}>
          {hint && (
            <p className={course && shapes.cut} {...whole}>
              {hint}
            </p>
          )}
          {course && change}
        </div>
      )}
      {course ? (
        <SmallPlot
          name={range.unit === 'day' ? `${label} per day` : `${label} per month`}
          steps={course.steps}
          format={format}
          describe={(step) => describe(course, courses, step)}
          place={place}
          isStop={course === courses[0]}
        />
      ) : (
        change
      )}
      <Meaning label={label}>{meaning}</Meaning>
    </div>
  )
}

/** What is true of a step: short, beneath a plot. */
function readingOf({ steps, format }: Course, at: number): string {
  const step = steps[Math.min(at, steps.length - 1)]
  return step ? `${step.name}: ${format(step.value)} (before: ${format(step.before)})` : ''
}

/** The same for those who hear it, with what the plots beside it say. */
function describe({ label, format, steps }: Course, courses: readonly Course[], at: number): string {
  const step = steps[at]
  if (!step) return ''
  const own = `${step.name}: ${format(step.value)}; in the period before: ${format(step.before)}`
  const others = courses.filter((one) => one.label !== label)
  return [own, ...others.map((one) => `${one.label}: ${one.format(one.steps[at]?.value ?? 0)}`)].join('. ')
}

const movedLabels = { up: 'Up from', down: 'Down from' } as const

/** How a figure compares with the period before: what it was then, and what it became. */
function Change({ figure, kind, format }: { figure: Measure; kind: ChangeKind; format: Format }) {
  const change = changeOf(figure, kind)
  if (!change) return null
  const { before, value } = figure
  const { direction, text } = change
  if ((direction !== 'up' && direction !== 'down') || !before) return <p className={shapes.hint}>{text}</p>
  return (
    <p className={shapes.hint}>
      <span className={shapes.sr}>{movedLabels[direction]} </span>
      {format(before)} <span aria-hidden>→</span> <span className={shapes.sr}>to </span>
      {format(value ?? 0)}
    </p>
  )
}
