import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { addressOf } from '../../platform/http/address.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { knownDevice } from '../devices.ts'
import { verifyPasswordHash } from './hash.ts'
import { countGuess, forgivePassword, passwordLimits, returnPassword, takeTry } from '../limit.ts'
import type { Guess, PasswordLimits } from '../limit.ts'
import { queueNotice } from '../notices.ts'
import { accountByEmail, type Account } from '../queries.ts'

/** Who asks, and a way to do what must not show in the time of the answer. */
export type Proving = {
  services: Services
  request: FastifyRequest
  caller: Caller | undefined
  later: (work: () => Promise<unknown>) => void
}

type Attempt = {
  identifier: string
  password: string
  /** What the audit calls it. */
  action: 'auth.sign_in' | 'auth.reauthenticate' | 'auth.change_password'
  /** Whose password does. */
  owns: (account: Account) => boolean
}

/** The password was right; `recordSuccess` belongs into the transaction of what it was asked for. */
type Proved = { account: Account; recordSuccess: (tx: Tx) => Promise<void> }

/**
 * Unknown, switched off, without a role, out of tries, wrong password: one answer, after the same work. The hash is worked
 * out between two transactions, so that nobody holds a connection while waiting for a core.
 */
export async function provePassword(asking: Proving, attempt: Attempt): Promise<Proved> {
  const { services, request } = asking
  const { db } = services
  const { account, limits, guess } = await db.as('system', (tx) => begin(tx, asking, attempt))
  const mayMatch = guess.counts && account?.mayEnter && attempt.owns(account)
  const right = await verifyPasswordHash(
    attempt.password,
    mayMatch ? account.passwordHash : null,
    () => request.raw.socket.destroyed,
  ).catch(async (error: unknown) => {
    await db.as('system', (tx) => returnPassword(tx, limits, guess))
    throw error
  })
  const entry = {
    organizationId: account?.organizationId ?? null,
    entity: 'user',
    entityId: account?.id ?? null,
    after: { factor: 'password' },
  }
  if (!right || !account) {
    await db.as('system', (tx) => audit(tx, asking, { ...entry, action: `${attempt.action}_failed` }))
    const alarm = guess.isLast ? 'password_disabled' : guess.alarm
    if (alarm && account?.mayEnter) asking.later(() => warn(services, account, alarm))
    throw refuse('invalid_credentials')
  }
  const recordSuccess = async (tx: Tx) => {
    await forgivePassword(tx, limits)
    await audit(tx, { ...asking, caller: { userId: account.id } }, { ...entry, action: attempt.action })
  }
  return { account, recordSuccess }
}

type Begun = {
  account: Account | undefined
  limits: PasswordLimits
  guess: Guess
}

async function begin(tx: Tx, asking: Proving, { identifier }: Attempt): Promise<Begun> {
  const { services, request } = asking
  const account = await accountByEmail(tx, identifier)
  const known = ownSession(asking, account) ?? (await knownDevice(tx, asking, identifier))
  const limits = passwordLimits({ keys: services.keys, identifier, ip: addressOf(request), known })
  await takeTry(tx, limits)
  return { account, limits, guess: await countGuess(tx, limits) }
}

/** Whoever proves again who they are has a session of their own, which is as good as a known browser. */
function ownSession({ caller }: Proving, account: Account | undefined): string | undefined {
  if (!caller || !account) return undefined
  return (caller.viewer?.id ?? caller.userId) === account.id ? caller.sessionId : undefined
}

type Alarm = 'too_many_tries' | 'password_disabled'

function warn(services: Services, account: Account, event: Alarm): Promise<void> {
  return services.db.as('system', async (tx) => {
    const { id, organizationId } = account
    await audit(tx, 'system', { organizationId, action: `auth.${event}`, entity: 'user', entityId: id })
    await queueNotice(services, tx, { person: account, event })
  })
}
