import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import type { resolveDeliveries, resolveDelivery } from '#contract/transmissions/deliveries.ts'
import { deliveryStates } from '#contract/transmissions/transmissions.ts'
import { hasRow, requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import { chosenIds, type ChosenDeliveries } from './deliveries.ts'
import { move, stateOf, type Key } from '../ledger/states.ts'
import { readCount } from '../../platform/db/rows.ts'

/** A decision changes deliveries like this. */
const outcomes = {
  send_again: {
    state: 'queued',
    // Whoever was to wait for a wave, or an hour of their own, still does.
    set: sql`state = 'queued', reason = null, due_at = greatest(due_at, now()), handed_at = null, updated_at = now()`,
  },
  treat_as_failed: {
    state: 'rejected',
    set: sql`state = 'rejected', reason = 'treated_as_failed', updated_at = now()`,
  },
}

type Decision = { deliveryId: string; decision: ParsedBody<typeof resolveDelivery>['decision']; by: Actor }

/**
 * Writes down a decision about what nobody can know: the mail is sent once more, or counts as failed. Refuses a delivery that is not
 * unknown.
 */
export async function resolve(tx: Tx, key: Key, { deliveryId, decision, by }: Decision): Promise<void> {
  const { state, set } = outcomes[decision]
  if (decision === 'send_again') await reopen(tx, key, by)
  const decided = await hasRow(
    tx,
    sql`update deliveries set ${set}
      where transmission_id = ${key.id} and organization_id = ${key.organizationId} and id = ${deliveryId} and state = 'unknown' returning 1`,
  )
  if (!decided) throw await notUnknown(tx, key, deliveryId)
  await audit(tx, by, {
    organizationId: key.organizationId,
    action: `delivery.${decision}`,
    entity: 'delivery',
    entityId: deliveryId,
    before: { state: 'unknown' },
    after: { state },
  })
}

type ManyDecisions = Omit<ParsedBody<typeof resolveDeliveries>, 'filter'> & ChosenDeliveries & { by: Actor }

/** Decides about many at once, but only about as many as the person was told. With another number nothing happens. */
export async function resolveMany(
  tx: Tx,
  key: Key,
  { decision, expected, by, ...chosen }: ManyDecisions,
): Promise<number> {
  const { state, set } = outcomes[decision]
  if (decision === 'send_again') await reopen(tx, key, by)
  const count = await readCount(
    tx,
    sql`with decided as (update deliveries set ${set}
        where transmission_id = ${key.id} and organization_id = ${key.organizationId} and state = 'unknown'
          and id in (${chosenIds(key, chosen)}) returning 1)
      select count(*)::int as n from decided`,
  )
  if (count !== expected)
    throw refuse('conflict', { reason: { code: 'uncertain_changed', params: { found: count, expected } } })
  await audit(tx, by, {
    organizationId: key.organizationId,
    action: `deliveries.${decision}`,
    entity: 'transmission',
    entityId: key.id,
    before: { state: 'unknown' },
    after: { state, count },
  })
  return count
}

/**
 * Opens a transmission again, because something can be sent again only while its transmission is at work. A completed one goes back to
 * sending.
 */
async function reopen(tx: Tx, key: Key, by: Actor): Promise<void> {
  await move(tx, key, { from: ['completed'], to: 'sending', by })
  const state = await stateOf(tx, key)
  if (state !== 'sending' && state !== 'paused')
    throw refuse('conflict', { reason: { code: 'transmission_sends_nothing', params: { state } } })
}

const DeliveryState = z.object({ state: z.enum(deliveryStates) })

async function notUnknown(tx: Tx, key: Key, deliveryId: string) {
  const { state } = await requireRow(
    tx,
    DeliveryState,
    sql`select state from deliveries where transmission_id = ${key.id} and organization_id = ${key.organizationId} and id = ${deliveryId}`,
  )
  return refuse('conflict', { reason: { code: 'message_not_uncertain', params: { state } } })
}
