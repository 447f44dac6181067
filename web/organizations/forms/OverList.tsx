import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState, type ReactNode, useEffect, useRef } from 'react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { Address } from '../../api/client.ts'
import { queryOf } from '../../api/query.ts'
import { Drawer } from '../../ui/overlays/Drawer.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import shapes from '#web/ui/look/shapes.module.css'

export type Over = {
  /** The id of the row that is edited, or `new`. */
  form: string
  onClose: () => void
}

/** What is edited is read anew, or saving would find one's own former change in the way. */
export function useFresh<E extends EndpointDefinition>(endpoint: E, address: Address<E>) {
  const { data, error, isFetchedAfterMount } = useQuery({
    ...queryOf(endpoint, address),
    refetchOnMount: 'always',
  })
  return { loaded: isFetchedAfterMount ? data : undefined, error }
}

type EditingProps<R> = Over & {
  loaded: R | undefined
  error: Error | null
  page: string
  children: (loaded: R) => ReactNode
}

/** One row of the list, edited. */
export function Editing<R extends { name: string }>(given: EditingProps<R>) {
  const { loaded, error, form, page, onClose, children } = given
  return (
    <Drawer
      title={loaded ? `Edit ${loaded.name}` : error ? 'Nothing to edit' : 'One moment'}
      page={loaded || !error ? page : undefined}
      {...{ form, onClose }}
    >
      {error && !loaded ? (
        <NotRead error={error} />
      ) : loaded ? (
        <Suspense fallback={<FormBones />}>
          <FormStart>{children(loaded)}</FormStart>
        </Suspense>
      ) : (
        <FormBones />
      )}
    </Drawer>
  )
}

/** Around what the form needs time for: once it is there, the focus goes into it. */
function FormStart({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const panel = place.current?.closest('dialog')
    // Who has gone on meanwhile is left where they are.
    if (panel?.contains(document.activeElement) && !document.activeElement?.matches('h2, form *')) return
    place.current?.querySelector<HTMLElement>('[data-part="fields"] :is(input, textarea, select)')?.focus()
  }, [])
  return <div ref={place}>{children}</div>
}

/** Of the height of a form. */
function FormBones() {
  return (
    <div className={`${shapes.pad} ${shapes.stack}`} aria-hidden>
      {[1, 2, 3, 4, 5, 6].map((field) => (
        <Bone key={field} height={60} />
      ))}
    </div>
  )
}

type AddingProps = {
  title: string
  page: string
  onClose: () => void
  children: (around: { cancel: ReactNode; goOn: (said: string) => void }) => ReactNode
}

/** One after another: each begins with an empty form. */
export function Adding({ title, page, onClose, children }: AddingProps) {
  const [{ round, news }, setRound] = useState({ round: 0, news: '' })
  const goOn = (said: string) => setRound({ round: round + 1, news: said })
  const cancel = (
    <Button variant="default" onClick={onClose}>
      Cancel
    </Button>
  )
  return (
    <Drawer title={title} form="new" page={page} news={news} onClose={onClose}>
      <Suspense fallback={<FormBones />}>
        <FormStart key={round}>{children({ cancel, goOn })}</FormStart>
      </Suspense>
    </Drawer>
  )
}
