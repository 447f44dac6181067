import * as z from 'zod/mini'
import type { BulkPreview } from '#contract/directory/bulk.ts'
import { changeOperations, previewOperations, type OperationsAction } from '#contract/videos/record-bulk.ts'
import type { OperationSelection } from '#contract/videos/record-bulk.ts'
import { type OperationKind, type RowReason, operationKinds, rowReasons } from '#contract/operations.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { idsOf } from '../platform/db/rows.ts'
import { auditMany, type Actor } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { previewOf, requireCount, selectedBy } from './preview.ts'
import { matchingOperations, startUndo } from './queries.ts'

/** What they have removed lies somewhere until nobody can bring it back. The details of people have their own 30 days. */
const keeping: readonly OperationKind[] = ['videos.remove', 'captions.remove']

const from = sql`operations p`

/** A word of `rowReasons`; null where the action is possible. */
function blockedReasonOf(action: OperationsAction): SQL {
  const keepsNothing = sql`p.kind <> all(${arrayOf(keeping, 'text')})`
  return sql`case when p.state in ('draft', 'queued', 'running', 'cancelling', 'undoing') then 'at_work'
    when p.state not in ('done', 'cancelled', 'failed') or p.undo_until is null or p.undo_until <= now() then 'not_undoable'
    when ${action === 'delete'} and ${keepsNothing} then 'keeps_nothing' end`
}

/** Condition on `operations p`. */
const chosenBy = (caller: Caller, selection: OperationSelection) =>
  selectedBy(selection, sql`p.id`, (filter) => matchingOperations(caller, filter ?? { show: 'all' }))

const Locked = z.object({
  id: z.string(),
  organizationId: z.nullable(z.string()),
  kind: z.enum(operationKinds),
  blockedReason: z.nullable(z.enum(rowReasons)),
})
type Locked = z.infer<typeof Locked>

/** Many at once, in one transaction: each is as if somebody had pressed its own button. */
export function operationBulkRoutes(mount: Mount, services: Services): void {
  mount(previewOperations, async ({ tx, caller, body: { selection, action } }) => {
    const chosen = chosenBy(caller, selection)
    // Among ids may be some of others; a filter may find any number by now, which is what is asked.
    if ('ids' in selection) await requireCount(tx, { from, chosen, selection })
    return previewOf(tx, { from, chosen, blockedReason: blockedReasonOf(action), name: sql`null::text` })
  })

  mount(changeOperations, async ({ tx, caller, request, body: { selection, action } }) => {
    const chosen = chosenBy(caller, selection)
    await requireCount(tx, { from, chosen, selection })
    const found = await rows(
      tx,
      Locked,
      sql`select p.id, p.organization_id as "organizationId", p.kind, ${blockedReasonOf(action)} as "blockedReason" from ${from}
        where ${chosen} order by p.id for update`,
    )
    const fit = found.filter(({ blockedReason }) => blockedReason === null)
    if (action === 'undo') await startUndo(tx, caller, fit)
    else await giveUp(tx, fit)
    await note(tx, { caller, request }, { fit, action })
    if (action === 'undo') {
      for (const { id } of fit) await services.jobs.send(tx, 'operation.run', { operationId: id })
    } else await services.jobs.send(tx, 'housekeeping', {})
    return summaryOf(found)
  })
}

async function giveUp(tx: Tx, found: readonly Locked[]): Promise<void> {
  await tx.execute(
    sql`update operations set undo_until = null, updated_at = now() where id = any(${idsOf(found)})`,
  )
}

type BulkChange = { fit: readonly Locked[]; action: OperationsAction }

async function note(tx: Tx, by: Actor, { fit, action }: BulkChange): Promise<void> {
  const entries = fit.map(({ id, organizationId, kind }) => ({
    organizationId,
    action: action === 'undo' ? ('operation.undoing' as const) : ('operation.final' as const),
    entity: 'operation',
    entityId: id,
    after: { kind },
  }))
  await auditMany(tx, by, entries)
}

function summaryOf(found: readonly Locked[]): BulkPreview {
  const staying = new Map<RowReason, number>()
  for (const { blockedReason } of found)
    if (blockedReason !== null) staying.set(blockedReason, (staying.get(blockedReason) ?? 0) + 1)
  return {
    total: found.length,
    changing: found.filter(({ blockedReason }) => blockedReason === null).length,
    names: [],
    staying: Array.from(staying, ([reason, count]) => ({ reason, count })).toSorted(
      (one, other) => other.count - one.count,
    ),
  }
}
