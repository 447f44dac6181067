import * as z from 'zod/mini'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Key } from '../ledger/states.ts'

type Revocation = { deliveryId: string; reason: string; by: Actor }

const LinkRow = z.object({ address: z.string(), linkRevokedAt: z.nullable(z.string()) })

/** Revokes a link for good. A second time changes nothing, and the first reason stays. */
export async function revokeLinkOf(tx: Tx, key: Key, { deliveryId, reason, by }: Revocation): Promise<void> {
  const { id, organizationId } = key
  const found = await requireRow(
    tx,
    LinkRow,
    sql`select address, link_revoked_at as "linkRevokedAt" from deliveries
      where transmission_id = ${id} and organization_id = ${organizationId} and id = ${deliveryId} for update`,
  )
  if (found.linkRevokedAt !== null) return
  await tx.execute(
    sql`update deliveries set link_revoked_at = now(), link_revoked_reason = ${reason}, updated_at = now()
      where transmission_id = ${id} and organization_id = ${organizationId} and id = ${deliveryId}`,
  )
  await audit(tx, by, {
    organizationId,
    action: 'delivery.link_revoked',
    entity: 'delivery',
    entityId: deliveryId,
    after: { transmissionId: id, address: found.address, reason },
  })
}
