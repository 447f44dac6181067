import { Frame } from './Frame.tsx'
import { PlotTable } from './PlotTable.tsx'
import { roundMax } from './shapes.ts'
import { useWalk } from './walk.ts'
import classes from './plot.module.css'

export type PlotStep = {
  /** "Nov 20" */
  label: string
  value: number
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
  /** Heads of the table: of the steps and the values. */
  heads: readonly [step: string, value: string]
  /** A named line across, at a share of the width. */
  line?: { at: number; name: string }
}

/** In pixels. */
const height = 160

/** A figure over days, months or classes as bars. Walked through by pointer or arrow keys; a table says the same. */
export function StepPlot({ name, steps, format, unit, heads, line }: Props) {
  const values = steps.map(({ value }) => value)
  const scaled = values.map((value) => value / unit)
  const max = roundMax(scaled, 2) * unit
  // Half of an odd number would be told as another number.
  const marks = [max, max / 2, 0]
    .filter((value) => Number.isInteger(value / unit))
    .map((value) => ({ value, label: format(value) }))
  const describe = (at: number) => (steps[at] ? wordsOf(steps[at], format) : '')
  const walk = useWalk({ name, count: steps.length, describe, start: 'last' })
  return (
    <div className={`${classes.plot} ${classes.steps}`} dir="ltr">
      <Frame
        kind="steps"
        panels={[{ name, max, marks, layers: [{ name, kind: 'bars', tone: 'success', values }], height }]}
        walk={walk}
        cursor={((walk.index + 0.5) / steps.length) * 100}
      >
        {() => (
          <>
            {line && (
              <span className={classes.across} style={{ insetInlineStart: `${line.at * 100}%` }}>
                <b>{line.name}</b>
              </span>
            )}
            <div className={classes.ends} aria-hidden>
              <span>{steps[0]?.label}</span>
              <span>{steps.at(-1)?.label}</span>
            </div>
          </>
        )}
      </Frame>
      <div className={classes.read} dir="auto">
        <p aria-hidden>{walk.isShown ? describe(walk.index) : 'Point at a bar, or use the arrow keys.'}</p>
      </div>
      <PlotTable
        name={name}
        heads={heads}
        rows={steps.map((step) => [step.label, step.text ?? format(step.value)])}
      />
    </div>
  )
}

const wordsOf = ({ label, value, text }: PlotStep, format: Props['format']) =>
  `${label}: ${text ?? format(value)}`
