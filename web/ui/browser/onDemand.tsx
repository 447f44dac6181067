import { Button } from '@mantine/core'
import { lazy, type ComponentType } from 'react'
import { Dialog } from '../overlays/Dialog.tsx'
import { product } from '../product.ts'
import shapes from '../look/shapes.module.css'

type FetchPart<Props> = () => Promise<ComponentType<Props>>

/**
 * A part that is fetched when it is needed first. When it cannot be had, it says so in its own place, and the page around
 * it keeps what has been typed.
 */
export function onDemand<Props>(open: FetchPart<Props>) {
  return withSubstitute(open, Missing)
}

/** The same for a dialog, which has no place in the page. */
export function dialogOnDemand<Props extends { onClose: () => void }>(open: FetchPart<Props>) {
  return withSubstitute(open, MissingDialog)
}

function withSubstitute<Props>(open: FetchPart<Props>, Substitute: ComponentType<Props>) {
  return lazy<ComponentType<Props>>(() =>
    open().then(
      (part) => ({ default: part }),
      () => ({ default: Substitute }),
    ),
  )
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
