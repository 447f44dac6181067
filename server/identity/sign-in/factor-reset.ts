import { mayGrant } from '#contract/roles.ts'
import { asSystem, hasRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { hasFactor, removeAllFactors } from '../factors.ts'
import { queueNotice } from '../notices.ts'
import { lockedAccount } from '../queries.ts'
import { endAccess } from '../session.ts'
import type { Asking } from './sign-in.ts'

type FactorReset = { orgId: string; userId: string; reason: string }
type ByAdmin = Asking & { caller: Caller }

/** Removes every factor of somebody who has lost them. Their password stays, and signing in asks for a new factor where the policy does. */
export async function resetFactors(
  tx: Tx,
  by: ByAdmin,
  wanted: FactorReset,
): Promise<{ sessionsRevoked: number }> {
  const { services, request, caller } = by
  const { orgId, userId, reason } = wanted
  if (userId === caller.userId) throw refuse('conflict', { reason: { code: 'own_second_step' } })
  const found = await hasRow(
    tx,
    sql`select 1 from users where id = ${userId} and organization_id = ${orgId} and deleted_at is null`,
  )
  if (!found) throw refuse('not_found')
  const account = await lockedAccount(tx, userId)
  if (account && !mayGrant(caller.role, account.role)) throw refuse('forbidden')
  await requireOwnFactor(tx, caller)
  if (!account || account.methods.length === 0)
    throw refuse('conflict', { reason: { code: 'no_second_step' } })
  await removeAllFactors(tx, userId)
  const sessionsRevoked = await endAccess(tx, userId, { reason: 'factor_reset', by: caller.userId })
  const entry = {
    organizationId: orgId,
    entity: 'user',
    entityId: userId,
    action: 'user.factors_reset' as const,
  }
  const before = { methods: account.methods }
  await audit(tx, { caller, request }, { ...entry, before, after: { reason, sessionsRevoked } })
  await queueNotice(services, tx, { person: account, event: 'factors_reset', facts: { what: reason } })
  return { sessionsRevoked }
}

const secondProofs = new Set(['otp', 'hwk', 'rcv'])

/** Whoever takes a second step away has taken one themselves in this session: a stolen password alone never does. */
async function requireOwnFactor(tx: Tx, { userId, amr }: Caller): Promise<void> {
  // A superadmin belongs to no organization, and so do their factors.
  if (!(await asSystem(tx, () => hasFactor(tx, userId)))) {
    throw refuse('conflict', { reason: { code: 'own_second_step_missing' } })
  }
  if (!amr.some((proof) => secondProofs.has(proof))) {
    throw refuse('conflict', { reason: { code: 'own_second_step_unused' } })
  }
}
