import type { ReactNode } from 'react'
import { tipStop } from '../../ui/overlays/tips.ts'
import styles from './Numbers.module.css'
import shapes from '#web/ui/look/shapes.module.css'

export type FigureTile = {
  label: string
  value: string
  /** A comparison, a share. */
  hint: string
  /** What exactly it counts. */
  meaning?: string
  /** How it went, drawn small. */
  picture?: ReactNode
}

type Props = {
  /** Of the heading, which names the part. */
  id: string
  title: string
  way?: ReactNode
  numbers: readonly FigureTile[]
  children?: ReactNode
}

/** Figures in one quiet line: on a dashboard they come last. */
export function Numbers({ id, title, way, numbers, children }: Props) {
  return (
    <section className={styles.numbers} aria-labelledby={id}>
      <header className={shapes.row}>
        <h2 id={id}>{title}</h2>
        {way}
      </header>
      <dl>
        {numbers.map(({ label, value, hint, meaning, picture }) => (
          <div key={label}>
            <dt className={shapes.hint}>
              <span {...tipStop(meaning)}>{label}</span>
            </dt>
            <dd>
              <strong>{value}</strong> <span className={shapes.hint}>{hint}</span>
            </dd>
            {picture && <dd>{picture}</dd>}
          </div>
        ))}
      </dl>
      {children}
    </section>
  )
}
