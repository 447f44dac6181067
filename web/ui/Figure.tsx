import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { shows } from './tips.ts'

type Props = {
  label: string
  value: string
  /** One short line below: a comparison, a share. */
  hint?: ReactNode
  /** How it compares with before. */
  change?: ReactNode
  /** What exactly it counts, one click away. */
  meaning?: string
  /** A small picture beside the figure. */
  children?: ReactNode
}

/** A big number with its label. */
export function Figure({ label, value, hint, change, meaning, children }: Props) {
  return (
    <div className="ui-card ui-figure">
      <dl>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </dl>
      {hint && <p className="ui-hint">{hint}</p>}
      {change}
      {meaning && (
        <details>
          <summary {...shows(`What “${label}” means`)}>
            <IconInfoCircle size={16} aria-hidden />
            <span className="ui-sr">What “{label}” means</span>
          </summary>
          <p className="ui-hint">{meaning}</p>
        </details>
      )}
      {children}
    </div>
  )
}

export function Figures({ children }: { children: ReactNode }) {
  return <div className="ui-figures">{children}</div>
}
