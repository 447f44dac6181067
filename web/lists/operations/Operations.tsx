import { useLocation } from '@tanstack/react-router'
import { Suspense, useEffect, useSyncExternalStore } from 'react'
import { onDemand } from '#web/ui/onDemand.tsx'
import { useSession } from '../../session/useSession.ts'
import classes from './Operations.module.css'
import { started } from './started.ts'

const Dock = onDemand(async () => (await import('./Dock.tsx')).Dock)

/** A list: a page, and the tab of it. */
function usePlace(): string {
  return useLocation({
    select: ({ pathname, searchStr }) => `${pathname} ${new URLSearchParams(searchStr).get('tab') ?? ''}`,
  })
}

function useIds(isWanted: (id: string) => boolean): readonly string[] {
  const ids = useSyncExternalStore(started.subscribe, started.read)
  const isViewing = useSession().viewing !== null
  return isViewing ? [] : ids.filter(isWanted)
}

/** What is on its way in this browser, but for what a list shows itself; nothing is fetched as long as there is nothing. */
export function Operations() {
  const place = usePlace()
  const ids = useIds((id) => !started.isOf(id, place))
  if (ids.length === 0) return null
  return (
    <Suspense>
      <Dock ids={ids} />
    </Suspense>
  )
}

/** At the lower edge of a list what was begun in it, with its Undo: where the bar of the selection was. */
export function BegunHere() {
  const place = usePlace()
  const ids = useIds((id) => started.isOf(id, place))
  useEffect(() => {
    lists.add(place)
    return () => void lists.delete(place)
  }, [place])
  if (ids.length === 0) return null
  return (
    <section className={classes.here} data-screen-only aria-label="Begun here">
      <Suspense>
        <Dock ids={ids} />
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
