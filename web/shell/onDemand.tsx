import { lazy, type ComponentType } from 'react'
import { product } from '#web/ui/product.ts'

/**
 * A part of the frame that is fetched when it is needed first. When it cannot be had, it says so in its own place, and
 * the page around it keeps what has been typed.
 */
export function onDemand<Props>(open: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(() =>
    open().then(
      (part) => ({ default: part }),
      () => ({ default: Missing }),
    ),
  )
}

function Missing() {
  return (
    <div className="face-part" role="alert">
      <p>This part could not be fetched. {product.name} may have been updated in the meantime.</p>
      <button type="button" className="bar-link" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  )
}
