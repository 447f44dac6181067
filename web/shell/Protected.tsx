import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { restoreSession } from '#web/api/restore.ts'
import { session } from '#web/api/session.ts'
import { faceOf } from './faces.ts'
import { explain } from '#web/api/errors.ts'
import { ErrorPage } from './ErrorPage.tsx'
import { goToSignIn } from './leave.ts'
import { Restoring } from './Restoring.tsx'
import { Shell } from './Shell.tsx'
import { useSession } from './useSession.ts'

/** Asked once per load of the console; the first page's data are fetched meanwhile. */
let restored: Promise<boolean> | undefined

type Phase = 'restoring' | 'ready' | { error: unknown }

function here(): string {
  return location.pathname + location.search
}

/** The main layout, for people whose session the server confirms. */
export function Protected() {
  const [phase, setPhase] = useState<Phase>('restoring')
  const { isAuthenticated, user } = useSession()
  const router = useRouter()
  const role = user?.role
  const shownFor = useRef(role)
  useEffect(() => {
    restored ??= restoreSession()
    restored.then(
      (isSignedIn) => (isSignedIn ? setPhase('ready') : goToSignIn(here())),
      (error: unknown) => setPhase({ error }),
    )
  }, [])
  useEffect(() => {
    if (phase === 'ready' && !isAuthenticated) goToSignIn(session.hasExpired() ? here() : undefined)
  }, [phase, isAuthenticated])
  useEffect(() => {
    // Another role opens and closes pages.
    if (role !== undefined && shownFor.current !== role) void router.invalidate()
    shownFor.current = role
  }, [role, router])
  if (phase === 'restoring' || !isAuthenticated) return <Restoring />
  if (phase === 'ready') return <Shell />
  const { title, detail } = explain(phase.error)
  return (
    <main className="face-alone">
      <ErrorPage status={faceOf(undefined)} title={title} detail={detail} onRetry={() => location.reload()} />
    </main>
  )
}
