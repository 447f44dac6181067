import { CloseButton } from '@mantine/core'
import { IconArrowsDiagonal } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useId, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import classes from './Drawer.module.css'
import shapes from '../look/shapes.module.css'
import { rememberPlace } from '../browser/focus.ts'

type Props = {
  title: string
  /** Which form it is, as the address says: an id, or `new`. */
  form: string
  /** The same form as a page, with what has no room here. */
  page?: string | undefined
  /** Told when something was saved and the drawer stays. */
  news?: string
  onClose: () => void
  children: ReactNode
}

/**
 * A form at the edge of the page, over the list that it belongs to. It is a modal dialog whose `onClose` may be
 * refused: it stays until the address no longer names it.
 */
export function Drawer({ title, form, page, news = '', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    if (!element) return
    const goBack = wayBack(form)
    element.showModal()
    heading.current?.focus()
    return () => {
      element.close()
      // The list may be drawn anew before.
      requestAnimationFrame(goBack)
    }
  }, [form])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !isOwn(event)) return
    // Not the browser: it would close before anybody is asked about what is not saved.
    event.preventDefault()
    onClose()
  }
  return (
    <dialog
      ref={dialog}
      className={`${shapes.sheet} ${classes.drawer}`}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        if (event.target !== dialog.current) return
        event.preventDefault()
        onClose()
      }}
    >
      <header>
        <h2 ref={heading} id={id} className={`${shapes.cut} ${shapes.grow}`} tabIndex={-1}>
          {title}
        </h2>
        {page && (
          <Link to={page}>
            <IconArrowsDiagonal size={16} aria-hidden />
            Open as a page
          </Link>
        )}
        <CloseButton size="lg" aria-label="Close the form" onClick={onClose} />
      </header>
      <p className={classes.news} role="status">
        {news}
      </p>
      <div className={classes.body}>{children}</div>
    </dialog>
  )
}

/** An open list of a field closes first; a question on top has an Escape of its own. */
function isOwn({ target, currentTarget }: KeyboardEvent): boolean {
  return (
    target instanceof Element &&
    target.closest('dialog') === currentTarget &&
    target.getAttribute('aria-expanded') !== 'true'
  )
}

/** To what was pressed; for who came by a link, to the row. */
function wayBack(form: string): () => void {
  const pressed = document.activeElement
  if (pressed && pressed !== document.body) return rememberPlace(pressed)
  return () => {
    const row = document.querySelector(`main [data-edit="${form}"]`)
    rememberPlace(row ?? document.querySelector('main [data-create]'))()
  }
}
