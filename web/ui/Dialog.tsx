import { Button } from '@mantine/core'
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'

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
 * The browser's own modal dialog: it keeps the focus, closes with Escape and gives the focus back. Dropdowns
 * inside need `comboboxProps={{ withinPortal: false }}`.
 */
export function Dialog(props: Props) {
  const { title, isOpen, onClose, children, dismiss = 'Close', actions, footer } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    if (!isOpen || !element) return
    element.showModal()
    // A dialog that is taken out of the page while open would leave the focus nowhere.
    return () => element.close()
  }, [isOpen])
  if (!isOpen) return null
  // The event comes late: by then it may be open again.
  const closed = () => !dialog.current?.open && onClose()
  return (
    <dialog ref={dialog} className="ui-dialog" aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      <div className="ui-dialog-body">{children}</div>
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
