import * as z from 'zod/mini'
import { rowReasons } from '#contract/operations.ts'
import {
  cancellableInBulk,
  cancellingInBulk,
  changeTransmissions,
  previewTransmissions,
  type TransmissionSelection,
} from '#contract/videos/record-bulk.ts'
import { transmissionStates } from '#contract/transmissions/transmissions.ts'
import { rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { beginOperation } from '../operations/begin.ts'
import type { KindOfOperation, Work } from '../operations/kinds.ts'
import { previewOf, requireCount, selectedBy } from '../operations/preview.ts'
import { actingFor, applied, entityIds, recordsLeft, sortOut, undone } from '../operations/rows.ts'
import { requireOrganization } from '../directory/organizations/queries.ts'
import { closeApproval } from './compose/approval.ts'
import { matchingTransmissions } from './queries.ts'
import { cancelSome, move, wakeSender, type Key } from './ledger/states.ts'

const BulkCandidate = z.object({
  id: z.string(),
  subject: z.string(),
  state: z.enum(transmissionStates),
  version: z.number(),
  blockedReason: z.nullable(z.enum(rowReasons)),
})
type BulkCandidate = z.infer<typeof BulkCandidate>

/** This expression looks a state up in the table of the contract, and gives a word of `rowReasons`. */
const blockedReason = sql`(${JSON.stringify(cancellingInBulk)}::jsonb ->> t.state)`

const columns = sql`t.id, message_name(t) as subject, t.state, t.version`

const cancelling: KindOfOperation = {
  kind: 'transmissions.cancel',
  /** The number is small because each of them is a guarded statement of its own, with its approval, its bell and what is queued for it. */
  chunk: 50,

  async apply(work, pending) {
    const found = await rows(
      work.tx,
      BulkCandidate,
      sql`select ${columns}, case when ${work.actor.role === 'groupadmin'} then 'not_allowed' else ${blockedReason} end as "blockedReason"
        from transmissions t where t.organization_id = ${work.visibility.organizationId} and t.id = any(${entityIds(pending)})
        order by t.id for update of t`,
    )
    const sorted = sortOut(pending, found)
    for (const one of sorted.things) await cancel(work, one)
    return applied(sorted, 'changed', ({ subject, state, version }) => ({
      label: subject,
      before: { state },
      after: { version: version + 1 },
    }))
  },

  /**
   * Takes a cancelling back without sending anything: a draft comes back, which its author submits again. A transmission that had its list
   * of recipients has told them apart already, and stays cancelled.
   */
  async undo(work, done) {
    const { tx, actor, visibility } = work
    const found = await rows(
      tx,
      BulkCandidate,
      sql`select ${columns}, case when ${actor.role === 'groupadmin'} then 'not_allowed'
            when t.state <> 'cancelled' or t.version <> r.version then 'changed_since'
            when t.prepared_at is not null or t.prepare_cursor is not null then 'list_made' end as "blockedReason"
        from ${recordsLeft(done)} as r(id uuid, version int) join transmissions t on t.id = r.id
        where t.organization_id = ${visibility.organizationId} order by t.id for update of t`,
    )
    const { fit, others } = sortOut(done, found)
    for (const { one } of fit)
      await move(tx, keyOf(work, one), {
        from: ['cancelled'],
        to: 'draft',
        as: 'transmission.restored',
        set: sql`, scheduled_at = null`,
        by: actingFor(work),
      })
    return undone(fit, others)
  },
}

export const transmissionKinds = [cancelling]

function keyOf({ visibility }: Work, { id }: Pick<BulkCandidate, 'id'>): Key {
  return { id, organizationId: visibility.organizationId }
}

/** Cancels a transmission as somebody would who cancels it alone. The worker of transmissions goes on with what a long list has left. */
async function cancel(work: Work, one: BulkCandidate): Promise<void> {
  const { tx, services } = work
  const key = keyOf(work, one)
  await move(tx, key, { from: cancellableInBulk, to: 'cancelled', by: actingFor(work) })
  await closeApproval(tx, key, { state: 'withdrawn' })
  if (await cancelSome(tx, key)) await wakeSender(services, tx, key)
}

const from = sql`transmissions t`

/** Returns the condition on `transmissions t` for those of the organization, whatever organization a filter names. */
const chosenBy = (organizationId: string, selection: TransmissionSelection) =>
  selectedBy(selection, sql`t.id`, (filter) =>
    matchingTransmissions(organizationId, filter ? { ...filter, organizationId } : {}),
  )

export function transmissionBulkRoutes(mount: Mount, services: Services): void {
  mount(previewTransmissions, async ({ tx, params, body }) => {
    await requireOrganization(tx, params.orgId)
    const chosen = chosenBy(params.orgId, body.selection)
    return previewOf(tx, { from, chosen, blockedReason, name: sql`message_name(t)` })
  })

  mount(changeTransmissions, async ({ params: { orgId }, body, ...by }) => {
    await requireOrganization(by.tx, orgId)
    const chosen = chosenBy(orgId, body.selection)
    await requireCount(by.tx, { from, chosen, selection: body.selection })
    return beginOperation(services, by, {
      organizationId: orgId,
      kind: 'transmissions.cancel',
      params: { do: body.do },
      rows: sql`select 'transmission' as entity, t.id as entity_id, null::uuid as group_id, message_name(t) as label, null::jsonb as input
          from transmissions t where ${chosen} order by t.dated_at desc, t.id desc`,
    })
  })
}
