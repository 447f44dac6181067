import { beforeEach, expect, test } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { acceptInvitation, openInvitation } from '#contract/identity/acceptance.ts'
import { createInvitation, listInvitations, resendInvitation } from '#contract/directory/invitations.ts'
import { createUser, deleteUser, readUser, updateUser, type UserInput } from '#contract/directory/users.ts'
import { invitedToken, invitedTokens } from '../../testing/mail/invited.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const address = () => `${crypto.randomUUID()}@example.test`
const open = async (token: string) => (await server.call(openInvitation, { params: { token } })).status
const invitations = async (userId: string) =>
  (await admin.call(listInvitations, { query: { userId } })).body.items

/** Somebody with a role who has not accepted yet. */
async function invited(more: Partial<UserInput> = {}) {
  const body = { name: 'Prepared', email: address(), role: 'groupadmin' as const, ...more }
  const { id } = (await admin.call(createUser, { params: { orgId }, body })).body
  const change = (patch: object) =>
    admin.call(updateUser, { params: { orgId, userId: id }, body: { ...body, ...patch } })
  return { id, body, change, token: await invitedToken(server, body.email) }
}

test('whoever is created with a role is invited as that person', async () => {
  const { id, body, token } = await invited()
  expect(await invitations(id)).toMatchObject([
    { userId: id, email: body.email, role: 'groupadmin', state: 'pending' },
  ])
  expect(await open(token)).toBe(200)
  const nobody = await admin.call(createUser, {
    params: { orgId },
    body: { name: 'R', email: address() },
  })
  expect(await invitations(nobody.body.id)).toEqual([])
})

test('a recipient who gets a role is invited, also when the form sends their state along', async () => {
  const email = address()
  const body = { name: 'R', email }
  const { id } = (await admin.call(createUser, { params: { orgId }, body })).body
  const raise = { ...body, role: 'admin' as const, state: 'active' as const }
  const changed = await admin.call(updateUser, { params: { orgId, userId: id }, body: raise })
  expect(changed.body).toMatchObject({ role: 'admin', state: 'invited' })
  expect(await open(await invitedToken(server, email))).toBe(200)
})

test.each([
  ['disabled', { state: 'disabled' }],
  ['made a recipient', { role: null }],
] as const)('the link of somebody who is %s is worthless', async (_what, patch) => {
  const { id, change, token } = await invited()
  expect((await change(patch)).status).toBe(200)
  expect(await open(token)).toBe(410)
  expect(await invitations(id)).toMatchObject([{ state: 'revoked' }])
})

test('the link of somebody who is removed is worthless', async () => {
  const { id, token } = await invited()
  await admin.call(deleteUser, { params: { orgId, userId: id } })
  expect(await open(token)).toBe(410)
})

test('a recipient who is removed loses what else was sent to the address', async () => {
  const email = address()
  const { id } = (await admin.call(createUser, { params: { orgId }, body: { name: 'R', email } })).body
  await admin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  await admin.call(deleteUser, { params: { orgId, userId: id } })
  expect(await open(await invitedToken(server, email))).toBe(410)
})

test('another address or role means another link, and the former one is worthless', async () => {
  const { id, change, body, token } = await invited()
  const moved = address()
  await change({ email: moved })
  expect(await open(token)).toBe(410)
  const second = await invitedToken(server, moved)
  expect(await open(second)).toBe(200)
  await change({ email: moved, role: 'admin' })
  expect(await open(second)).toBe(410)
  expect(await open(await invitedToken(server, moved))).toBe(200)
  expect((await invitations(id)).filter(({ state }) => state === 'pending')).toMatchObject([
    { role: 'admin' },
  ])
  expect(await invitedTokens(server, body.email)).toHaveLength(1)
})

test('another name or other groups change no link', async () => {
  const group = await admin.call(createGroup, { params: { orgId }, body: { name: 'G' } })
  const { id, change, body, token } = await invited()
  await change({ name: 'Other', groupIds: [group.body.id], adminGroupIds: [group.body.id] })
  expect(await open(token)).toBe(200)
  expect(await invitedTokens(server, body.email)).toHaveLength(1)
  expect(await invitations(id)).toMatchObject([{ groups: [{ id: group.body.id }] }])
})

test('who is enabled again before ever accepting is invited again', async () => {
  const { id, change, body } = await invited()
  await change({ state: 'disabled' })
  expect((await change({ state: 'active' })).body.state).toBe('invited')
  expect(await open(await invitedToken(server, body.email))).toBe(200)
  expect(await invitedTokens(server, body.email)).toHaveLength(2)
  expect((await invitations(id)).map(({ state }) => state).toSorted()).toEqual(['pending', 'revoked'])
})

test('a late form does not make somebody who has accepted invited again', async () => {
  const { id, change, token } = await invited()
  const body = { name: 'Came', password: 'four quiet green mornings' }
  expect((await server.call(acceptInvitation, { params: { token }, body })).status).toBe(200)
  expect((await change({ state: 'invited', name: 'Late' })).body.state).toBe('active')
  expect((await admin.call(readUser, { params: { orgId, userId: id } })).body.name).toBe('Late')
})

test('the invitation of a person takes the place of one to the same address', async () => {
  const email = address()
  await admin.call(createInvitation, { body: { organizationId: orgId, email, role: 'admin' } })
  const former = await invitedToken(server, email)
  const body = { name: 'P', email, role: 'groupadmin' as const }
  expect((await admin.call(createUser, { params: { orgId }, body })).status).toBe(201)
  expect(await open(former)).toBe(410)
  expect(await open(await invitedToken(server, email))).toBe(200)
})

test('a person without a link can be invited once more by address, as what they are', async () => {
  const { id, body } = await invited()
  await server.query('delete from invitations where user_id = $1', [id])
  const again = { organizationId: orgId, email: body.email, role: 'admin' as const }
  const sent = await admin.call(createInvitation, { body: again })
  expect(sent.body).toMatchObject({ userId: id, role: 'groupadmin' })
  const resent = await admin.call(resendInvitation, { params: { invitationId: sent.body.id } })
  expect(resent.status).toBe(200)
})

test('whoever hands out a role or changes an address proves that it is them; everything else needs no proof', async () => {
  const body = { name: 'R', email: address() }
  const { id } = (await admin.call(createUser, { params: { orgId }, body })).body
  await server.query(`update sessions set reauthenticated_at = null where user_id = $1`, [admin.id])
  const params = { orgId, userId: id }
  const change = (patch: object) => admin.call(updateUser, { params, body: { ...body, ...patch } })
  expect((await change({ role: 'groupadmin' })).problem?.code).toBe('reauthentication_required')
  const created = { name: 'N', email: address(), role: 'admin' as const }
  const refused = await admin.call(createUser, { params: { orgId }, body: created })
  expect(refused.problem?.code).toBe('reauthentication_required')
  expect((await change({ email: address() })).problem?.code).toBe('reauthentication_required')
  expect((await change({ name: 'Renamed', role: null })).status).toBe(200)
  await server.query(`update users set role = 'groupadmin' where id = $1`, [id])
  expect((await change({ role: 'admin' })).problem?.code).toBe('reauthentication_required')
  await server.query(`update users set role = 'admin' where id = $1`, [id])
  expect((await change({ role: 'groupadmin' })).status).toBe(200)
})
