import ink from '../look/ink.module.css'
import type { Tone } from './StatusBadge.tsx'
import { Tip } from '../overlays/Tip.tsx'
import type { PlotTone } from '../look/tokens.ts'
import classes from './ShareBar.module.css'

type SharePart = { tone: Tone | 'watched'; value: number; label: string }
type Props = { parts: readonly SharePart[]; total: number }

/** What stands for a tone in a chart: what runs informs. */
export const plotTone = (tone: Tone): PlotTone => (tone === 'running' ? 'info' : tone)

/** How far something is, in coloured and patterned parts; what is missing stays empty: of what was watched, a thread. In words it lists the parts. */
export function ShareBar({ parts, total }: Props) {
  const shown = parts.filter(({ value }) => value > 0)
  const text = shown.map(({ label }) => label).join(', ') || 'Nothing yet'
  return (
    <Tip className={`${classes.share} ${ink.ink}`} text={text} data-mixed={shown.length > 1 || undefined}>
      {shown.map(({ tone, value, label }) => (
        <span
          key={label}
          data-plot={tone === 'watched' ? tone : plotTone(tone)}
          style={{ width: `${(value / Math.max(total, 1)) * 100}%` }}
        />
      ))}
    </Tip>
  )
}
