import * as z from 'zod/mini'
import { changeGroups, previewGroups, type GroupSelection } from '#contract/directory/bulk.ts'
import { Group } from '#contract/directory/groups.ts'
import { rowReasons } from '#contract/operations.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { idsOf } from '../../platform/db/rows.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { visibilityOf, type Visibility } from '../../platform/http/visibility.ts'
import { beginOperation } from '../../operations/begin.ts'
import type { KindOfOperation } from '../../operations/kinds.ts'
import { previewOf, requireCount, selectedBy } from '../../operations/preview.ts'
import {
  applied,
  entityIds,
  markRemoved,
  noteEach,
  recordsLeft,
  sortOut,
  undone,
  type Removal,
} from '../../operations/rows.ts'
import { matchingGroups } from './queries.ts'
import { called } from '../../platform/db/search.ts'

/** Removes groups. The members stay in the organization, and their rows of the group stay too, so that it can come back. */
export function removeGroups(
  tx: Tx,
  organizationId: string,
  removed: readonly { id: string }[],
): Promise<ReadonlyMap<string, Removal>> {
  return markRemoved(
    tx,
    sql`groups`,
    sql`organization_id = ${organizationId} and id = any(${idsOf(removed)})`,
  )
}

/**
 * This expression keeps groups that a rule asks about, because the rule would take a group that is gone for an empty one, and mean other
 * people.
 */
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
        where ${matchingGroups(visibility, {})} and g.id = any(${entityIds(pending)}) order by g.id for update`,
    )
    const sorted = sortOut(pending, found)
    const removed = await removeGroups(tx, visibility.organizationId, sorted.things)
    await noteEach(work, { action: 'group.removed', entity: 'group', things: sorted.things }, ({ name }) => ({
      before: { name },
    }))
    return applied(sorted, 'removed', ({ id, name }) => ({ label: name, after: removed.get(id) }))
  },

  async undo(work, done) {
    const { tx, actor, visibility } = work
    // A removed group is in nobody's sight: whoever administered it is still a member of it.
    const administers = sql`exists (select 1 from group_members m where m.group_id = g.id and m.user_id = ${actor.userId} and m.groupadmin)`
    const found = await rows(
      tx,
      RemovableGroup,
      sql`select g.id, g.name, case when g.deleted_at is distinct from r."deletedAt" then 'changed_since'
            when ${actor.role === 'groupadmin'} and not ${administers} then 'not_allowed'
            when exists (select 1 from groups o where o.organization_id = g.organization_id and lower(o.name) = lower(g.name)
              and o.deleted_at is null) then 'name_taken' end as "blockedReason"
        from ${recordsLeft(done)} as r(id uuid, "deletedAt" timestamptz) join groups g on g.id = r.id
        where g.organization_id = ${visibility.organizationId} order by g.id for update of g`,
    )
    const { fit, things, others } = sortOut(done, found)
    await tx.execute(
      sql`update groups set deleted_at = null, updated_at = now()
        where organization_id = ${visibility.organizationId} and id = any(${idsOf(things)})`,
    )
    await noteEach(work, { action: 'group.restored', entity: 'group', things }, ({ name }) => ({
      after: { name },
    }))
    return undone(fit, others)
  },
}

export const groupKinds = [removal]

/** Returns the condition on `groups g` for those that were selected. */
const selected = (visibility: Visibility, selection: GroupSelection) =>
  selectedBy(selection, sql`g.id`, (filter) => matchingGroups(visibility, filter ?? {}))

export function groupBulkRoutes(mount: Mount, services: Services): void {
  mount(previewGroups, ({ tx, caller, params, body }) => {
    const chosen = selected(visibilityOf(caller, params.orgId), body.selection)
    return previewOf(tx, { from: sql`groups g`, chosen, blockedReason, name: sql`g.name` })
  })

  mount(changeGroups, async ({ params: { orgId }, body, ...by }) => {
    const chosen = selected(visibilityOf(by.caller, orgId), body.selection)
    await requireCount(by.tx, { from: sql`groups g`, chosen, selection: body.selection })
    return beginOperation(services, by, {
      organizationId: orgId,
      kind: 'groups.remove',
      params: { do: body.do },
      rows: sql`select 'group' as entity, g.id as entity_id, null::uuid as group_id, g.name as label, null::jsonb as input
          from groups g where ${chosen} order by ${called(sql`g.name`)}, g.id`,
    })
  })
}
