import { logout } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { queryClient } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'

/** The first reason to leave counts: who signs out is not asked to come back to the same page. */
let isLeaving = false

/** The sign-in page is an entry of its own: a full load, which also leaves nothing of the session in memory. */
export function goToSignIn(from?: string): void {
  if (isLeaving) return
  isLeaving = true
  location.replace(paths.signIn(from))
}

/** Where a locked session is opened again; like signing in, a full load that leaves nothing in memory. */
export function goToLockScreen(from: string): void {
  if (isLeaving) return
  isLeaving = true
  location.replace(paths.lockScreen(from))
}

/** The console from its beginning, for another pair of eyes: nothing of what the former ones saw stays in memory. */
export function openAnew(page: string): void {
  if (isLeaving) return
  isLeaving = true
  location.assign(page)
}

/** Ends the session on the server when it can be reached, and here in any case. */
export async function signOut(): Promise<void> {
  // Whatever else hears meanwhile that the session is over would lead back here, before anything of it is forgotten.
  isLeaving = true
  await call(logout, { timeout: 3_000 }).catch(() => undefined)
  location.replace(paths.signIn())
  queryClient.clear()
  session.apply({ type: 'signed-out' })
}
