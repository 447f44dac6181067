import type { FastifyRequest } from 'fastify'
import { arrayOf, hasRow, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import type { Services } from '../platform/http/services.ts'
import { queueNotice } from './notices.ts'
import type { Account } from './queries.ts'
import { Id } from '../platform/db/rows.ts'

/** How long an account that its owner wants gone can still be kept. */
export const graceDays = 30

type Asking = { services: Services; request: FastifyRequest }

/** The owner has signed in before the account's end: it stays. */
export async function keepAccount(tx: Tx, asking: Asking, account: Account): Promise<void> {
  const { id, organizationId } = account
  const isKept = await hasRow(
    tx,
    sql`update users set delete_after = null, updated_at = now()
      where id = ${id} and delete_after > now() and deleted_at is null returning 1`,
  )
  if (!isKept) throw refuse('invalid_credentials')
  const entry = { organizationId, entity: 'user', entityId: id }
  await audit(tx, { ...asking, caller: { userId: id } }, { ...entry, action: 'account.kept' })
  await queueNotice(asking.services, tx, { person: account, event: 'deletion_cancelled' })
}

/**
 * Refuses for the last superadmin who can enter. All of them are locked in one order, so that of two who leave at once the
 * second one sees that the first has left.
 */
export async function requireAnotherSuperadmin(tx: Tx, userId: string): Promise<void> {
  const others = await rows(
    tx,
    Id,
    sql`select id from users u where role = 'superadmin' and state = 'active' and deleted_at is null
        and delete_after is null
        and (password_hash is not null or exists (select 1 from passkeys k where k.user_id = u.id))
      order by id for update`,
  )
  if (others.some(({ id }) => id !== userId)) return
  throw refuse('conflict', { reason: { code: 'last_superadmin' } })
}

/** Nothing that could open the console is left of these people; what they have watched stays. */
export async function forgetSecrets(tx: Tx, userIds: readonly string[]): Promise<void> {
  const whose = arrayOf(userIds, 'uuid')
  await tx.execute(
    sql`update users set password_hash = null, password_expired = null, delete_after = null
      where id = any(${whose}) and num_nonnulls(password_hash, password_expired, delete_after) > 0`,
  )
  for (const table of ['totp_factors', 'passkeys', 'recovery_codes', 'devices', 'connection_people'])
    await tx.execute(sql`delete from ${sql.raw(table)} where user_id = any(${whose})`)
}
