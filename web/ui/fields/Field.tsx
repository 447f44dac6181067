import type { ReactNode } from 'react'
import shapes from '../look/shapes.module.css'
import classes from './Field.module.css'

type FieldsProps = { legend: string; hint?: ReactNode; children: ReactNode }

/** Fields that belong together, under a heading of their own. */
export function FieldGroup({ legend, hint, children }: FieldsProps) {
  return (
    <fieldset className={shapes.stack}>
      <legend>{legend}</legend>
      {hint && <p className={shapes.lead}>{hint}</p>}
      {children}
    </fieldset>
  )
}

/** Optional fields are marked, required ones are not. */
export function optional(label: string): ReactNode {
  return (
    <>
      {label} <small>optional</small>
    </>
  )
}

type FactsProps = {
  facts: readonly { label: string; value: ReactNode }[]
  /** One beside the other, as far as there is room. */
  isLine?: boolean
}

/** Labels with values that cannot be changed here. */
export function Facts({ facts, isLine = false }: FactsProps) {
  return (
    <dl className={isLine ? `${shapes.row} ${classes.line}` : `${shapes.ruled} ${classes.facts}`}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt className={shapes.unit}>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
