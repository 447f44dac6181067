import { lazy, type ComponentType } from 'react'
import { product } from '#web/ui/product.ts'
import { Card } from './Frame.tsx'
import { useFirstFocus } from './useFirstFocus.ts'
import classes from './public.module.css'

/** In place of a page whose script is not to be had. */
export function Missing() {
  useFirstFocus()
  return (
    <Card title="This page could not be fetched">
      <p className={classes.lead} role="alert">
        The connection may be interrupted, or {product.name} may have been updated in the meantime.
      </p>
      <button type="button" className={classes.button} onClick={() => location.reload()}>
        Reload the page
      </button>
    </Card>
  )
}

/** A part that is fetched when it is needed first; when it cannot be had, it says so. */
export function onDemand<Props>(open: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(() =>
    open().then(
      (part) => ({ default: part }),
      () => ({ default: Missing }),
    ),
  )
}
