import type { ReactNode } from 'react'

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
    <div className="ui-missing ui-empty">
      {icon && (
        <span className="ui-empty-icon" aria-hidden>
          {icon}
        </span>
      )}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}
