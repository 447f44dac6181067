import type { ReactNode } from 'react'
import classes from './Lines.module.css'
import shapes from './look/shapes.module.css'

type Props = {
  label?: string
  /** On a card of its own. */
  isCard?: true
  isBusy?: boolean
  /** Items: perhaps an icon, what it is with small words about it, and at the end its time or what can be done. */
  children: ReactNode
}

/** Things one below the other, in their order. */
export function Lines({ label, isCard, isBusy, children }: Props) {
  return (
    <ol
      className={`${shapes.ruled} ${classes.lines} ${isCard ? `${shapes.card} ${classes.carded}` : ''}`}
      aria-label={label}
      aria-busy={isBusy}
    >
      {children}
    </ol>
  )
}
