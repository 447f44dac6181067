import './plot.css'
import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import { roundMax } from './shapes.ts'
import { Drawing, PlotLegend, stepTo, useWidth, type Layer } from './TimePlot.tsx'

export type PlotStep = {
  /** "Nov 20" */
  label: string
  value: number
  before: number
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
  heads: readonly [string, string, string]
}

const height = 160

/** A figure over days or months as bars, with the period before as a line. Walked through by pointer or arrow keys; a table says the same. */
export function StepPlot({ name, steps, format, unit, heads }: Props) {
  const { box, width } = useWidth()
  const [chosen, setChosen] = useState<number | null>(null)
  const [stepHead, now, before] = heads
  const values = steps.map((step) => step.value)
  const former = steps.map((step) => step.before)
  const max =
    roundMax(
      [...values, ...former].map((value) => value / unit),
      2,
    ) * unit
  const layers: Layer[] = [
    { name: now, kind: 'bars', tone: 'primary', values },
    { name: before, kind: 'dashed', tone: 'neutral', values: former },
  ]
  const shown = former.some((value) => value > 0) ? layers : layers.slice(0, 1)
  const marks = [max, max / 2, 0].map((value) => ({ value, label: format(value) }))
  const index = Math.min(chosen ?? steps.length - 1, steps.length - 1)
  const describe = (at: number) => {
    const step = steps[at]
    return step ? `${step.label}: ${format(step.value)}; in the period before: ${format(step.before)}` : ''
  }

  function point({ clientX, currentTarget }: PointerEvent<HTMLElement>): void {
    const { left, width: wide } = currentTarget.getBoundingClientRect()
    const found = Math.floor(((clientX - left) / wide) * steps.length)
    setChosen(Math.max(0, Math.min(steps.length - 1, found)))
  }

  function press(event: KeyboardEvent): void {
    const next = stepTo(event.key, index, steps.length)
    if (next === undefined) return
    setChosen(next)
    event.preventDefault()
  }

  return (
    <div className="plot plot-steps" dir="ltr">
      <div className="plot-field">
        <div className="plot-scales" aria-hidden>
          <div style={{ height }}>
            {marks.map(({ value, label }) => (
              <span key={value} style={{ insetBlockEnd: `${(value / max) * 100}%` }}>
                {label}
              </span>
            ))}
          </div>
        </div>
        <div
          ref={box}
          className="plot-area"
          role="slider"
          tabIndex={0}
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, steps.length - 1)}
          aria-valuenow={Math.max(0, index)}
          aria-valuetext={describe(index)}
          onKeyDown={press}
          onFocus={() => setChosen((known) => known ?? steps.length - 1)}
          onPointerMove={point}
          onPointerDown={point}
        >
          <Drawing panel={{ name, max, marks, layers: shown, height }} width={width} />
          {chosen !== null && (
            <span
              className="plot-cursor"
              style={{ insetInlineStart: `${((index + 0.5) / steps.length) * 100}%` }}
            />
          )}
          <div className="plot-ends" aria-hidden>
            <span>{steps[0]?.label}</span>
            <span>{steps.at(-1)?.label}</span>
          </div>
        </div>
      </div>
      <div className="plot-read" dir="auto">
        <p aria-hidden>{chosen === null ? 'Point at a bar, or use the arrow keys.' : describe(index)}</p>
        <PlotLegend layers={shown} />
      </div>
      <details className="plot-table">
        <summary>Show as a table</summary>
        <div role="region" aria-label={`${name}, as a table`}>
          <table>
            <thead>
              <tr>
                {[stepHead, now, before].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {steps.map((step) => (
                <tr key={step.label}>
                  <th scope="row">{step.label}</th>
                  <td>{format(step.value)}</td>
                  <td>{format(step.before)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  )
}
