import * as z from 'zod/mini'
import { changeGroups, previewGroups, type GroupSelection } from '#contract/bulk.ts'
import { Group } from '#contract/groups.ts'
import { rowReasons } from '#contract/operations.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { all, isoText } from '../../platform/db/search.ts'
import { auditMany } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { visibilityOf, type Visibility } from '../../platform/http/visibility.ts'
import { beginOperation } from '../../operations/begin.ts'
import type { KindOfOperation, Work } from '../../operations/kinds.ts'
import { previewOf, requireCount } from '../../operations/preview.ts'
import { findOperation } from '../../operations/queries.ts'
import { actingFor, idsOf, left, sortOut, undone } from '../../operations/rows.ts'
import { matchingGroups } from './queries.ts'

export const RemovedGroup = z.object({ deletedAt: z.string() })
export type RemovedGroup = z.infer<typeof RemovedGroup>

const Gone = z.extend(RemovedGroup, { id: z.string() })

/** The members stay in the organization, and their rows of the group where they are, so that it can come back. */
export async function removeGroups(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RemovedGroup>> {
  const gone = await rows(
    tx,
    Gone,
    sql`update groups set deleted_at = now(), updated_at = now()
      where organization_id = ${organizationId} and id = any(${arrayOf(ids, 'uuid')})
      returning id, ${isoText(sql`deleted_at`)} as "deletedAt"`,
  )
  return new Map(gone.map(({ id, ...after }) => [id, after]))
}

/** A rule would take a group that is gone for an empty one, and mean other people. */
const blockedReason = sql`case when exists (select 1 from groups r where r.organization_id = g.organization_id and r.id <> g.id
  and r.deleted_at is null and r.rule @> jsonb_build_object('conditions', jsonb_build_array(
    jsonb_build_object('about', 'group', 'values', jsonb_build_array(g.id::text))))) then 'asked_by_rule' end`

const RemovableGroup = z.extend(z.pick(Group, { id: true, name: true }), {
  blockedReason: z.nullable(z.enum(rowReasons)),
})
type RemovableGroup = z.infer<typeof RemovableGroup>

const removal: KindOfOperation = {
  kind: 'groups.remove',

  async apply(work, pending) {
    const { tx, visibility } = work
    const found = await rows(
      tx,
      RemovableGroup,
      sql`select g.id, g.name, ${blockedReason} as "blockedReason" from groups g
        where ${matchingGroups(visibility, {})} and g.id = any(${idsOf(pending)}) order by g.id for update`,
    )
    const { fit, others } = sortOut(pending, found)
    const gone = await removeGroups(
      tx,
      visibility.organizationId,
      fit.map(({ one }) => one.id),
    )
    const entries = fit.map(({ one: { id, name } }) => ({
      ...entryOf(work, id),
      action: 'group.removed' as const,
      before: { name },
    }))
    await auditMany(tx, actingFor(work), entries)
    return [
      ...others.map(({ row, reason }) => left(row, reason)),
      ...fit.map(({ row, one }) => ({
        position: row.position,
        outcome: 'removed' as const,
        label: one.name,
        after: gone.get(one.id),
      })),
    ]
  },

  async undo(work, done) {
    const { tx, actor, visibility } = work
    const asLeft = done.map(({ entityId, after }) => ({ id: entityId, ...(after as RemovedGroup) }))
    // A removed group is in nobody's sight: whoever administered it is still a member of it.
    const administers = sql`exists (select 1 from group_members m where m.group_id = g.id and m.user_id = ${actor.userId} and m.groupadmin)`
    const found = await rows(
      tx,
      RemovableGroup,
      sql`select g.id, g.name, case when g.deleted_at is distinct from r."deletedAt" then 'changed_since'
            when ${actor.role === 'groupadmin'} and not ${administers} then 'not_allowed'
            when exists (select 1 from groups o where o.organization_id = g.organization_id and lower(o.name) = lower(g.name)
              and o.deleted_at is null) then 'name_taken' end as "blockedReason"
        from jsonb_to_recordset(${JSON.stringify(asLeft)}::jsonb) as r(id uuid, "deletedAt" timestamptz) join groups g on g.id = r.id
        where g.organization_id = ${visibility.organizationId} order by g.id for update of g`,
    )
    const { fit, others } = sortOut(done, found)
    const back = arrayOf(
      fit.map(({ one }) => one.id),
      'uuid',
    )
    await tx.execute(
      sql`update groups set deleted_at = null, updated_at = now()
        where organization_id = ${visibility.organizationId} and id = any(${back})`,
    )
    const entries = fit.map(({ one: { id, name } }) => ({
      ...entryOf(work, id),
      action: 'group.restored' as const,
      after: { name },
    }))
    await auditMany(tx, actingFor(work), entries)
    return undone(fit, others)
  },
}

export const groupKinds = [removal]

function entryOf({ visibility }: Work, id: string) {
  return { organizationId: visibility.organizationId, entity: 'group', entityId: id }
}

/** Condition on `groups g`. */
function selected(visibility: Visibility, selection: GroupSelection): SQL {
  if ('ids' in selection)
    return all([matchingGroups(visibility, {}), sql`g.id = any(${arrayOf(selection.ids, 'uuid')})`])
  const { filter, exceptIds } = selection
  return all([
    matchingGroups(visibility, filter),
    exceptIds.length > 0 && sql`g.id <> all(${arrayOf(exceptIds, 'uuid')})`,
  ])
}

export function groupBulkRoutes(mount: Mount, services: Services): void {
  mount(previewGroups, ({ tx, caller, params, body }) => {
    const chosen = selected(visibilityOf(caller, params.orgId), body.selection)
    return previewOf(tx, { from: sql`groups g`, chosen, blockedReason })
  })

  mount(changeGroups, async ({ tx, caller, request, params: { orgId }, body }) => {
    const chosen = selected(visibilityOf(caller, orgId), body.selection)
    await requireCount(tx, { from: sql`groups g`, chosen, selection: body.selection })
    const id = await beginOperation(
      services,
      { tx, caller, request },
      {
        organizationId: orgId,
        kind: 'groups.remove',
        params: { do: body.do },
        rows: sql`select 'group' as entity, g.id as entity_id, null::uuid as group_id, g.name as label, null::jsonb as input
          from groups g where ${chosen} order by lower(g.name), g.id`,
      },
    )
    return findOperation(tx, caller, id)
  })
}
