import { afterAll, beforeEach, expect, test } from 'vitest'
import { acceptInvitation } from '#contract/identity/acceptance.ts'
import { changeUsers, previewUsers, type UserAction } from '#contract/directory/bulk.ts'
import { addGroupUsers, createGroup, deleteGroup, removeGroupUser } from '#contract/directory/groups.ts'
import { listInvitations } from '#contract/directory/invitations.ts'
import { listOperationRows, listOperations, undoOperation } from '#contract/operations.ts'
import {
  createUser,
  deleteUser,
  listUsers,
  readUser,
  updateUser,
  type UserInput,
} from '#contract/directory/users.ts'
import type { UserSelection } from '#contract/directory/users.ts'
import { addPeople } from '../../../testing/audience.ts'
import { invitedToken, invitedTokens } from '../../../testing/mail/invited.ts'
import { endOf, takeOperationBack, workOnOperations } from '../../../testing/operations.ts'
import type { Person } from '../../../testing/server.ts'
import { aServer, anOrganization } from '../../../testing/worlds.ts'

const server = await aServer()
const { query } = server

let worker: { stop(): Promise<void> }
let orgId: string
let admin: Person
worker = await workOnOperations(server)
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})
afterAll(() => worker.stop())

const create = async (name: string, more: Partial<UserInput> = {}) => {
  const body = { name, email: `${crypto.randomUUID()}@example.test`, ...more }
  return (await admin.call(createUser, { params: { orgId }, body })).body
}
const group = async (name = 'G') =>
  (await admin.call(createGroup, { params: { orgId }, body: { name } })).body.id
const states = async (ids: string[]) =>
  (
    await query<{ state: string }>(
      `select state from users where id = any($1) order by array_position($1::uuid[], id)`,
      [ids],
    )
  ).map(({ state }) => state)
const begin = (selection: UserSelection, asked: UserAction, by = admin) =>
  by.call(changeUsers, { params: { orgId }, body: { selection, do: asked } })
/** Begins, and waits for the end. */
async function run(userIds: string[], asked: UserAction, by = admin) {
  const begun = await begin({ userIds }, asked, by)
  expect(begun.status).toBe(202)
  return endOf(by, begun.body.id)
}
const rowsOf = async (operationId: string, by = admin) =>
  (await by.call(listOperationRows, { params: { operationId }, query: { limit: 100 } })).body.items
const actionsOf = async (entityId: string) =>
  (
    await query<{ action: string }>('select action from audit where entity_id = $1 order by id', [entityId])
  ).map(({ action }) => action)

test('disables everybody whom a filter finds, tells what became of each, and takes it back', async () => {
  await addPeople(server, orgId, { count: 1_200 })
  const off = await create('Off already', { state: 'disabled' })
  const asked = { action: 'change', state: 'disabled' } as const
  const selection = { filter: {}, exceptIds: [], expected: 1_202 }
  const preview = await admin.call(previewUsers, { params: { orgId }, body: { selection, do: asked } })
  expect(preview.body).toEqual({
    total: 1_202,
    changing: 1_200,
    names: expect.objectContaining({ length: 5, 0: expect.stringMatching(/^Guest /) }),
    staying: [
      { reason: 'already_disabled', count: 1 },
      { reason: 'yourself', count: 1 },
    ],
  })
  const begun = await begin(selection, asked)
  const done = await endOf(admin, begun.body.id)
  expect(done).toMatchObject({
    state: 'done',
    total: 1_202,
    done: 1_202,
    counts: { changed: 1_200, unchanged: 1, skipped: 1 },
  })
  expect(await states([admin.id])).toEqual(['active'])
  const still = await admin.call(listUsers, { params: { orgId }, query: { state: 'active' } })
  expect(still.body.total).toBe(1)
  const skipped = await admin.call(listOperationRows, {
    params: { operationId: done.id },
    query: { outcome: 'skipped' },
  })
  expect(skipped.body.items).toMatchObject([{ entityId: admin.id, reason: 'yourself' }])
  const written = await query(
    `select count(*)::int as n from audit where organization_id = $1 and action = 'user.changed' and actor_id = $2`,
    [orgId, admin.id],
  )
  expect(written).toEqual([{ n: 1_200 }])
  const undone = await takeOperationBack(admin, done.id)
  expect(undone).toMatchObject({ state: 'undone', undoCounts: { undone: 1_200 }, undoUntil: null })
  expect(await states([off.id])).toEqual(['disabled'])
  const back = await admin.call(listUsers, { params: { orgId }, query: { state: 'active' } })
  expect(back.body.total).toBe(1_201)
})

test('refuses when the list has changed meanwhile, and a filter that finds nobody', async () => {
  await create('One')
  const asked = { action: 'remove' } as const
  const stale = await begin({ filter: {}, exceptIds: [], expected: 5 }, asked)
  expect(stale.problem).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('2 people') as string,
  })
  const empty = await begin({ filter: { q: 'nobody at all' }, exceptIds: [], expected: 0 }, asked)
  expect(empty.problem?.code).toBe('validation_failed')
  expect((await begin({ userIds: [crypto.randomUUID()] }, asked)).status).toBe(404)
})

test('a double click begins one operation', async () => {
  const { id } = await create('Once')
  const call = {
    params: { orgId },
    headers: { 'idempotency-key': 'click' },
    body: { selection: { userIds: [id] }, do: { action: 'remove' as const } },
  }
  const [first, second] = await Promise.all([admin.call(changeUsers, call), admin.call(changeUsers, call)])
  expect(second.body.id).toBe(first.body.id)
  expect((await admin.call(listOperations)).body.total).toBe(1)
})

test('brings removed people back as they were: groups, state; with a role invited anew', async () => {
  const groupId = await group()
  const recipient = await create('Recipient', { groupIds: [groupId], phone: '+1', externalId: 'x-1' })
  const off = await create('Off', { state: 'disabled' })
  const lead = await create('Lead', { role: 'groupadmin', groupIds: [groupId], adminGroupIds: [groupId] })
  const token = await invitedToken(server, lead.email)
  const password = 'four quiet green mornings'
  await server.call(acceptInvitation, { params: { token }, body: { name: 'Lead', password } })
  const ids = [recipient.id, off.id, lead.id]
  const done = await run([...ids, admin.id], { action: 'remove' })
  expect(done.counts).toEqual({ removed: 3, skipped: 1 })
  expect(await states(ids)).toEqual(['deleted', 'deleted', 'deleted'])
  expect(await query('select 1 from group_members where user_id = any($1)', [ids])).toEqual([])
  const undone = await takeOperationBack(admin, done.id)
  expect(undone.undoCounts).toEqual({ undone: 3 })
  expect(await states(ids)).toEqual(['active', 'disabled', 'invited'])
  const back = await admin.call(readUser, { params: { orgId, userId: recipient.id } })
  expect(back.body).toMatchObject({ phone: '+1', externalId: 'x-1', groups: [{ id: groupId }] })
  const leads = await admin.call(readUser, { params: { orgId, userId: lead.id } })
  expect(leads.body).toMatchObject({ role: 'groupadmin', groups: [{ id: groupId, groupadmin: true }] })
  expect(await invitedTokens(server, lead.email)).toHaveLength(2)
  const again = { name: 'Lead', password: 'another quiet green morning' }
  const newest = await invitedToken(server, lead.email)
  expect((await server.call(acceptInvitation, { params: { token: newest }, body: again })).status).toBe(200)
  expect(await actionsOf(recipient.id)).toEqual(['user.created', 'user.removed', 'user.restored'])
})

test('one removal can be undone too, once; and not by somebody whom it does not concern', async () => {
  const person = await create('Single')
  const removed = await admin.call(deleteUser, { params: { orgId, userId: person.id } })
  const { operationId } = removed.body
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(undoOperation, { params: { operationId } })).status).toBe(404)
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(undoOperation, { params: { operationId } })).status).toBe(404)
  const asked = [1, 2].map(() => admin.call(undoOperation, { params: { operationId } }))
  expect((await Promise.all(asked)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(await endOf(admin, operationId)).toMatchObject({ state: 'undone', subject: 'Single' })
  expect((await admin.call(readUser, { params: { orgId, userId: person.id } })).status).toBe(200)
})

test('does not bring back whose address or number somebody else has by now, and says so', async () => {
  const taken = await create('Taken')
  const numbered = await create('Numbered', { externalId: 'n-1' })
  const done = await run([taken.id, numbered.id], { action: 'remove' })
  await create('Newcomer', { email: taken.email })
  await create('Other', { externalId: 'n-1' })
  const undone = await takeOperationBack(admin, done.id)
  expect(undone.undoCounts).toEqual({ impossible: 2 })
  const rows = await rowsOf(done.id)
  expect(rows.map(({ label, undo, reason }) => [label, undo, reason])).toEqual([
    ['Numbered', 'impossible', 'external_id_taken'],
    ['Taken', 'impossible', 'email_taken'],
  ])
})

test('leaves alone what somebody has changed since', async () => {
  const [one, two] = [await create('One'), await create('Two')]
  const done = await run([one.id, two.id], { action: 'change', state: 'disabled' })
  const body = { name: 'One', email: one.email, state: 'active' as const }
  await admin.call(updateUser, { params: { orgId, userId: one.id }, body })
  await admin.call(updateUser, { params: { orgId, userId: one.id }, body: { ...body, name: 'Renamed' } })
  const undone = await takeOperationBack(admin, done.id)
  expect(undone.undoCounts).toEqual({ undone: 1, changed_since: 1 })
  const read = await admin.call(readUser, { params: { orgId, userId: one.id } })
  expect(read.body).toMatchObject({ name: 'Renamed', state: 'active' })
})

test('puts people into a group and takes them out, each way with its own way back', async () => {
  const groupId = await group('Crew')
  const [ada, bob] = [await create('Ada'), await create('Bob')]
  await admin.call(addGroupUsers, { params: { orgId, groupId }, body: { userIds: [bob.id] } })
  const added = await run([ada.id, bob.id], { action: 'add_to_group', groupId })
  expect(added).toMatchObject({ subject: 'Crew', counts: { changed: 1, unchanged: 1 } })
  const members = async () =>
    (await query<{ id: string }>('select user_id as id from group_members where group_id = $1', [groupId]))
      .map(({ id }) => id)
      .sort()
  expect(await members()).toEqual([ada.id, bob.id].sort())
  expect((await takeOperationBack(admin, added.id)).undoCounts).toEqual({ undone: 1 })
  expect(await members()).toEqual([bob.id])
  const out = await run([ada.id, bob.id], { action: 'remove_from_group', groupId })
  expect(out.counts).toEqual({ removed: 1, unchanged: 1 })
  await takeOperationBack(admin, out.id)
  expect(await members()).toEqual([bob.id])
  const single = await admin.call(removeGroupUser, { params: { orgId, groupId, userId: bob.id } })
  await admin.call(deleteGroup, { params: { orgId, groupId } })
  const late = await takeOperationBack(admin, single.body.operationId)
  expect(late.undoCounts).toEqual({ impossible: 1 })
  expect(await rowsOf(late.id)).toMatchObject([{ label: 'Bob', reason: 'group_gone' }])
})

test('a groupadmin changes only who is in their own groups, as long as they administer them', async () => {
  const [own, foreign] = [await group('Own'), await group('Foreign')]
  const lead = await server.person('groupadmin', orgId)
  const groups = { groupIds: [own], adminGroupIds: [own] }
  const me = { name: 'Lead', email: lead.email, ...groups }
  await admin.call(updateUser, { params: { orgId, userId: lead.id }, body: me })
  const inside = await create('Inside', { groupIds: [own] })
  const outside = await create('Outside', { groupIds: [foreign] })
  const out = { action: 'remove_from_group', groupId: own } as const
  expect((await begin({ userIds: [inside.id] }, { action: 'remove' }, lead)).status).toBe(403)
  expect((await begin({ userIds: [outside.id] }, out, lead)).status).toBe(404)
  const other = { action: 'add_to_group', groupId: foreign } as const
  expect((await begin({ userIds: [inside.id] }, other, lead)).status).toBe(404)
  const done = await run([inside.id, lead.id], out, lead)
  expect(done.counts).toEqual({ removed: 1, skipped: 1 })
  await admin.call(updateUser, {
    params: { orgId, userId: lead.id },
    body: { ...me, groupIds: [foreign], adminGroupIds: [foreign] },
  })
  const late = await takeOperationBack(lead, done.id)
  expect(late.undoCounts).toEqual({ impossible: 1 })
})

test('invites those who have not come yet, and withdraws it', async () => {
  const waiting = await create('Waiting', { role: 'groupadmin' })
  const without = await create('Without', { role: 'groupadmin' })
  await query('delete from invitations where user_id = $1', [without.id])
  const recipient = await create('Recipient')
  const before = await invitedToken(server, waiting.email)
  const done = await run([waiting.id, without.id, recipient.id, admin.id], { action: 'invite' })
  expect(done.counts).toEqual({ changed: 2, skipped: 1, unchanged: 1 })
  expect(await invitedToken(server, waiting.email)).not.toBe(before)
  expect(await invitedTokens(server, without.email)).toHaveLength(2)
  expect((await takeOperationBack(admin, done.id)).undoCounts).toEqual({ undone: 2 })
  const { body } = await admin.call(listInvitations, { query: { userId: waiting.id } })
  expect(body.items).toMatchObject([{ state: 'revoked' }])
})

test('whoever loses the right in between does nothing more', async () => {
  const second = await server.person('admin', orgId)
  const { id } = await create('Safe')
  await worker.stop()
  const begun = await begin({ userIds: [id] }, { action: 'remove' }, second)
  const off = { name: 'S', email: second.email, state: 'disabled' as const }
  await admin.call(updateUser, { params: { orgId, userId: second.id }, body: off })
  worker = await workOnOperations(server)
  expect(await endOf(admin, begun.body.id)).toMatchObject({ state: 'failed', error: 'not_allowed' })
  expect(await states([id])).toEqual(['active'])
})
