import './plot.css'
import './tones.css'
import type { PlotTone } from '../tokens.ts'
import { barsOf, stepArea, stepLine, type Box } from './shapes.ts'

export type Layer = {
  name: string
  /** Told apart by their form as well as by their colour. */
  kind: 'area' | 'hatched' | 'dashed' | 'dotted' | 'bars'
  tone: PlotTone
  values: readonly number[]
}
export type Panel = {
  name: string
  /** Of the axis: its end, and what stands at its marks. */
  max: number
  marks: readonly { value: number; label: string }[]
  layers: readonly Layer[]
  height: number
}

export function Drawing({ panel, width }: { panel: Panel; width: number }) {
  const { height, max, marks, layers } = panel
  const box: Box = { width, height, max }
  return (
    <svg
      className="plot-panel"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      style={{ height }}
      aria-hidden
    >
      {marks.map(({ value }) => {
        const y = Math.max(0.5, height - (value / max) * height - 0.5)
        return <line key={value} className="plot-grid" x1={0} x2={width} y1={y} y2={y} />
      })}
      {layers.map((layer) => (
        <Shape key={layer.name} layer={layer} box={box} />
      ))}
    </svg>
  )
}

function Shape({ layer: { kind, tone, values }, box }: { layer: Layer; box: Box }) {
  if (kind === 'bars')
    return (
      <g data-plot={tone} className="plot-bars">
        {barsOf(values, box).map(({ index, isCut, ...bar }) => (
          <rect key={index} data-cut={isCut || undefined} {...bar} />
        ))}
      </g>
    )
  return (
    <g data-plot={tone}>
      {kind === 'area' && <path className="plot-fill" d={stepArea(values, box)} />}
      {kind === 'hatched' && <Hatched d={stepArea(values, box)} tone={tone} />}
      {/* Where a line crosses bars, a rim of the ground keeps both apart. */}
      {kind === 'dashed' && <path className="plot-rim" d={stepLine(values, box)} />}
      <path className="plot-line" data-kind={kind} d={stepLine(values, box)} />
    </g>
  )
}

function Hatched({ d, tone }: { d: string; tone: PlotTone }) {
  const id = `plot-hatch-${tone}`
  return (
    <>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line className="plot-hatch" x1="0" y1="0" x2="0" y2="6" />
      </pattern>
      <path d={d} fill={`url(#${id})`} />
    </>
  )
}

/** The same signs as in the plot, with their names. */
export function PlotLegend({ layers }: { layers: readonly Pick<Layer, 'name' | 'kind' | 'tone'>[] }) {
  return (
    <ul className="plot-legend" aria-label="Legend">
      {layers.map(({ name, kind, tone }) => (
        <li key={name}>
          <svg width="28" height="12" aria-hidden>
            <Shape
              layer={{ name, kind, tone, values: kind === 'bars' ? [2, 0, 3, 0, 1] : [2, 2] }}
              box={{ width: 28, height: 12, max: 3 }}
            />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}
