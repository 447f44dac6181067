import { Button } from '@mantine/core'
import { Suspense, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { place } from '../browser/place.ts'
import { named } from './tips.ts'
import classes from './Flyout.module.css'

type ButtonProps = {
  icon?: ReactNode
  /** What the button says beside its icon. */
  label?: ReactNode
  /** What the button is called where its icon stands alone. */
  name?: string
  isBusy?: boolean
  /** The panel, fetched when it is wanted first; a `Flyout` with this id. */
  children: (id: string) => ReactNode
}

/** A button with a panel of its own, which is drawn from the first press on. */
export function FlyoutButton({ icon, label, name, isBusy, children }: ButtonProps) {
  const [isWanted, setWanted] = useState(false)
  const id = useId()
  return (
    <div data-screen-only>
      <Button
        variant="default"
        aria-haspopup="dialog"
        aria-busy={isBusy}
        {...(name === undefined ? { leftSection: icon } : { className: classes.alone, ...named(name) })}
        onClick={(event) => {
          // From the second press on the browser itself opens and closes it; with the first it would close it again.
          if (!isWanted) event.preventDefault()
          setWanted(true)
        }}
        {...(isWanted ? { popoverTarget: id } : {})}
      >
        {name === undefined ? label : icon}
      </Button>
      {isWanted && <Suspense>{children(id)}</Suspense>}
    </div>
  )
}

type Props = {
  /** From the button that opened it. */
  id: string
  label: string
  /** Which of its edges lies at that of the button. */
  at?: 'start' | 'end'
  /** With room for fields side by side. */
  isWide?: boolean
  /** Before it is seen, each time. */
  onOpen?: () => void
  children: ReactNode
}

/**
 * A small panel below the button that asked for it, inside the element around both. Opens as soon as it is drawn; the browser closes
 * it with Escape or a press elsewhere and gives the focus back. On a phone it is a sheet at the lower edge.
 */
export function Flyout({ id, label, at = 'end', isWide, onOpen, children }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.showPopover(), [])
  return (
    <div
      ref={panel}
      id={id}
      popover="auto"
      className={classes.flyout}
      data-wide={isWide || undefined}
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      // What opens over it is its child too, and says so as well.
      onBeforeToggle={({ newState, target }) => target === panel.current && newState === 'open' && onOpen?.()}
      onToggle={({ newState, target }) =>
        target === panel.current && newState === 'open' && arrive(panel.current, at)
      }
    >
      {children}
    </div>
  )
}

/** Closes the panel with this id, from inside it. */
export function closeFlyout(id: string): void {
  document.getElementById(id)?.hidePopover()
}

/** Closes the panel that this stands in. */
export function leaveFlyout(inside: Element): void {
  inside.closest<HTMLElement>('[popover]')?.hidePopover()
}

/** Below its button; it scrolls along with the page. */
function arrive(panel: HTMLElement | null, at: 'start' | 'end'): void {
  if (!panel?.parentElement) return
  place(panel, panel.parentElement, at === 'end' ? 'below-end' : 'below')
  const first = panel.querySelector<HTMLElement>('[role="menu"] [tabindex="0"]') ?? panel
  first.focus({ preventScroll: true })
}
