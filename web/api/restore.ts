import type { readSession } from '#contract/identity/auth.ts'
import { call } from './client.ts'
import { ApiError } from './errors.ts'
import { session } from './session.ts'

/** Milliseconds that restoring a saved session may take. */
export const restoreLimit = 5_000

/** Restoring found a session that its owner has locked. */
export function isLocked(error: unknown): boolean {
  return error instanceof ApiError && error.problem?.code === 'session_locked'
}

/** Asks the server about the saved session. False: signed out. No answer within five seconds is an error like any other. */
export async function restoreSession(): Promise<boolean> {
  if (!session.read().isAuthenticated) return false
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new ApiError('timeout')), restoreLimit)
  try {
    const { user, viewing } = await call<typeof readSession>(
      { method: 'GET', path: '/auth/session' },
      { signal: limit.signal },
    )
    session.apply({ type: 'user-read', user, viewing })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false
    throw error
  } finally {
    clearTimeout(timer)
  }
}
