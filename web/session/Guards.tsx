import { Suspense, useEffect, useSyncExternalStore } from 'react'
import { overcome } from '#web/api/retry.ts'
import { dialogOnDemand } from '#web/ui/onDemand.tsx'
import { EndWarning } from './EndWarning.tsx'
import { followLock, lock } from './lock.ts'
import { proof } from './proof.ts'

const Proof = dialogOnDemand(async () => (await import('./Proof.tsx')).Proof)

/** What the session asks of its owner meanwhile: a proof, an unlocking, a sign of life. */
export function Guards() {
  const isAsked = useSyncExternalStore(proof.subscribe, proof.isAsked)
  useEffect(() => {
    overcome({ prove: () => proof.ask(), unlock: lock })
    return followLock()
  }, [])
  return (
    <>
      <EndWarning />
      {isAsked && (
        <Suspense fallback={null}>
          <Proof onClose={() => proof.settle(false)} />
        </Suspense>
      )}
    </>
  )
}
