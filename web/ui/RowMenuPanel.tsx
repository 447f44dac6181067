import { Link } from '@tanstack/react-router'
import { useEffect, useRef, type RefObject } from 'react'
import { itemsIn, walk } from './menuKeys.ts'
import { place } from './place.ts'
import type { RowAct } from './RowMenu.tsx'
import flyout from './Flyout.module.css'
import rows from './menu.module.css'
import classes from './RowMenu.module.css'

type Props = {
  /** From the button that opened it. */
  id: string
  label: string
  acts: readonly RowAct[]
  button: RefObject<HTMLButtonElement | null>
  onClosed: () => void
}

/** The menu of a row, as long as it is open. On a phone it is a sheet at the lower edge. */
export function RowMenuPanel({ id, label, acts, button, onClosed }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.showPopover(), [])
  const arrive = () => {
    if (!panel.current || !button.current) return
    place(panel.current, button.current, 'below-end')
    itemsIn(panel.current)[0]?.focus({ preventScroll: true })
  }
  const leave = () => {
    panel.current?.hidePopover()
    // Not every browser gives a button the focus when it is pressed.
    button.current?.focus({ preventScroll: true })
  }
  return (
    <div
      ref={panel}
      id={id}
      popover="auto"
      className={`${flyout.flyout} ${classes.panel}`}
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onToggle={({ newState }) => (newState === 'open' ? arrive() : onClosed())}
      onKeyDown={(event) => {
        if (event.key === 'Tab') leave()
        else walk(event)
      }}
    >
      {acts.map((act) => (
        <Act key={act.label} act={act} button={button} leave={leave} />
      ))}
    </div>
  )
}

type ActProps = Pick<Props, 'button'> & { act: RowAct; leave: () => void }

function Act({ act, button, leave }: ActProps) {
  const { icon: Shown, label, isDangerous } = act
  const look = {
    className: rows.row,
    role: 'menuitem',
    tabIndex: -1,
    'data-tone': isDangerous ? 'danger' : undefined,
  }
  const shown = (
    <>
      <Shown size={18} aria-hidden />
      {label}
    </>
  )
  if ('way' in act)
    return (
      <Link {...look} {...act.way} onClick={leave}>
        {shown}
      </Link>
    )
  return (
    <button
      type="button"
      {...look}
      onClick={() => {
        leave()
        if (button.current) act.onPress(button.current)
      }}
    >
      {shown}
    </button>
  )
}
