import { Suspense, useSyncExternalStore } from 'react'
import { onDemand } from '#web/ui/onDemand.tsx'
import { useSession } from '../useSession.ts'
import { started } from './started.ts'

const Dock = onDemand(async () => (await import('./Dock.tsx')).Dock)

/** What is on its way in this browser; nothing is fetched as long as there is nothing. */
export function Operations() {
  const ids = useSyncExternalStore(started.subscribe, started.read)
  const isViewing = useSession().viewing !== null
  if (ids.length === 0 || isViewing) return null
  return (
    <Suspense>
      <Dock ids={ids} />
    </Suspense>
  )
}
