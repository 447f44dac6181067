import type { ReactNode } from 'react'
import { Meaning } from '../Meaning.tsx'
import shapes from '../look/shapes.module.css'
import classes from './Figure.module.css'

type Props = {
  label: string
  value: string
  /** One short line below: a comparison, a share. */
  hint?: ReactNode
  /** How it compares with before. */
  change?: ReactNode
  /** What exactly it counts, one click away. */
  meaning?: string
}

/** A big number with its label. */
export function Figure({ label, value, hint, change, meaning }: Props) {
  return (
    <div className={`${shapes.card} ${classes.figure}`} data-part="figure">
      <dl>
        <dt className={shapes.unit}>{label}</dt>
        <dd>{value}</dd>
      </dl>
      {hint && <p className={shapes.hint}>{hint}</p>}
      {change}
      {meaning && <Meaning label={label}>{meaning}</Meaning>}
    </div>
  )
}

export function Figures({ children }: { children: ReactNode }) {
  return (
    <div className={classes.figures} data-part="figures">
      {children}
    </div>
  )
}
