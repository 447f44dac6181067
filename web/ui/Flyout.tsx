import { Button } from '@mantine/core'
import { Suspense, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { place } from './place.ts'
import classes from './Flyout.module.css'

type ButtonProps = {
  icon: ReactNode
  /** What the button says. */
  label: ReactNode
  isBusy?: boolean
  /** The panel, fetched when it is wanted first; a `Flyout` with this id. */
  children: (id: string) => ReactNode
}

/** A button with a panel of its own, which is drawn from the first press on. */
export function FlyoutButton({ icon, label, isBusy, children }: ButtonProps) {
  const [isWanted, setWanted] = useState(false)
  const id = useId()
  return (
    <div className={classes['place']}>
      <Button
        variant="default"
        aria-haspopup="dialog"
        aria-busy={isBusy}
        leftSection={icon}
        onClick={() => setWanted(true)}
        // From the second press on the browser itself opens and closes it.
        {...(isWanted ? { popoverTarget: id } : {})}
      >
        {label}
      </Button>
      {isWanted && <Suspense>{children(id)}</Suspense>}
    </div>
  )
}

type Props = {
  /** From the button that opened it. */
  id: string
  label: string
  children: ReactNode
}

/**
 * A small panel below the button that asked for it, inside the element around both. Opens as soon as it is drawn; the browser closes
 * it with Escape or a press elsewhere and gives the focus back.
 */
export function Flyout({ id, label, children }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.showPopover(), [])
  return (
    <div
      ref={panel}
      id={id}
      popover="auto"
      className={classes['flyout']}
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      onToggle={({ newState }) => newState === 'open' && arrive(panel.current)}
    >
      {children}
    </div>
  )
}

/** Closes the panel with this id, from inside it. */
export function closeFlyout(id: string): void {
  document.getElementById(id)?.hidePopover()
}

/** Below its button, at the end of it; it scrolls along with the page. */
function arrive(panel: HTMLElement | null): void {
  if (!panel?.parentElement) return
  place(panel, panel.parentElement, 'below-end')
  panel.focus({ preventScroll: true })
}
