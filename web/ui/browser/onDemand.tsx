import { Button } from '@mantine/core'
import { lazy, useState, type ComponentType } from 'react'
import { Dialog } from '../overlays/Dialog.tsx'
import { product } from '../product.ts'
import shapes from '../look/shapes.module.css'

type FetchPart<Props> = () => Promise<ComponentType<Props>>

/** `fetch` brings it before it is drawn; it never fails. */
type OnDemand<Props> = ComponentType<Props> & { fetch(): Promise<unknown> }

/**
 * A part that is fetched when it is needed first. When it cannot be had, it says so in its own place, and the page around
 * it keeps what has been typed.
 */
export function onDemand<Props extends object>(open: FetchPart<Props>) {
  return withSubstitute(open, Missing)
}

/** The same for a dialog, which has no place in the page. */
export function dialogOnDemand<Props extends { onClose: () => void }>(open: FetchPart<Props>) {
  return withSubstitute(open, MissingDialog)
}

function withSubstitute<Props extends object>(
  open: FetchPart<Props>,
  Substitute: ComponentType<Props>,
): OnDemand<Props> {
  let arrived: ComponentType<Props> | undefined
  const fetch = () =>
    open().then(
      (part) => (arrived = part),
      () => Substitute,
    )
  const Later = lazy<ComponentType<Props>>(() => fetch().then((part) => ({ default: part })))
  function Part(props: Props) {
    // What has arrived is drawn at once. React shows what had to wait, be it for nothing, no earlier than 300 ms after the page.
    const [Shown] = useState(() => arrived ?? Later)
    return <Shown {...props} />
  }
  return Object.assign(Part, { fetch })
}

const reload = () => location.reload()

function Missing() {
  return (
    <div className={shapes.missing} role="alert">
      <p>This part could not be fetched. {product.name} may have been updated in the meantime.</p>
      <button type="button" className={shapes.link} onClick={reload}>
        Reload the page
      </button>
    </div>
  )
}

function MissingDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="This part could not be fetched"
      isOpen
      onClose={onClose}
      actions={<Button onClick={reload}>Reload the page</Button>}
    >
      <p>{product.name} may have been updated in the meantime.</p>
    </Dialog>
  )
}
