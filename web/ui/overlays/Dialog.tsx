import { Button } from '@mantine/core'
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import classes from './Dialog.module.css'
import shapes from '../look/shapes.module.css'

type Props = {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** What the button says that changes nothing; it stands first. */
  dismiss?: string
  /** The buttons after it. */
  actions?: ReactNode
  /** Instead of all these buttons. */
  footer?: ReactNode
}

/**
 * The browser's own modal dialog: it keeps the focus, closes with Escape and gives the focus back.
 */
export function Dialog({ isOpen, ...open }: Props) {
  return isOpen ? <OpenDialog {...open} /> : null
}

function OpenDialog(props: Omit<Props, 'isOpen'>) {
  const { title, onClose, children, dismiss = 'Close', actions, footer } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    if (!element) return
    element.showModal()
    // A dialog that is taken out of the page while open would leave the focus nowhere.
    return () => element.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`${shapes.sheet} ${classes.dialog}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== dialog.current) return
        // The browser would close it first and say so later: who presses the button again in between would open nothing.
        event.preventDefault()
        onClose()
      }}
      // Where it closes without asking, as with a second Escape; not when it was taken out of the page.
      onClose={() => dialog.current && onClose()}
    >
      <h2 id={id}>{title}</h2>
      <div className={classes.body}>{children}</div>
      <footer>
        {footer ?? (
          <>
            <Button variant="default" onClick={onClose}>
              {dismiss}
            </Button>
            {actions}
          </>
        )}
      </footer>
    </dialog>
  )
}

/** Why nothing can be done: what is closed while it waits for a network would be done all the same. */
export function Offline() {
  return <p role="status">You are offline. Nothing is done until you are back and press again.</p>
}
