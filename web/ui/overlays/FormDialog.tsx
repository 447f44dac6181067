import { Button } from '@mantine/core'
import { useId, useRef, type FormEvent, type ReactNode } from 'react'
import { Dialog, Offline } from './Dialog.tsx'
import { useOnline } from '../browser/useOnline.ts'

type Props = {
  title: string
  /** The verb, as on the button that led here. */
  submitLabel: string
  isDangerous?: boolean
  isBusy: boolean
  /** Shows its own errors, at the fields. */
  onSubmit: () => Promise<void>
  onClose: () => void
  children: ReactNode
}

/** A few fields that have to be filled in before something happens. */
export function FormDialog(props: Props) {
  const { title, submitLabel, isDangerous = false, isBusy, onSubmit, onClose, children } = props
  const id = useId()
  const isOnline = useOnline()
  const isSending = useRef(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A form that it was opened from would be sent as well.
    event.stopPropagation()
    // A second press comes before anything is drawn; Enter comes by no button.
    if (isSending.current || !isOnline) return
    isSending.current = true
    void onSubmit().finally(() => {
      isSending.current = false
    })
  }
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      dismiss="Cancel"
      actions={
        <Button
          {...(isDangerous ? { color: 'red' } : {})}
          type="submit"
          form={id}
          loading={isBusy}
          disabled={!isOnline}
        >
          {submitLabel}
        </Button>
      }
    >
      <form id={id} noValidate onSubmit={submit}>
        {children}
      </form>
      {!isOnline && <Offline />}
    </Dialog>
  )
}
