import { Button } from '@mantine/core'
import { useId, type FormEvent, type ReactNode } from 'react'
import { Dialog } from './Dialog.tsx'

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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A form that it was opened from would be sent as well.
    event.stopPropagation()
    void onSubmit()
  }
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      dismiss="Cancel"
      actions={
        <Button {...(isDangerous ? { color: 'red' } : {})} type="submit" form={id} loading={isBusy}>
          {submitLabel}
        </Button>
      }
    >
      <form id={id} noValidate onSubmit={submit}>
        {children}
      </form>
    </Dialog>
  )
}
