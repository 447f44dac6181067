import { Drawing } from './Drawing.tsx'
import { useWalk } from './walk.ts'
import classes from './plot.module.css'

type Props = {
  /** What it shows: "Active people per day". */
  name: string
  values: readonly number[]
  /** "Nov 20" */
  labelOf: (index: number) => string
  format: (value: number) => string
}

const [width, height] = [160, 32]

/**
 * How a figure went, small, without axes: its greatest value stands below, and each of them while one walks over it. Put a
 * `PlotTable` of all beside a group of them.
 */
export function Sparkline({ name, values, labelOf, format }: Props) {
  const max = Math.max(...values, 1)
  const describe = (at: number) => `${labelOf(at)}: ${format(values[at] ?? 0)}`
  const walk = useWalk({ name, count: values.length, describe, start: 'last' })
  const most = values.indexOf(Math.max(...values))
  return (
    <div className={classes.spark} dir="ltr">
      <div
        className={classes.area}
        role="slider"
        tabIndex={0}
        aria-valuenow={walk.index}
        {...walk.slider}
        onKeyDown={walk.press}
      >
        <Drawing
          panel={{ name, max, marks: [], height, layers: [{ name, kind: 'area', tone: 'success', values }] }}
          width={width}
        />
        {walk.isShown && (
          <span
            className={classes.cursor}
            style={{ insetInlineStart: `${((walk.index + 0.5) / values.length) * 100}%` }}
          />
        )}
      </div>
      <p aria-hidden dir="auto">
        {walk.isShown ? describe(walk.index) : `Most on ${describe(most)}`}
      </p>
    </div>
  )
}
