import type { ReactNode } from 'react'
import classes from './Notice.module.css'
import type { Tone } from './StatusBadge.tsx'

type Props = {
  tone: Tone
  /** Where it comes while somebody is on the page: read aloud at once, or when there is time. */
  role?: 'alert' | 'status'
  children: ReactNode
}

/** A line above what it is about, of which everybody on the page has to know. */
export function Notice({ tone, role, children }: Props) {
  return (
    <div className={classes['notice']} data-tone={tone} role={role}>
      {children}
    </div>
  )
}
