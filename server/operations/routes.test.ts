import { expect, test } from 'vitest'
import {
  changeGroups,
  changeOrganizations,
  changeUsers,
  previewGroups,
  previewOrganizations,
} from '#contract/directory/bulk.ts'
import { createGroup, deleteGroup, listGroups, readGroup } from '#contract/directory/groups.ts'
import { listOperationRows, listOperations, undoOperation } from '#contract/operations.ts'
import {
  deleteOrganization,
  readOrganization,
  updateOrganization,
} from '#contract/directory/organizations.ts'
import { createUser, listUsers, readUser, updateUser } from '#contract/directory/users.ts'
import { listAudit } from '#contract/platform/audit.ts'
import { createKey } from '#contract/service-accounts.ts'
import { sendWith } from '../testing/keys.ts'
import { endOf, takeOperationBack } from '../testing/operations.ts'
import { callerFor, type Person } from '../testing/server.ts'
import { unique } from '../testing/unique.ts'
import { aWorkingServer } from '../testing/worlds.ts'

const server = await aWorkingServer()
const superadmin = await server.person('superadmin')

async function organization(name?: string) {
  const orgId = await server.organization(name)
  return { orgId, admin: await server.person('admin', orgId) }
}

const reasonsOf = async (by: Person, operationId: string) =>
  (await by.call(listOperationRows, { params: { operationId } })).body.items.map(
    ({ label, undo, reason }) => [label, undo, reason],
  )

test('removes groups that a search finds, with their members where they are, and brings them back', async () => {
  const { orgId, admin } = await organization()
  const group = async (name: string) =>
    (await admin.call(createGroup, { params: { orgId }, body: { name } })).body.id
  const [north, south] = [await group('Team north'), await group('Team south')]
  await group('Other')
  const body = { name: 'Member', email: `${unique()}@example.test`, groupIds: [north, south] }
  const person = (await admin.call(createUser, { params: { orgId }, body })).body
  const selection = { filter: { q: 'team' }, exceptIds: [], expected: 2 }
  const asked = { selection, do: { action: 'remove' as const } }
  const preview = await admin.call(previewGroups, { params: { orgId }, body: asked })
  expect(preview.body).toEqual({
    total: 2,
    changing: 2,
    names: ['Team north', 'Team south'],
    staying: [],
  })
  const begun = await admin.call(changeGroups, { params: { orgId }, body: asked })
  const done = await endOf(admin, begun.body.id)
  expect(done.counts).toEqual({ removed: 2 })
  const left = await admin.call(listGroups, { params: { orgId } })
  expect(left.body.items.map(({ name }) => name)).toEqual(['Other'])
  await group('Team south')
  expect((await takeOperationBack(admin, done.id)).undoCounts).toEqual({ undone: 1, impossible: 1 })
  expect(await reasonsOf(admin, done.id)).toEqual([
    ['Team north', 'undone', null],
    ['Team south', 'impossible', 'name_taken'],
  ])
  const back = await admin.call(readUser, { params: { orgId, userId: person.id } })
  expect(back.body.groups.map(({ id }) => id)).toEqual([north])
})

test('a groupadmin takes the removal of an own group back, and no other one', async () => {
  const { orgId, admin } = await organization()
  const lead = await server.person('groupadmin', orgId)
  const groupId = (await admin.call(createGroup, { params: { orgId }, body: { name: 'Own' } })).body.id
  const body = { name: 'Lead', email: lead.email, groupIds: [groupId], adminGroupIds: [groupId] }
  await admin.call(updateUser, { params: { orgId, userId: lead.id }, body })
  const removed = await lead.call(deleteGroup, { params: { orgId, groupId } })
  expect((await takeOperationBack(lead, removed.body.operationId)).undoCounts).toEqual({ undone: 1 })
  expect((await lead.call(readGroup, { params: { orgId, groupId } })).status).toBe(200)
  const theirs = await admin.call(deleteGroup, { params: { orgId, groupId } })
  const refused = await lead.call(undoOperation, { params: { operationId: theirs.body.operationId } })
  expect(refused.status).toBe(404)
})

test('archives organizations at once, signs their people out, and takes back what is still so', async () => {
  const [one, two, three] = [
    await organization('One'),
    await organization('Two'),
    await organization('Three'),
  ]
  const setState = (orgId: string, name: string, state: 'active' | 'suspended') =>
    superadmin.call(updateOrganization, { params: { orgId }, body: { name, state } })
  await setState(two.orgId, 'Two', 'suspended')
  const ids = [one.orgId, two.orgId, three.orgId]
  const asked = { selection: { ids }, do: { action: 'change' as const, state: 'suspended' as const } }
  const preview = await superadmin.call(previewOrganizations, { body: asked })
  expect(preview.body).toEqual({
    total: 3,
    changing: 2,
    names: ['One', 'Three'],
    staying: [{ reason: 'already_suspended', count: 1 }],
  })
  const begun = await superadmin.call(changeOrganizations, { body: asked })
  const done = await endOf(superadmin, begun.body.id)
  expect(done).toMatchObject({
    organizationId: null,
    becomes: 'suspended',
    counts: { changed: 2, unchanged: 1 },
  })
  expect((await one.admin.call(listUsers, { params: { orgId: one.orgId } })).status).toBe(401)
  await setState(three.orgId, 'Three', 'active')
  expect((await takeOperationBack(superadmin, done.id)).undoCounts).toEqual({ undone: 1, changed_since: 1 })
  const state = async (orgId: string) =>
    (await superadmin.call(readOrganization, { params: { orgId } })).body.state
  expect(await Promise.all(ids.map(state))).toEqual(['active', 'suspended', 'active'])
  // Being switched on again brings no session back, and what was done to organizations is not for those inside.
  expect((await one.admin.call(listOperations)).status).toBe(401)
  const again = await server.person('admin', one.orgId)
  expect((await again.call(listOperations)).body.items).toEqual([])
})

test('one organization comes back as it was, and so does its state', async () => {
  const { orgId, admin } = await organization('Back again')
  const params = { orgId }
  const removed = await superadmin.call(deleteOrganization, { params })
  expect((await superadmin.call(readOrganization, { params })).status).toBe(404)
  expect((await takeOperationBack(superadmin, removed.body.operationId)).undoCounts).toEqual({ undone: 1 })
  expect((await superadmin.call(readOrganization, { params })).body).toMatchObject({ name: 'Back again' })
  expect(
    (await admin.call(undoOperation, { params: { operationId: removed.body.operationId } })).status,
  ).toBe(401)
  await superadmin.call(updateOrganization, { params, body: { name: 'Back again', state: 'archived' } })
  const { body } = await superadmin.call(listOperations, { query: { about: 'changed', show: 'undoable' } })
  expect(body.items[0]).toMatchObject({
    subject: 'Back again',
    kind: 'organizations.change',
    becomes: 'archived',
  })
  await takeOperationBack(superadmin, body.items[0]?.id ?? '')
  expect((await superadmin.call(readOrganization, { params })).body.state).toBe('active')
})

test('what a key begins names the key to its end, and what a person takes back of it that person', async () => {
  const { orgId, admin } = await organization()
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const scopes = ['people:read' as const, 'people:write' as const]
  const made = await admin.call(createKey, {
    params: { orgId },
    body: { name: 'Payroll', scopes, expiresAt },
  })
  const payroll = callerFor(sendWith(server, made.body.token ?? ''))
  const person = { name: 'Ada', email: `${unique()}@example.test` }
  const { id } = (await payroll(createUser, { params: { orgId }, body: person })).body
  const body = {
    selection: { userIds: [id] },
    do: { action: 'change' as const, state: 'disabled' as const },
  }
  const begun = await payroll(changeUsers, { params: { orgId }, body })
  const ended = await endOf(admin, begun.body.id)
  expect([ended.counts, ended.createdBy]).toEqual([
    { changed: 1 },
    { id: admin.id, name: expect.any(String), key: 'Payroll' },
  ])
  const group = await payroll(createGroup, { params: { orgId }, body: { name: 'Night shift' } })
  await payroll(deleteGroup, { params: { orgId, groupId: group.body.id } })
  await takeOperationBack(admin, ended.id)
  const listed = (await admin.call(listOperations)).body.items
  expect(listed.map(({ kind, createdBy }) => [kind, createdBy.key])).toEqual([
    ['groups.remove', 'Payroll'],
    ['users.change', 'Payroll'],
  ])
  const { items } = (await admin.call(listAudit, { query: { organizationId: orgId, limit: 100 } })).body
  const told = items
    .filter(({ action, entityId }) => [id, ended.id].includes(entityId ?? '') && action !== 'key.called')
    .map(({ action, key, actor }) => [action, key?.name ?? null, actor?.id])
  expect(told).toEqual([
    ['operation.undone', null, admin.id],
    ['user.changed', null, admin.id],
    ['operation.undoing', null, admin.id],
    ['operation.done', 'Payroll', admin.id],
    ['user.changed', 'Payroll', admin.id],
    ['operation.started', 'Payroll', admin.id],
    ['user.created', 'Payroll', admin.id],
  ])
})
