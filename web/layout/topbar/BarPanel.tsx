import { useState, type FocusEvent, type ReactNode } from 'react'
import { named } from '#web/ui/overlays/tips.ts'
import bar from './Topbar.module.css'
import classes from './BarPanel.module.css'

type Props = {
  id: string
  /** Name of the panel. */
  label: string
  /** Over all of the page, or as wide as others but further from the end of the bar. */
  width?: 'page' | 'inner'
  button: { content: ReactNode; className?: string; label?: string; onNear?: () => void }
  onOpen?: () => void
  children: (close: () => void) => ReactNode
}

/** A button of the bar and what it opens. Escape, a press outside and tabbing out close it; the focus goes back to the button. */
export function BarPanel({ id, label, width, button, onOpen, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  const close = () => document.getElementById(id)?.hidePopover()
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // Without a next element the window was left, or something was pressed, which the browser looks after.
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) close()
  }
  return (
    <div className={classes.place} onBlur={leave}>
      <button
        type="button"
        className={`${bar.button} ${button.className ?? ''}`}
        popoverTarget={id}
        aria-expanded={isOpen}
        aria-controls={id}
        {...(button.label === undefined ? {} : named(button.label))}
        // Over, not enter: React is told of no entering when what lay under the pointer before has gone.
        onPointerOver={button.onNear}
        onFocus={button.onNear}
      >
        {button.content}
      </button>
      <section
        id={id}
        className={classes.panel}
        data-width={width}
        popover="auto"
        aria-label={label}
        onBeforeToggle={({ newState }) => newState === 'open' && setOpened(true)}
        onToggle={({ newState }) => {
          setOpen(newState === 'open')
          if (newState === 'open') onOpen?.()
        }}
      >
        {wasOpened && children(close)}
      </section>
    </div>
  )
}
