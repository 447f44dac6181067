import { readSession } from '#contract/auth.ts'
import { call } from './client.ts'
import { ApiError } from './errors.ts'
import { session } from './session.ts'

/** Milliseconds that restoring a saved session may take. */
export const restoreLimit = 5_000

/** Asks the server about the saved session. False: signed out, or no answer within five seconds. */
export async function restoreSession(): Promise<boolean> {
  if (!session.read().isAuthenticated) return false
  try {
    const { user } = await call(readSession, { timeout: restoreLimit })
    session.apply({ type: 'user-read', user })
    return true
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'timeout' || error.status === 401)) return false
    throw error
  }
}
