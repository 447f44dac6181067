import { PlotLegend, type Layer } from './Drawing.tsx'
import { Frame } from './Frame.tsx'
import { PlotTable } from './PlotTable.tsx'
import { roundMax } from './shapes.ts'
import { useWalk } from './walk.ts'
import classes from './plot.module.css'

export type PlotStep = {
  /** "Nov 20" */
  label: string
  value: number
  /** What it was in the same step of the period before, where the plot compares. */
  before?: number
  /** The value in words, where it takes more than its format. */
  text?: string
}

type Props = {
  /** What is counted, and per what: "Active people per day". */
  name: string
  steps: readonly PlotStep[]
  /** A value in words. */
  format: (value: number) => string
  /** What the axis is divided by to come out round: 1, or milliseconds of a minute. */
  unit: number
  /** Heads of the table: of the steps, the values, and those before. */
  heads: readonly [step: string, now: string, before?: string]
  /** A named line across, at a share of the width. */
  line?: { at: number; name: string }
  /** In pixels. A small one has no scale, but its greatest value written above it. */
  height?: number
}

const usualHeight = 160

/** A figure over days or months as bars, with the period before as outlines behind them. Walked through by pointer or arrow keys; a table says the same. */
export function StepPlot({ name, steps, format, unit, heads, line, height = usualHeight }: Props) {
  const isSmall = height < usualHeight
  const [stepHead, now, before] = heads
  const former = steps.map((step) => step.before ?? 0)
  const layers: Layer[] = [
    { name: now, kind: 'bars', tone: 'primary', values: steps.map(({ value }) => value) },
  ]
  if (before !== undefined && former.some((value) => value > 0))
    layers.unshift({ name: 'Before', kind: 'outlines', tone: 'neutral', values: former })
  const all = layers.flatMap(({ values }) => values.map((value) => value / unit))
  const max = roundMax(all, 2) * unit
  // Half of an odd number would be told as another number.
  const marks = (isSmall ? [max] : [max, max / 2, 0])
    .filter((value) => Number.isInteger(value / unit))
    .map((value) => ({ value, label: format(value) }))
  const describe = (at: number) => (steps[at] ? wordsOf(steps[at], format) : '')
  const walk = useWalk({ name, count: steps.length, describe, start: 'last' })
  return (
    <div className={`${classes['plot']} ${classes['steps']}`} data-small={isSmall || undefined} dir="ltr">
      <Frame
        kind="steps"
        panels={[{ name, max, marks, layers, height }]}
        walk={walk}
        cursor={((walk.index + 0.5) / steps.length) * 100}
      >
        {() => (
          <>
            {line && (
              <span className={classes['across']} style={{ insetInlineStart: `${line.at * 100}%` }}>
                <b>{line.name}</b>
              </span>
            )}
            <div className={classes['ends']} aria-hidden>
              <span>{steps[0]?.label}</span>
              <span>{steps.at(-1)?.label}</span>
            </div>
          </>
        )}
      </Frame>
      <div className={classes['read']} dir="auto">
        <p aria-hidden>{walk.isShown ? describe(walk.index) : 'Point at a bar, or use the arrow keys.'}</p>
        {layers.length > 1 && <PlotLegend layers={layers.toReversed()} />}
      </div>
      <PlotTable
        name={name}
        heads={[stepHead, now, ...(before === undefined ? [] : [before])]}
        rows={steps.map((step) => [
          step.label,
          step.text ?? format(step.value),
          ...(before === undefined ? [] : [format(step.before ?? 0)]),
        ])}
      />
    </div>
  )
}

function wordsOf({ label, value, before, text }: PlotStep, format: Props['format']): string {
  const words = `${label}: ${text ?? format(value)}`
  return before === undefined ? words : `${words}; in the period before: ${format(before)}`
}
