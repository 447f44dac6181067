import { useId, type ReactNode } from 'react'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  title: string
  badge: { tone: Tone; word: string }
  /** What it is, and what follows from changing it. */
  about: ReactNode
  children?: ReactNode
  actions?: ReactNode
}

/** One factor: its name, its state, what it is, and what can be done. */
export function Section({ title, badge, about, children, actions }: Props) {
  const id = useId()
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby={id}>
      <header className={shapes.spaceBetween}>
        <h2 id={id}>{title}</h2>
        <StatusBadge tone={badge.tone}>{badge.word}</StatusBadge>
      </header>
      <p className={shapes.lead}>{about}</p>
      {children}
      {actions && <div className={shapes.row}>{actions}</div>}
    </section>
  )
}
