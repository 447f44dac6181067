import { useId, type ReactNode } from 'react'
import { StatusBadge, type Tone } from '#web/ui/StatusBadge.tsx'

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
    <section className="ui-card ui-card-pad ui-stack" aria-labelledby={id}>
      <header className="ui-apart">
        <h2 id={id}>{title}</h2>
        <StatusBadge tone={badge.tone}>{badge.word}</StatusBadge>
      </header>
      <p className="ui-lead">{about}</p>
      {children}
      {actions && <div className="ui-row">{actions}</div>}
    </section>
  )
}
