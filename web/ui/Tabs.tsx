import type { ReactNode } from 'react'
import classes from './Tabs.module.css'

type Props = {
  /** What the links are about: "About this video". */
  label: string
  /** Links; the one of the page that is open has `aria-current="page"`. */
  children: ReactNode
}

/** Pages that belong together, as links in one line under the head. */
export function Tabs({ label, children }: Props) {
  return (
    <nav className={classes.tabs} data-screen-only aria-label={label}>
      {children}
    </nav>
  )
}

/** The same look for buttons that change what stands below them; the pressed one has `aria-pressed`. */
export function TabButtons({ label, children }: Props) {
  return (
    <div className={classes.tabs} data-screen-only role="group" aria-label={label}>
      {children}
    </div>
  )
}
