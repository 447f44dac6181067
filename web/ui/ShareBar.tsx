import './share.css'
import type { Tone } from './StatusBadge.tsx'

type Part = { tone: Tone; value: number; label: string }
type Props = { parts: readonly Part[]; total: number }

/** How far something is, in coloured parts; what is missing stays empty. Read aloud it lists the parts in words. */
export function ShareBar({ parts, total }: Props) {
  const shown = parts.filter(({ value }) => value > 0)
  const text = shown.map(({ label }) => label).join(', ') || 'Nothing yet'
  return (
    <span className="ui-share" role="img" aria-label={text} title={text}>
      {shown.map(({ tone, value, label }) => (
        <span key={label} data-tone={tone} style={{ width: `${(value / Math.max(total, 1)) * 100}%` }} />
      ))}
    </span>
  )
}
