import { Outlet, useRouter } from '@tanstack/react-router'
import { startTransition, useEffect, useRef, useState, type ReactNode } from 'react'
import { isLocked, restoreSession } from '#web/api/restore.ts'
import { session } from '#web/api/session.ts'
import { Failure } from './ErrorPage.tsx'
import face from './Face.module.css'
import { goToLockScreen, goToSignIn, openAnew } from '../session/leave.ts'
import { Restoring } from './Restoring.tsx'
import { here } from '../session/here.ts'
import { Shell } from './Shell.tsx'
import { useSession } from '../session/useSession.ts'

/** Asked once per load of the console; the first page's data are fetched meanwhile. */
let restored: Promise<boolean> | undefined

type Phase = 'restoring' | 'ready' | { error: unknown }

/** The main layout, for people whose session the server confirms; around the page unless something else is given. */
export function Protected({ children }: { children?: ReactNode }) {
  const [phase, setPhase] = useState<Phase>('restoring')
  const { isAuthenticated, user } = useSession()
  const router = useRouter()
  const role = user?.role
  const userId = user?.id
  const shownFor = useRef(role)
  const eyes = useRef(userId)
  useEffect(() => {
    restored ??= restoreSession()
    restored.then(
      // In a transition, so that frame and page are drawn in small pieces, between which a phone hears a finger.
      (isSignedIn) => (isSignedIn ? startTransition(() => setPhase('ready')) : goToSignIn(here())),
      (error: unknown) => (isLocked(error) ? goToLockScreen(here()) : setPhase({ error })),
    )
  }, [])
  useEffect(() => {
    if (phase === 'ready' && !isAuthenticated) goToSignIn(session.hasExpired() ? here() : undefined)
  }, [phase, isAuthenticated])
  useEffect(() => {
    // Here, in another tab or by the clock, a superadmin has begun or ceased to look through other eyes.
    if (phase === 'ready' && userId !== undefined && eyes.current !== userId) openAnew(here())
    eyes.current = userId ?? eyes.current
  }, [phase, userId])
  useEffect(() => {
    // Another role opens and closes pages.
    if (role !== undefined && shownFor.current !== role) void router.invalidate()
    shownFor.current = role
  }, [role, router])
  if (phase === 'restoring' || !isAuthenticated) return <Restoring />
  if (phase === 'ready') return <Shell>{children ?? <Outlet />}</Shell>
  return (
    <main className={face.alone}>
      <Failure error={phase.error} onRetry={() => location.reload()} />
    </main>
  )
}
