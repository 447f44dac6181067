import type { PlotTone } from '../look/tokens.ts'
import { barsOf, crowdOf, stepArea, stepLine, type Box } from './shapes.ts'
import classes from './Drawing.module.css'

export type Layer = {
  name: string
  /** Told apart by their form as well as by their colour. */
  kind: 'area' | 'bars'
  tone: PlotTone
  values: readonly number[]
}
/** Of a crowd, for each bin: how many were there, and how many of their passes were further ones. */
export type Crowd = { seen: readonly number[]; again: readonly number[] }
export type Panel = {
  name: string
  /** Written above it, where it stands among others. */
  title?: string
  /** Of the axis: its end, and what stands at its marks. */
  max: number
  marks: readonly { value: number; label: string }[]
  layers: readonly Layer[]
  crowd?: Crowd
  height: number
}

export function Drawing({ panel, width }: { panel: Panel; width: number }) {
  const { height, max, marks, layers, crowd } = panel
  const box: Box = { width, height, max }
  return (
    <svg
      className={classes.panel}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      style={{ height }}
      aria-hidden
    >
      {marks.map(({ value }) => {
        const y = Math.max(0.5, height - (value / max) * height - 0.5)
        return <line key={value} className={classes.grid} x1={0} x2={width} y1={y} y2={y} />
      })}
      {layers.map((layer) => (
        <Shape key={layer.name} layer={layer} box={box} />
      ))}
      {crowd && <Silhouette crowd={crowd} box={box} />}
    </svg>
  )
}

/** The strip of a crowd: a thread, and about it as much as were there; what was seen again lies outside. */
function Silhouette({ crowd: { seen, again }, box }: { crowd: Crowd; box: Box }) {
  const all = seen.map((n, bin) => n + (again[bin] ?? 0))
  return (
    <g className={classes.crowd}>
      <rect y={box.height / 2 - 1} width={box.width} height={2} />
      <path data-kind="again" d={crowdOf(all, box)} />
      <path d={crowdOf(seen, box)} />
    </g>
  )
}

function Shape({ layer: { kind, tone, values }, box }: { layer: Layer; box: Box }) {
  if (kind === 'area')
    return (
      <g data-plot={tone}>
        <path className={classes.fill} d={stepArea(values, box)} />
        <path className={classes.line} d={stepLine(values, box)} />
      </g>
    )
  return (
    <g data-plot={tone} className={classes[kind]}>
      {barsOf(values, box).map(({ index, isCut, ...bar }) => (
        <rect key={index} data-cut={isCut || undefined} {...bar} />
      ))}
    </g>
  )
}
