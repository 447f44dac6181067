import type { ReactNode } from 'react'

type Props = {
  label: string
  value: string
  /** One short line below: a comparison, a share. */
  hint?: ReactNode
  /** A small picture beside the figure. */
  children?: ReactNode
}

/** A big number with its label. */
export function Figure({ label, value, hint, children }: Props) {
  return (
    <div className="ui-card ui-figure">
      <dl>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </dl>
      {hint && <p>{hint}</p>}
      {children}
    </div>
  )
}

export function Figures({ children }: { children: ReactNode }) {
  return <div className="ui-figures">{children}</div>
}
