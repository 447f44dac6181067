import type { FastifyRequest } from 'fastify'
import { hasRow, rows, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import { isUnwilling } from './barred.ts'

type Reader = { organizationId: string; userId: string; address: string }

/** Returns whether the person gets nothing any more that they do not owe. */
export const isUnsubscribed = (tx: Tx, { organizationId, userId }: Reader): Promise<boolean> =>
  hasRow(
    tx,
    sql`select where ${isUnwilling({ organizationId: sql`${organizationId}::uuid`, userId: sql`${userId}::uuid` })}`,
  )

/**
 * Writes down that people want no more messages, `given` as (organization_id, user_id, address, created_by). Without a person it waits for
 * whoever will have the address. From then on it follows them to any other address.
 */
export const noteWills = (given: SQL): SQL =>
  sql`insert into unsubscriptions (organization_id, user_id, address, created_by) select * from (${given}) g order by 1, 2, 3
    on conflict do nothing`

/** Writes down that these people want messages again. Whatever else bars their address stays. */
export async function subscribeAgain(
  tx: Tx,
  request: FastifyRequest,
  { organizationId, userId, address }: Reader,
): Promise<void> {
  const gone = await rows(
    tx,
    Id,
    sql`delete from unsubscriptions where organization_id = ${organizationId} and user_id = ${userId} returning id`,
  )
  for (const { id } of gone) {
    const entry = { organizationId, entity: 'barred_address', entityId: id }
    const before = { address, reason: 'unsubscribed' }
    await audit(tx, { caller: { userId }, request }, { ...entry, action: 'address.bar_lifted', before })
  }
}
