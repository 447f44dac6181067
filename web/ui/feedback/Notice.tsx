import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Notice.module.css'
import shapes from '../look/shapes.module.css'
import type { Tone } from '../figures/StatusBadge.tsx'

type Props = {
  tone: Tone
  /** Where it comes while somebody is on the page: read aloud at once, or when there is time. */
  role?: 'alert' | 'status'
  isBusy?: boolean
  icon?: Icon
  /** What can be done about it. */
  action?: ReactNode
  children: ReactNode
}

/** A line above what it is about, of which everybody on the page has to know. */
export function Notice({ tone, role, isBusy, icon: Shown, action, children }: Props) {
  return (
    <div
      className={`${shapes.row} ${classes.notice}`}
      data-room
      data-tone={tone}
      role={role}
      aria-busy={isBusy}
    >
      {Shown && <Shown size={20} aria-hidden />}
      <div>{children}</div>
      {action}
    </div>
  )
}
