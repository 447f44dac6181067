import { useSyncExternalStore } from 'react'
import { paths, returnAddress } from '#web/paths.ts'
import { Face } from '#web/layout/Face.tsx'
import { faces, type FaceStatus } from '#web/layout/faces.ts'
import { product } from '#web/ui/product.ts'
import { Frame, PageLink } from './Frame.tsx'
import { useSearchParam } from './navigate.ts'
import classes from './public.module.css'

const never = () => () => undefined

/** What only the page in the browser says, not the one that is drawn at build time. */
function useWritten(read: () => string): string {
  return useSyncExternalStore(never, read, () => '')
}

/** An error page: at its own address, or in place of the page that the server could not give. */
export function ErrorAlone({ status }: { status: FaceStatus }) {
  const reference = useWritten(() => product.reference)
  return (
    <Frame isWide>
      <Face name={status} {...faces[status]} reference={reference || undefined}>
        <Action status={status} />
      </Face>
    </Frame>
  )
}

function Action({ status }: { status: FaceStatus }) {
  const wanted = useSearchParam('return')
  if (status === 401)
    return (
      <PageLink to={paths.signIn(wanted ?? undefined)} className={classes.button}>
        Sign in
      </PageLink>
    )
  if (status === 408 || status === 429 || status === 500)
    return (
      <button type="button" className={classes.button} onClick={tryAgain}>
        Try again
      </button>
    )
  return (
    <a href={paths.home()} className={classes.button}>
      Back to the start page
    </a>
  )
}

/** At the address of the error itself there is nothing to load again. */
function tryAgain(): void {
  if (!/^\/(error|maintenance)(\/|$)/.test(location.pathname)) return location.reload()
  const wanted = new URLSearchParams(location.search).get('return')
  location.assign(wanted === null ? paths.home() : returnAddress(wanted))
}

export function Maintenance() {
  const contact = useWritten(() => product.contact)
  return (
    <Frame isWide>
      <Face name="maintenance" {...faces.maintenance}>
        {contact ? (
          <a href={`mailto:${contact}`} className={classes.button}>
            Write to {contact}
          </a>
        ) : (
          <button type="button" className={classes.button} onClick={tryAgain}>
            Try again
          </button>
        )}
      </Face>
    </Frame>
  )
}
