import type { ReactNode, Ref } from 'react'
import shapes from './look/shapes.module.css'
import classes from './FilterBar.module.css'

type Props = { className?: string; ref?: Ref<HTMLDivElement>; children: ReactNode }

/** The line above a list: what narrows it, and at the end what is done with it. But for its fields it is one stop for Tab. */
export function FilterBar({ className = '', ref, children }: Props) {
  return (
    <div
      ref={ref}
      className={`${shapes.row} ${classes.bar} ${className}`}
      role="toolbar"
      aria-label="Filters"
      data-part="filters"
      data-stop
    >
      {children}
    </div>
  )
}
