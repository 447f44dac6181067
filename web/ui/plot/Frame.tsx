import type { ReactNode } from 'react'
import { useWidth } from '../browser/useWidth.ts'
import { Drawing, type Panel } from './Drawing.tsx'
import type { useWalk } from './walk.ts'
import classes from './plot.module.css'
import shapes from '../look/shapes.module.css'

type Props = {
  kind: 'time' | 'steps'
  panels: readonly Panel[]
  walk: ReturnType<typeof useWalk>
  /** Where the line of the chosen point stands, in percent. */
  cursor: number
  onPress?: (event: React.MouseEvent) => void
  /** What lies over the drawings and below them, for a width in pixels. */
  children: (width: number) => ReactNode
}

/** What all plots have in common: scales, drawings one above the other, and a cursor that is moved over both. */
export function Frame({ kind, panels, walk, cursor, onPress, children }: Props) {
  // What it really has, so that lines and patterns are drawn as they are meant.
  const { ref, width } = useWidth(800)
  return (
    <div className={classes.field} data-kind={kind}>
      <div className={classes.scales} aria-hidden>
        {panels.map(({ name, title, height, marks, max }) => (
          <div key={name} data-titled={title !== undefined || undefined} style={{ height }}>
            {marks.map(({ value, label }) => (
              <span key={value} style={{ insetBlockEnd: `${(value / max) * 100}%` }}>
                {label}
              </span>
            ))}
          </div>
        ))}
      </div>
      <div
        ref={ref}
        className={`${shapes.grow} ${classes.area}`}
        role="slider"
        tabIndex={0}
        aria-valuenow={walk.index}
        {...walk.slider}
        onKeyDown={walk.press}
        onClick={onPress}
      >
        {panels.map((panel) => (
          <div key={panel.name}>
            {panel.title && <p aria-hidden>{panel.title}</p>}
            <Drawing panel={panel} width={width} />
          </div>
        ))}
        {children(width)}
        {walk.isShown && <span className={classes.cursor} style={{ insetInlineStart: `${cursor}%` }} />}
      </div>
    </div>
  )
}
