import type { ReactNode, Ref } from 'react'

type Props = { className?: string; ref?: Ref<HTMLDivElement>; children: ReactNode }

/** The line above a list: what narrows it, and at the end what is done with it. But for its fields it is one stop for Tab. */
export function FilterBar({ className = '', ref, children }: Props) {
  return (
    <div
      ref={ref}
      className={`ui-row ui-filters ${className}`}
      role="toolbar"
      aria-label="Filters"
      data-stop="row"
    >
      {children}
    </div>
  )
}
