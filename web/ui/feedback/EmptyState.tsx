import type { ReactNode } from 'react'
import shapes from '../look/shapes.module.css'
import classes from './EmptyState.module.css'

type Props = {
  title: string
  children?: ReactNode
  /** The one next action. */
  action?: ReactNode
  icon?: ReactNode
}

/** What stands where a list would be: why it is empty and what to do about it. */
export function EmptyState({ title, children, action, icon }: Props) {
  return (
    <div className={`${shapes.missing} ${classes.empty}`}>
      {icon && (
        <span className={classes.icon} aria-hidden>
          {icon}
        </span>
      )}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}
