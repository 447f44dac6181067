import { storable } from '#contract/platform/text/text.ts'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { FastifyInstance } from 'fastify'
import {
  addGroupUsers,
  createGroup,
  deleteGroup,
  listGroups,
  readGroup,
  removeGroupUser,
  updateGroup,
  type Group,
  type GroupInput,
} from '#contract/directory/groups.ts'
import {
  addNewMembers,
  listMembers,
  matchMembers,
  previewRule,
  readGroupHistory,
  setGroupadmin,
} from '#contract/directory/members.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { visibilityOf } from '../../platform/http/visibility.ts'
import { recordOperation } from '../../operations/begin.ts'
import { createRecipients } from '../people/recipients.ts'
import { findHistory } from './history.ts'
import { matchEntries } from './match.ts'
import { findMembers, markGroupadmin } from './members.ts'
import {
  addAdministrator,
  addMembers,
  changeGroup,
  findGroup,
  findGroups,
  insertGroup,
  lockGroup,
  lockPeople,
  removeMember,
  withRuleMembers,
  shownTo,
} from './queries.ts'
import { groupBulkRoutes, removeGroups } from './removal.ts'
import { checkedRule, lockRuleChanges, preview, requireUnasked } from './rule.ts'

type GroupChange = { before?: unknown; after?: unknown }

function note(by: CallContext, action: AuditAction, at: { orgId: string; id: string } & GroupChange) {
  const { orgId, id, ...change } = at
  return audit(by.tx, by, { organizationId: orgId, action, entity: 'group', entityId: id, ...change })
}

export function groupsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(listGroups, ({ tx, caller, params, query, request }) =>
    findGroups(tx, { visibility: visibilityOf(caller, params.orgId), query, request }),
  )

  mount(readGroup, async ({ tx, caller, params }) => {
    const visibility = visibilityOf(caller, params.orgId)
    return shownTo(visibility, await findGroup(tx, visibility, params.groupId))
  })

  mount(createGroup, async ({ params: { orgId }, body, ...by }) => {
    const input = await withCheckedRule(by, { orgId, body })
    const created = await insertGroup(by.tx, orgId, input)
    // The creation is noted before the first members come, so that the history of the group begins with it.
    await note(by, 'group.created', { orgId, id: created.id, after: created })
    if (by.caller.role === 'groupadmin') await addAdministrator(by.tx, created, by.caller.userId)
    return withRuleMembers(by.tx, created)
  })

  mount(updateGroup, async ({ params: { orgId, groupId }, body, ...by }) => {
    const visibility = visibilityOf(by.caller, orgId)
    const input = await withCheckedRule(by, { orgId, groupId, body })
    const before = await lockGroup(by.tx, visibility, groupId)
    requireUnchanged(by.request, new Date(before.updatedAt))
    const after = await changeGroup(by.tx, before, input)
    await note(by, 'group.changed', { orgId, id: groupId, before, after })
    return shownTo(visibility, await withRuleMembers(by.tx, after))
  })

  mount(deleteGroup, async ({ params: { orgId, groupId }, ...by }) => {
    const before = await lockGroup(by.tx, visibilityOf(by.caller, orgId), groupId)
    await requireUnasked(by.tx, orgId, groupId)
    const gone = await removeGroups(by.tx, orgId, [{ id: groupId }])
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
  listRoutes(mount)
  ruleRoutes(mount)
}

type Ruled = { orgId: string; groupId?: string; body: GroupInput }

/** A rule reaches beyond what a groupadmin sees, so that only administrators make one. */
async function withCheckedRule(
  { tx, caller }: CallContext,
  { orgId, groupId, body }: Ruled,
): Promise<GroupInput> {
  if (body.rule === undefined) return body
  if (caller.role === 'groupadmin') throw refuse('forbidden', { fields: { rule: ['not_allowed'] } })
  await lockRuleChanges(tx, orgId)
  if (body.rule === null) return body
  return { ...body, rule: await checkedRule(tx, { organizationId: orgId, rule: body.rule, groupId }) }
}

function requireByHand({ kind }: Group): void {
  if (kind === 'rule') throw refuse('conflict', { reason: { code: 'group_by_rule' } })
}

function ruleRoutes(mount: Mount): void {
  mount(previewRule, async ({ tx, caller, params: { orgId }, body: { rule, groupId } }) => {
    if (groupId !== undefined) await findGroup(tx, visibilityOf(caller, orgId), groupId)
    const checked = await checkedRule(tx, { organizationId: orgId, rule, groupId })
    return preview(tx, { organizationId: orgId, rule: checked, groupId })
  })

  mount(readGroupHistory, async ({ tx, caller, params: { orgId, groupId }, query, request }) => {
    await findGroup(tx, visibilityOf(caller, orgId), groupId)
    return findHistory(tx, { organizationId: orgId, groupId, query, request })
  })
}

function listRoutes(mount: Mount): void {
  mount(listMembers, async ({ tx, caller, params: { orgId, groupId }, query, request }) => {
    await findGroup(tx, visibilityOf(caller, orgId), groupId)
    return findMembers(tx, { groupId, query, request })
  })

  mount(matchMembers, async ({ tx, caller, params: { orgId, groupId }, body }) => {
    const visibility = visibilityOf(caller, orgId)
    await findGroup(tx, visibility, groupId)
    return { items: await matchEntries(tx, { visibility, groupId, text: storable(body.text) }) }
  })

  mount(addNewMembers, async ({ params: { orgId, groupId }, body, ...by }) => {
    const visibility = visibilityOf(by.caller, orgId)
    await findGroup(by.tx, visibility, groupId)
    const given = body.people.map(({ email, name }) => ({ email, name: name ? name : null }))
    const people = await createRecipients(by.tx, orgId, given)
    const userIds = people.map(({ id }) => id)
    await lockPeople(by.tx, userIds)
    requireByHand(await lockGroup(by.tx, visibility, groupId))
    const created = people.filter(({ isNew }) => isNew)
    for (const { id, name, email } of created) {
      const entry = { organizationId: orgId, action: 'user.created' as const, entity: 'user', entityId: id }
      await audit(by.tx, by, { ...entry, after: { name, email, role: null } })
    }
    const { added, memberCount } = await addMembers(by.tx, { visibility, groupId, userIds })
    if (added.length > 0)
      await note(by, 'group.members_added', { orgId, id: groupId, after: { userIds: added } })
    return { created: created.length, added: added.length, memberCount }
  })

  mount(setGroupadmin, async ({ params: { orgId, groupId, userId }, body: { groupadmin }, ...by }) => {
    const visibility = visibilityOf(by.caller, orgId)
    await lockPeople(by.tx, [userId])
    const group = await lockGroup(by.tx, visibility, groupId)
    const { before, after } = await markGroupadmin(by.tx, { visibility, group, userId, groupadmin })
    const person = after ?? before
    if (!person) throw refuse('not_found')
    const action = groupadmin ? 'group.groupadmin_made' : 'group.groupadmin_ended'
    if (before?.groupadmin !== groupadmin)
      await note(by, action, { orgId, id: groupId, after: { userIds: [userId] } })
    // Somebody who was in the group for the mark alone has left with it.
    return { ...person, groupadmin }
  })
}

function memberRoutes(mount: Mount): void {
  mount(addGroupUsers, async ({ params: { orgId, groupId }, body, ...by }) => {
    if ((body.organizationId ?? orgId) !== orgId || (body.groupId ?? groupId) !== groupId)
      throw refuse('not_found')
    const visibility = visibilityOf(by.caller, orgId)
    await lockPeople(by.tx, body.userIds)
    requireByHand(await lockGroup(by.tx, visibility, groupId))
    const { added, memberCount } = await addMembers(by.tx, { visibility, groupId, userIds: body.userIds })
    if (added.length > 0)
      await note(by, 'group.members_added', { orgId, id: groupId, after: { userIds: added } })
    return { added: added.length, memberCount }
  })

  mount(removeGroupUser, async ({ params: { orgId, groupId, userId }, ...by }) => {
    if (by.caller.role === 'groupadmin' && userId === by.caller.userId)
      throw refuse('conflict', { reason: { code: 'own_group' } })
    const visibility = visibilityOf(by.caller, orgId)
    await lockPeople(by.tx, [userId])
    const group = await lockGroup(by.tx, visibility, groupId)
    requireByHand(group)
    const { name, ...before } = await removeMember(by.tx, { visibility, groupId, userId })
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
