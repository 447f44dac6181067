import { Button } from '@mantine/core'
import { IconDots, type Icon } from '@tabler/icons-react'
import { Link, type HistoryState } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState, type RefObject } from 'react'
import { iconLook } from '../IconButton.tsx'
import { itemsIn, walk } from '../overlays/menuKeys.ts'
import { place } from '../browser/place.ts'
import { shows } from '../overlays/tips.ts'
import flyout from '../overlays/Flyout.module.css'
import rows from '../overlays/menu.module.css'
import classes from './RowMenu.module.css'

/** What can be done with a row: leads somewhere, or does something, told the button to which the focus returns. */
export type RowAct = {
  icon: Icon
  label: string
  isDangerous?: boolean
} & (
  | { way: { to: string; search?: object; state?: HistoryState } }
  | { onPress: (button: HTMLElement) => void }
)

type Props = {
  /** What the row is called. */
  name: string
  /** Where there is none, nothing is drawn. */
  acts: readonly (RowAct | false)[]
  /** The one that is wanted most: while the row is pointed at or has the focus, it stands beside the menu as well. */
  direct?: { label: string; name: string; onPress: () => void } | false
  /** The row whose form opens over the list: the key `e` does so too. */
  edits?: string | undefined
  isBusy?: boolean
}

/** Three dots at the end of a row, with all that can be done with it. */
export function RowMenu({ name, acts: given, direct, edits, isBusy = false }: Props) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const label = `Actions for ${name}`
  const acts = given.filter((act) => act !== false)
  if (acts.length === 0) return null
  return (
    <>
      {direct && (
        <Button
          className={classes.direct ?? ''}
          size="xs"
          variant="default"
          aria-label={direct.name}
          loading={isBusy}
          onClick={direct.onPress}
        >
          {direct.label}
        </Button>
      )}
      <button
        ref={button}
        type="button"
        {...iconLook(32)}
        className={`${iconLook(32).className} ${classes.dots}`}
        data-edit={edits}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-busy={isBusy || undefined}
        aria-disabled={isBusy}
        {...shows('Actions')}
        {...(isOpen ? { popoverTarget: id } : {})}
        onClick={(event) => {
          // While it is open the browser itself closes it; with the press that opens it, it would close it at once.
          if (!isOpen) event.preventDefault()
          setOpen(!isBusy)
        }}
      >
        <IconDots size={18} aria-hidden />
      </button>
      {isOpen && <Panel {...{ id, label, acts, button }} onClosed={() => setOpen(false)} />}
    </>
  )
}

type PanelProps = {
  /** From the button that opened it. */
  id: string
  label: string
  acts: readonly RowAct[]
  button: RefObject<HTMLButtonElement | null>
  onClosed: () => void
}

/** The menu of a row, as long as it is open. On a phone it is a sheet at the lower edge. */
function Panel({ id, label, acts, button, onClosed }: PanelProps) {
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

type ActProps = Pick<PanelProps, 'button'> & { act: RowAct; leave: () => void }

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
