import { useLocation } from '@tanstack/react-router'
import { Suspense, useEffect, useSyncExternalStore } from 'react'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { useSession } from '../../session/useSession.ts'
import classes from './Operations.module.css'
import { started, type Started } from './started.ts'

const Dock = onDemand(async () => (await import('./Dock.tsx')).Dock)

/** A list: a page, and the tab of it. */
function usePlace(): string {
  return useLocation({
    select: ({ pathname, searchStr }) => `${pathname} ${new URLSearchParams(searchStr).get('tab') ?? ''}`,
  })
}

function useStarted(isWanted: (id: string) => boolean): readonly Started[] {
  const all = useSyncExternalStore(started.subscribe, started.read)
  const isViewing = useSession().viewing !== null
  return isViewing ? [] : all.filter(({ id }) => isWanted(id))
}

/** What is on its way in this browser, but for what a list shows itself; nothing is fetched as long as there is nothing. */
export function Operations() {
  const place = usePlace()
  const these = useStarted((id) => !started.isOf(id, place))
  if (these.length === 0) return null
  return (
    <Suspense>
      <Dock these={these} />
    </Suspense>
  )
}

/** At the lower edge of a list what was begun in it, with its Undo: where the bar of the selection was. */
export function BegunHere() {
  const place = usePlace()
  const these = useStarted((id) => started.isOf(id, place))
  useEffect(() => {
    lists.add(place)
    return () => void lists.delete(place)
  }, [place])
  if (these.length === 0) return null
  return (
    <section className={classes.here} data-screen-only aria-label="Begun here">
      <Suspense>
        <Dock these={these} />
      </Suspense>
    </section>
  )
}

const lists = new Set<string>()

/** Goes on with an operation, in sight of the list that it was begun in. */
export function follow(id: string): void {
  const [place] = lists
  started.add(id, place)
}
