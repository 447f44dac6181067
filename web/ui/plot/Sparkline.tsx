import './plot.css'
import { Drawing } from './TimePlot.tsx'

type Props = {
  /** What it shows, in words: the picture itself says nothing to who cannot see it. */
  name: string
  values: readonly number[]
}

const [width, height] = [160, 32]

/** How a figure went, small, without axes: its numbers are where the figure leads to. */
export function Sparkline({ name, values }: Props) {
  const max = Math.max(...values, 1)
  return (
    <div className="plot-spark" role="img" aria-label={name} dir="ltr">
      <Drawing
        panel={{ name, max, marks: [], height, layers: [{ name, kind: 'area', tone: 'primary', values }] }}
        width={width}
      />
    </div>
  )
}
