import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '@tabler/icons-react'
import { useState } from 'react'
import { changeOf, type ChangeKind } from '#contract/report-change.ts'
import { figureMeanings } from '#contract/report-figures.ts'
import { spanText, stepName, type Range } from '#contract/report-labels.ts'
import type { Overview, ReportFigure } from '#contract/report-overviews.ts'
import type { Measure, ReportStep } from '#contract/report-scope.ts'
import { dash, formatDuration, formatNumber, formatShare, formatWatched } from '#web/ui/format.ts'
import { PlotTable } from '#web/ui/plot/PlotTable.tsx'
import { SmallLegend, SmallPlot } from '#web/ui/plot/SmallPlot.tsx'
import type { Place } from '#web/ui/plot/walk.ts'
import { Meaning } from '#web/ui/Meaning.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import classes from './Figures.module.css'
import shapes from '#web/ui/shapes.module.css'

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

type FiguresProps = { overview: Overview | undefined; range: Range | undefined }

/** Beside the table of a report: each figure with what it was before and how it went, all over the same days and walked over together. */
export function Figures({ overview, range }: FiguresProps) {
  return (
    <aside className={`${shapes.card} ${classes.figures ?? ''}`} aria-label="Key figures" data-stop>
      {overview && range ? (
        <Drawn figures={overview.figures} range={range} />
      ) : (
        ['one', 'two', 'three', 'four'].map((row) => <Bone key={row} height={80} />)
      )}
    </aside>
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
      <header>
        <h2>{range.unit === 'day' ? 'Day by day' : 'Month by month'}</h2>
        <SmallLegend now={spanText(range)} before={hasBefore ? spanText(range.before) : undefined} />
      </header>
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
    <div className={classes.table}>
      <PlotTable
        name={isDaily ? 'The figures of each day' : 'The figures of each month'}
        label={isDaily ? 'Show the days as a table' : 'Show the months as a table'}
        heads={[isDaily ? 'Day' : 'Month', ...courses.flatMap(({ label }) => [label, `${label} before`])]}
        rows={names.map((name, at) => [name].concat(cellsOf(at)))}
      />
    </div>
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
  return (
    <div className={classes.figure} role="group" aria-label={label}>
      <dl>
        <dt>{label}</dt>
        <dd>{figure.value === null ? nothing : format(figure.value)}</dd>
      </dl>
      <div className={classes.words} data-walked={(course && at !== null) || undefined}>
        <div>
          {hint && <p className={shapes.hint}>{hint}</p>}
          <Change figure={figure} kind={as === 'share' ? 'share' : 'count'} format={format} />
        </div>
        {course && at !== null && (
          <p className={classes.reading} aria-hidden>
            {readingOf(course, at)}
          </p>
        )}
      </div>
      {course && (
        <div className={classes.course}>
          <SmallPlot
            name={range.unit === 'day' ? `${label} per day` : `${label} per month`}
            steps={course.steps}
            format={format}
            describe={(step) => describe(course, courses, step)}
            place={place}
          />
        </div>
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

const directionLabels = { up: 'Up ', down: 'Down ', same: '', unknown: '' } as const

/** How a figure compares with the period before, with what it was then. */
function Change({ figure, kind, format }: { figure: Measure; kind: ChangeKind; format: Format }) {
  const change = changeOf(figure, kind)
  if (!change) return null
  const { direction, text } = change
  const moved = direction === 'up' || direction === 'down'
  const Icon = direction === 'up' ? IconArrowUpRight : direction === 'down' ? IconArrowDownRight : IconEqual
  return (
    <p className={`${shapes.row} ${shapes.hint} ${classes.change}`}>
      {direction !== 'unknown' && <Icon size={14} aria-hidden />}
      <span>
        <span className={shapes.sr}>{moved && figure.before !== 0 && directionLabels[direction]}</span>
        {text}
        {moved && figure.before !== null && figure.before !== 0 && ` from ${format(figure.before)}`}
      </span>
    </p>
  )
}
