import * as z from 'zod/mini'
import type { TransmissionReason } from '#contract/transmissions/transmission-reasons.ts'
import type { TransmissionState } from '#contract/transmissions/transmissions.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/audit.ts'
import { adminsOf, notify } from '../../notifications/notify.ts'
import { isResting } from '../../deliveries.ts'

type Step = {
  to: TransmissionState
  version: number
  reason?: TransmissionReason
  by: Actor
}

const told = ['held', 'paused', 'cancelled', 'completed', 'failed'] as const
const isTold = (state: TransmissionState): state is (typeof told)[number] => told.some((one) => one === state)

const EndedTransmission = z.object({
  senderId: z.string(),
  done: z.number(),
  failed: z.number(),
  resting: z.number(),
})

/**
 * Its sender hears how it ended and that somebody else has stopped it; the administrators of the organization as well where it was
 * stopped by the product itself or did not reach everybody. Nobody hears of what they did themselves.
 */
export async function tellOf(
  tx: Tx,
  { id, organizationId }: { id: string; organizationId: string },
  { to, version, reason, by }: Step,
): Promise<void> {
  if (!isTold(to)) return
  const ended = await row(
    tx,
    EndedTransmission,
    sql`select t.sender_id as "senderId", coalesce(sum(c.n) filter (where c.state in ('accepted', 'delivered')), 0)::int as done,
        coalesce(sum(c.n) filter (where c.state in ('bounced', 'rejected', 'unknown', 'expired')), 0)::int as failed,
        (select count(*) from deliveries d where d.transmission_id = t.id and ${isResting})::int as resting
      from transmissions t left join transmission_counts c on c.transmission_id = t.id
      where t.id = ${id} and t.organization_id = ${organizationId} group by t.id`,
  )
  if (!ended) return
  const { senderId, done, failed, resting } = ended
  const doer = by === 'system' ? null : (by.caller?.userId ?? null)
  // Who has to decide about what is held is asked for it.
  const isHarm = to !== 'held' && (reason !== undefined || (to === 'completed' && failed > 0))
  const admins = isHarm ? await adminsOf(tx, organizationId) : []
  const params = { done, failed, ...(resting > 0 ? { resting } : {}), ...(reason ? { reason } : {}) }
  const people = new Set([senderId, ...admins])
  await notify(
    tx,
    [...people]
      .filter((userId) => userId !== doer)
      .map((userId) => ({
        organizationId,
        userId,
        kind: `transmission.${to}` as const,
        entityId: id,
        cause: String(version),
        asAdmin: userId !== senderId,
        params,
      })),
  )
}
