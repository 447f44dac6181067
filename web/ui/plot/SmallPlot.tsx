import { useWidth } from '../browser/useWidth.ts'
import { barsOf, stepLine } from './shapes.ts'
import classes from './SmallPlot.module.css'
import { useWalk, type Place } from './walk.ts'
import shapes from '../look/shapes.module.css'

type Step = { value: number; before: number }

type Props = {
  /** What is counted, and per what: "Opened per day". */
  name: string
  steps: readonly Step[]
  /** What is true of a step, in words. */
  describe: (at: number) => string
  /** A value in words. */
  format: (value: number) => string
  /** Shared with the plots beside it, which are all over the same steps. */
  place: Place
  /** Of several of which each tells what all of them say, Tab stops at one. */
  isStop?: boolean
}

/** Among those that are walked over together one goes from plot to plot without leaving the day. */
const isSlider = (element: EventTarget | null) =>
  element instanceof Element && element.getAttribute('role') === 'slider'

/** In pixels; the width until it was measured. */
const [usualWidth, height] = [120, 30]

/**
 * One of several figures over the same days or months: bars, and the period before as a line behind them. How high it reaches
 * is written beside it. Put a `PlotTable` of all beside them.
 */
export function SmallPlot({ name, steps, describe, format, place, isStop = true }: Props) {
  const { ref, width } = useWidth(usualWidth)
  const walk = useWalk({ name, count: steps.length, describe, start: 'last', place })
  const [, leave] = place
  const max = steps.reduce((most, { value, before }) => Math.max(most, value, before), 0)
  return (
    <div className={classes.plot}>
      <p className={`${shapes.unit} ${shapes.updated}`} aria-hidden>
        {format(max)}
      </p>
      <div
        ref={ref}
        className={`${shapes.grow} ${classes.area}`}
        dir="ltr"
        role="slider"
        tabIndex={isStop ? 0 : -1}
        aria-valuenow={walk.index}
        {...walk.slider}
        onKeyDown={walk.press}
        onBlur={({ relatedTarget }) => {
          if (!isSlider(relatedTarget)) leave(null)
        }}
        onPointerLeave={({ pointerType }) => {
          if (pointerType === 'mouse' && !isSlider(document.activeElement)) leave(null)
        }}
      >
        <Shapes steps={steps} box={{ width, height, max }} />
        {walk.isShown && (
          <span
            className={classes.mark}
            style={{ insetInlineStart: `${((walk.index + 0.5) / steps.length) * 100}%` }}
          />
        )}
      </div>
    </div>
  )
}

type ShapesProps = { steps: readonly Step[]; box: Parameters<typeof barsOf>[1] }

function Shapes({ steps, box }: ShapesProps) {
  const values = steps.map(({ value }) => value)
  const former = steps.map(({ before }) => before)
  return (
    <svg
      className={classes.shapes}
      viewBox={`0 0 ${box.width} ${box.height}`}
      preserveAspectRatio="none"
      style={{ height: box.height }}
      data-plot="success"
      aria-hidden
    >
      {former.some((value) => value > 0) && <path d={stepLine(former, box)} />}
      {barsOf(values, box).map(({ index, isCut: _none, ...bar }) => (
        <rect key={index} {...bar} />
      ))}
    </svg>
  )
}

const sample = [2, 3, 1].map((value) => ({ value, before: 0 }))
const sampleBox = { width: 16, height: 12, max: 3 }

/** The days of the bars and, where one is drawn, of the line. */
export function SmallLegend({ now, before }: { now: string; before: string | undefined }) {
  return (
    <ul className={`${shapes.row} ${shapes.hint} ${classes.legend}`}>
      <li className={shapes.row}>
        <Sample steps={sample} />
        <span className={shapes.sr}>This period: </span>
        {now}
      </li>
      {before !== undefined && (
        <li className={shapes.row}>
          <Sample steps={sample.map(({ value }) => ({ value: 0, before: value }))} />
          <span className={shapes.sr}>The period before: </span>
          {before}
        </li>
      )}
    </ul>
  )
}

function Sample({ steps }: { steps: readonly Step[] }) {
  return (
    <span style={{ width: sampleBox.width }}>
      <Shapes steps={steps} box={sampleBox} />
    </span>
  )
}
