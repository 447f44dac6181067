import { useState, type ReactNode } from 'react'
import { Fold } from './Fold.tsx'
import classes from './More.module.css'
import shapes from './look/shapes.module.css'

type Props = {
  /** Of what the fields are; left out: of all that is rare. */
  title?: string
  /** What is in it, or what it says as it is, in a few words. */
  about: string
  /** Whether something in it is filled in already. */
  isOpenAtFirst?: boolean
  /** What is wrong in it must be seen. */
  hasError?: boolean
  children: ReactNode
}

/** The fields of a form that few fill in. */
export function More({ title = 'More', about, isOpenAtFirst = false, hasError = false, children }: Props) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  return (
    <Fold
      className={classes.more ?? ''}
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      line={
        <>
          <b>{title}</b> <span className={`${shapes.grow} ${shapes.unit}`}>{about}</span>
        </>
      }
    >
      <div>{children}</div>
    </Fold>
  )
}
