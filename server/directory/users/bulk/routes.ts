import * as z from 'zod/mini'
import { changeUsers, previewUsers, type UserAction } from '#contract/directory/bulk.ts'
import type { OperationKind } from '#contract/operations.ts'
import { row, type Tx } from '../../../platform/db/client.ts'
import { sql } from '../../../platform/db/sql.ts'
import { all } from '../../../platform/db/search.ts'
import { refuse } from '../../../platform/errors.ts'
import { requirePerson, type Caller } from '../../../platform/http/bearer.ts'
import type { Mount } from '../../../platform/http/mount.ts'
import type { Services } from '../../../platform/http/services.ts'
import { seesGroup, visibilityOf, type Visibility } from '../../../platform/http/visibility.ts'
import { beginOperation } from '../../../operations/begin.ts'
import { previewOf } from '../../../operations/preview.ts'
import { requireOrganization } from '../../organizations/queries.ts'
import { requireSelection, selectedUsers } from '../../people/select.ts'
import { addition, leaving } from './membership.ts'
import { blockedReasonOf } from './judge.ts'
import { invitation } from './invitation.ts'
import { removal } from './removal.ts'
import { change } from './state.ts'

/** These kinds of operations do something to many people, and take it back. */
export const userKinds = [removal, change, addition, leaving, invitation]

const kindOf: Record<UserAction['action'], OperationKind> = {
  remove: 'users.remove',
  change: 'users.change',
  add_to_group: 'users.add_to_group',
  remove_from_group: 'users.remove_from_group',
  invite: 'users.invite',
}

export function userBulkRoutes(mount: Mount, services: Services): void {
  mount(previewUsers, async ({ tx, caller, params, body }) => {
    const visibility = visibilityOf(caller, params.orgId)
    await requireRight(tx, { caller, visibility, asked: body.do })
    return previewOf(tx, {
      from: sql`users u`,
      chosen: selectedUsers(visibility, body.selection),
      blockedReason: blockedReasonOf(caller, visibility, body.do),
      name: sql`u.name`,
    })
  })

  mount(changeUsers, async ({ params: { orgId }, body, ...by }) => {
    const visibility = visibilityOf(by.caller, orgId)
    const { groupName } = await requireRight(by.tx, { caller: by.caller, visibility, asked: body.do })
    await requireSelection(by.tx, visibility, body.selection)
    const groupId = 'groupId' in body.do ? body.do.groupId : null
    const entity = groupId === null ? 'user' : 'member'
    return beginOperation(services, by, {
      organizationId: orgId,
      kind: kindOf[body.do.action],
      params: { subject: groupName, do: body.do },
      rows: sql`select ${entity}::text as entity, u.id as entity_id, ${groupId}::uuid as group_id, u.name as label,
          null::jsonb as input from users u where ${selectedUsers(visibility, body.selection)} order by u.called, u.id`,
    })
  })
}

type Right = { caller: Caller; visibility: Visibility; asked: UserAction }

const Group = z.object({ name: z.string(), kind: z.string() })

/** Refuses the whole request when nobody could be changed like that. Returns the name of the group that it is about. */
async function requireRight(
  tx: Tx,
  { caller, visibility, asked }: Right,
): Promise<{ groupName: string | null }> {
  // Who may come in is decided by somebody who is there.
  if (asked.action === 'invite' || (asked.action === 'change' && asked.state === 'active'))
    requirePerson(caller)
  if (!('groupId' in asked)) {
    if (caller.role === 'groupadmin') throw refuse('forbidden')
    await requireOrganization(tx, visibility.organizationId)
    return { groupName: null }
  }
  const one = all([
    sql`g.organization_id = ${visibility.organizationId} and g.id = ${asked.groupId} and g.deleted_at is null`,
    seesGroup(visibility, sql`g.id`),
  ])
  const group = await row(
    tx,
    Group,
    sql`select g.name, g.kind from groups g join organizations o on o.id = g.organization_id and o.deleted_at is null where ${one}`,
  )
  if (!group) throw refuse('not_found', { fields: { groupId: ['not_found'] } })
  if (group.kind === 'rule') throw refuse('conflict', { reason: { code: 'group_by_rule' } })
  return { groupName: group.name }
}
