import type { AuditAction } from '#contract/audit-actions.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  addGroupUsers,
  createGroup,
  deleteGroup,
  listGroups,
  readGroup,
  removeGroupUser,
  updateGroup,
} from '#contract/groups.ts'
import type { Tx } from '../db/client.ts'
import { refuse } from '../errors.ts'
import { audit } from '../http/audit.ts'
import type { Caller } from '../http/bearer.ts'
import { requireUnchanged, type Mount } from '../http/mount.ts'
import type { Services } from '../http/services.ts'
import { sightOf } from '../http/sight.ts'
import { recordOperation } from '../operations/begin.ts'
import {
  addMembers,
  changeGroup,
  findGroup,
  findGroups,
  insertGroup,
  lockGroup,
  removeMember,
} from './queries.ts'
import { groupBulkRoutes, removeGroups } from './removal.ts'

type By = { tx: Tx; caller: Caller; request: FastifyRequest }
type Change = { before?: unknown; after?: unknown }

function note({ tx, caller, request }: By, action: AuditAction, at: { orgId: string; id: string } & Change) {
  const { orgId, id, ...change } = at
  const entry = { organizationId: orgId, action, entity: 'group', entityId: id, ...change }
  return audit(tx, { caller, request }, entry)
}

export function groupsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(listGroups, ({ tx, caller, params, query, request }) =>
    findGroups(tx, { sight: sightOf(caller, params.orgId), query, request }),
  )

  mount(readGroup, ({ tx, caller, params }) => findGroup(tx, sightOf(caller, params.orgId), params.groupId))

  mount(createGroup, async ({ params: { orgId }, body, ...by }) => {
    const administrator = by.caller.role === 'groupadmin' ? by.caller.userId : undefined
    const after = await insertGroup(by.tx, { organizationId: orgId, input: body, administrator })
    await note(by, 'group.created', { orgId, id: after.id, after })
    return after
  })

  mount(updateGroup, async ({ params: { orgId, groupId }, body, ...by }) => {
    const before = await lockGroup(by.tx, sightOf(by.caller, orgId), groupId)
    requireUnchanged(by.request, new Date(before.updatedAt))
    const after = await changeGroup(by.tx, before, body)
    await note(by, 'group.changed', { orgId, id: groupId, before, after })
    return after
  })

  mount(deleteGroup, async ({ params: { orgId, groupId }, ...by }) => {
    const before = await lockGroup(by.tx, sightOf(by.caller, orgId), groupId)
    const gone = await removeGroups(by.tx, orgId, [groupId])
    await note(by, 'group.removed', { orgId, id: groupId, before })
    const operationId = await recordOperation(by, {
      organizationId: orgId,
      kind: 'groups.remove',
      entity: 'group',
      entityId: groupId,
      label: before.name,
      outcome: 'removed',
      before: {},
      after: gone.get(groupId),
    })
    return { operationId }
  })

  memberRoutes(mount)
  groupBulkRoutes(mount, services)
}

function memberRoutes(mount: Mount): void {
  mount(addGroupUsers, async ({ params: { orgId, groupId }, body, ...by }) => {
    if ((body.organizationId ?? orgId) !== orgId || (body.groupId ?? groupId) !== groupId)
      throw refuse('not_found')
    const sight = sightOf(by.caller, orgId)
    await lockGroup(by.tx, sight, groupId)
    const { added, memberCount } = await addMembers(by.tx, { sight, groupId, userIds: body.userIds })
    if (added.length > 0)
      await note(by, 'group.members_added', { orgId, id: groupId, after: { userIds: added } })
    return { added: added.length, memberCount }
  })

  mount(removeGroupUser, async ({ params: { orgId, groupId, userId }, ...by }) => {
    if (by.caller.role === 'groupadmin' && userId === by.caller.userId)
      throw refuse('conflict', { detail: 'You administer this group and cannot take yourself out of it.' })
    const sight = sightOf(by.caller, orgId)
    const group = await lockGroup(by.tx, sight, groupId)
    const { name, ...before } = await removeMember(by.tx, { sight, groupId, userId })
    await note(by, 'group.members_removed', { orgId, id: groupId, before: { userIds: [userId] } })
    const operationId = await recordOperation(by, {
      organizationId: orgId,
      kind: 'users.remove_from_group',
      entity: 'member',
      entityId: userId,
      groupId,
      label: name,
      subject: group.name,
      outcome: 'removed',
      before,
    })
    return { operationId }
  })
}
