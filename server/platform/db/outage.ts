import pg from 'pg'
import { isDiskFull, refuse, type Refusal } from '../errors.ts'
import { isAway } from '../storage/store.ts'

/** After this number of seconds another try may find the database again. */
const retryAfter = 2

/** The database driver and the kernel say this of a connection that is not there, or is there no more. */
const lost =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered|was closed)|Query read timeout)/
/** Somebody else holds for too long what is needed (55P03), or what was the primary is a standby now (25006). */
const waits = new Set(['55P03', '25006'])
const codes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EAWAY'])

/**
 * Returns 503 when there is no database or no free connection, and 507 when a disk is full; undefined for what is wrong with a statement.
 */
export function outageOf(error: unknown): Refusal | undefined {
  if (isDiskFull(error) || isAway(error)) return refusalOf(error)
  const cause = error instanceof Error && error.cause ? error.cause : error
  return refusalOf(cause)
}

function refusalOf(cause: unknown): Refusal | undefined {
  if (!(cause instanceof Error) || !('code' in cause || lost.test(cause.message))) return undefined
  const code = 'code' in cause ? String(cause.code) : ''
  if (code === '53100' || isDiskFull(cause)) return refuse('storage_full')
  const isGone =
    cause instanceof pg.DatabaseError
      ? /^(08|53|57P)/.test(code) || waits.has(code)
      : codes.has(code) || lost.test(cause.message) || ('syscall' in cause && cause.syscall === 'connect')
  return isGone ? refuse('unavailable', { retryAfter }) : undefined
}

/** Makes the refusal for a request while the database does not answer. */
export const noDatabase = (): Refusal => refuse('unavailable', { retryAfter })
