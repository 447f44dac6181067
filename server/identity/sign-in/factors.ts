import * as z from 'zod/mini'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import * as factors from '#contract/identity/factors.ts'
import { Passkey } from '#contract/identity/factors.ts'
import { hasRow, requireRow, row, type Tx, asSystem } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import {
  factorsOf,
  isFactorRequired,
  passkeyColumns,
  checkLastFactor,
  hasFactor,
  removeAllFactors,
} from '../factors/factors.ts'
import { queueNotice } from '../notices.ts'
import { lockedAccount, type Account } from '../queries.ts'
import { renewRecovery } from '../factors/recovery.ts'
import { startTotp } from './enroll.ts'
import { askPasskey, verifyPasskey } from './passkeys.ts'
import { mayGrant } from '#contract/roles.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { endAccess } from '../session.ts'
import type { Asking } from './steps.ts'

type FactorReset = { orgId: string; userId: string; reason: string }
type ByAdmin = Asking & { caller: Caller }

/** Removes every factor of somebody who has lost them. Their password stays, and signing in asks for a new factor where the policy does. */
async function resetFactors(tx: Tx, by: ByAdmin, wanted: FactorReset): Promise<{ sessionsRevoked: number }> {
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

const secondProofs = new Set(['otp', 'hwk', 'rcv', 'mfa'])

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

export function factorRoutes(mount: Mount, services: Services): void {
  mount(factors.readFactors, async ({ tx, caller }) => {
    const account = await mine(tx, caller.userId)
    return { required: await isFactorRequired(tx, account), ...(await factorsOf(tx, account.id)) }
  })

  mount(factors.startTotp, ({ request, caller }) => startTotp({ services, request, caller }))

  mount(factors.askPasskey, ({ body, request, caller }) =>
    askPasskey({ services, request, caller }, body.for),
  )

  mount(factors.verifyPasskey, ({ body, request, caller }) =>
    verifyPasskey({ services, request, caller }, body),
  )

  mount(factors.resetFactors, ({ tx, params, body, caller, request }) =>
    resetFactors(tx, { services, request, caller }, { ...params, reason: body.reason }),
  )
  changeRoutes(mount, services)
}

const Before = z.object({ name: z.string() })

/** What people change about factors that they have. */
function changeRoutes(mount: Mount, services: Services): void {
  mount(factors.removeTotp, async ({ tx, ...by }) => {
    const account = await mine(tx, by.caller.userId)
    const gone = await hasRow(tx, sql`delete from totp_factors where user_id = ${account.id} returning 1`)
    if (!gone) return {}
    await checkLastFactor(tx, account)
    await note(tx, by, { account, action: 'auth.factor_removed', change: { before: { factor: 'totp' } } })
    await queueNotice(services, tx, { person: account, event: 'app_removed' })
    return {}
  })

  mount(factors.renewRecoveryCodes, async ({ tx, ...by }) => {
    const account = await mine(tx, by.caller.userId)
    if (account.methods.length === 0) throw refuse('conflict', { reason: { code: 'set_up_second_step' } })
    const recoveryCodes = await renewRecovery(tx, account.id)
    await note(tx, by, { account, action: 'auth.recovery_renewed', change: {} })
    await queueNotice(services, tx, { person: account, event: 'recovery_renewed' })
    return { recoveryCodes }
  })

  mount(factors.renamePasskey, async ({ tx, params, body, ...by }) => {
    const account = await mine(tx, by.caller.userId)
    const which = sql`id = ${params.passkeyId} and user_id = ${account.id}`
    const before = await row(tx, Before, sql`select name from passkeys where ${which}`)
    const after = await requireRow(
      tx,
      Passkey,
      sql`update passkeys set name = ${body.name} where ${which} returning ${passkeyColumns}`,
    )
    await note(tx, by, { account, action: 'auth.passkey_renamed', change: { before, after: body } })
    return after
  })

  mount(factors.removePasskey, async ({ tx, params, ...by }) => {
    const account = await mine(tx, by.caller.userId)
    const gone = await requireRow(
      tx,
      Before,
      sql`delete from passkeys where id = ${params.passkeyId} and user_id = ${account.id} returning name`,
    )
    await checkLastFactor(tx, account)
    const before = { factor: 'passkey', name: gone.name }
    await note(tx, by, { account, action: 'auth.factor_removed', change: { before } })
    await queueNotice(services, tx, { person: account, event: 'passkey_removed', facts: { what: gone.name } })
    return {}
  })
}

async function mine(tx: Tx, userId: string): Promise<Account> {
  const account = await lockedAccount(tx, userId)
  if (!account) throw refuse('unauthenticated')
  return account
}

type Noted = { account: Account; action: AuditAction; change: { before?: unknown; after?: unknown } }

async function note(tx: Tx, by: Actor, { account, action, change }: Noted): Promise<void> {
  const { id, organizationId } = account
  await audit(tx, by, { organizationId, entity: 'user', entityId: id, action, ...change })
}
