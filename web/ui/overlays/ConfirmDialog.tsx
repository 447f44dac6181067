import { Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { Dialog, Offline } from './Dialog.tsx'
import { useOnline } from '../browser/useOnline.ts'

type Props = {
  isOpen: boolean
  /** A question that names the thing: "Remove Ada Lovelace?" */
  title: string
  /** What is lost, and what stays. */
  children: ReactNode
  /** The verb, as on the button that led here: "Remove person". */
  confirmLabel: string
  /** Where staying is more than giving up what one wanted. */
  cancelLabel?: string
  isDangerous?: boolean
  /** Whether everything is said that has to be said before. */
  isReady?: boolean
  /** Closes when it is over; what went wrong is said in a toast. */
  onConfirm: () => Promise<unknown> | void
  onClose: () => void
}

/** Asks before something is lost. */
export function ConfirmDialog(props: Props) {
  const { isOpen, title, children, confirmLabel, onConfirm, onClose } = props
  const { cancelLabel = 'Cancel', isDangerous = true, isReady = true } = props
  const [isBusy, setBusy] = useState(false)
  const isOnline = useOnline()
  const confirm = async () => {
    setBusy(true)
    await onConfirm()
    setBusy(false)
    onClose()
  }
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      dismiss={cancelLabel}
      actions={
        <Button
          {...(isDangerous ? { color: 'red' } : {})}
          loading={isBusy}
          disabled={!isReady || !isOnline}
          onClick={() => void confirm()}
        >
          {confirmLabel}
        </Button>
      }
    >
      {children}
      {!isOnline && <Offline />}
    </Dialog>
  )
}
