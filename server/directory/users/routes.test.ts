import { beforeEach, expect, test } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { deleteOrganization, readOrganization } from '#contract/directory/organizations.ts'
import { createUser, deleteUser, listUsers, readUser, updateUser } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const create = async (name: string, more: object = {}) => {
  const email = `${name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}@example.test`
  return admin.call(createUser, { params: { orgId }, body: { name, email, ...more } })
}
const group = async (name: string) =>
  (await admin.call(createGroup, { params: { orgId }, body: { name } })).body.id

/** A signed-in groupadmin of one new group. */
async function groupadminOf(name: string): Promise<{ person: Person; groupId: string }> {
  const groupId = await group(name)
  const person = await server.person('groupadmin', orgId)
  const body = { name, email: person.email, groupIds: [groupId], adminGroupIds: [groupId] }
  await admin.call(updateUser, { params: { orgId, userId: person.id }, body })
  return { person, groupId }
}

test('requires sign-in', async () => {
  expect((await server.call(listUsers, { params: { orgId } })).status).toBe(401)
})

test('requires role', async () => {
  const person = await server.person('groupadmin', orgId)
  const body = { name: 'N', email: 'n@example.test' }
  expect((await person.call(createUser, { params: { orgId }, body })).status).toBe(403)
  const params = { orgId, userId: admin.id }
  expect((await person.call(updateUser, { params, body })).status).toBe(403)
  expect((await person.call(deleteUser, { params })).status).toBe(403)
})

test('creates a recipient from name and email, and counts it', async () => {
  const created = await create('Ada Lovelace')
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({ role: null, state: 'active', groups: [], organizationId: orgId })
  expect((await admin.call(readOrganization, { params: { orgId } })).body.userCount).toBe(2)
  const again = await create('Ada Lovelace')
  expect(again.problem).toMatchObject({ code: 'already_exists', fields: { email: ['taken'] } })
})

test('invites who gets a role, whoever else has invited the same address', async () => {
  const body = { name: 'Both', email: 'both@example.test', role: 'admin' as const }
  const first = await admin.call(createUser, { params: { orgId }, body })
  expect(first.body).toMatchObject({ role: 'admin', state: 'invited' })
  const mails = await server.query('select subject, text from mails where address = $1', [body.email])
  expect(mails).toHaveLength(1)
  expect(mails[0]).toMatchObject({
    text: expect.stringMatching(/\/auth-1\/sign-up\?invite=[\w-]{43}\n/) as string,
  })
  const { orgId: elsewhere, admin: other } = await anOrganization(server)
  const second = await other.call(createUser, { params: { orgId: elsewhere }, body })
  expect(second.body).toMatchObject({ role: 'admin', state: 'invited' })
  const again = await other.call(createUser, { params: { orgId: elsewhere }, body })
  expect(again.problem).toMatchObject({ code: 'already_exists', fields: { email: ['taken'] } })
})

test('never grants superadmin', async () => {
  const body = { name: 'Up', email: 'up@example.test', role: 'superadmin' }
  const answer = await admin.send('POST', `/api/organizations/${orgId}/users`, { body })
  expect(answer.body).toMatchObject({ code: 'validation_failed', fields: { role: ['invalid'] } })
})

test('changes what is given, keeps the rest, and refuses the second of two editors', async () => {
  const created = await create('Grace', { phone: '+1', externalId: 'x-1' })
  const params = { orgId, userId: created.body.id }
  const headers = { 'if-match': String(created.headers['etag']) }
  const body = { name: 'Grace Hopper', email: 'GRACE@example.test' }
  const changed = await admin.call(updateUser, { params, headers, body })
  expect(changed.body).toMatchObject({
    name: 'Grace Hopper',
    email: 'grace@example.test',
    phone: '+1',
    externalId: 'x-1',
  })
  const late = await admin.call(updateUser, { params, headers, body })
  expect(late.problem?.code).toBe('precondition_failed')
})

test('puts into groups, marks what a groupadmin administers, and refuses groups of others', async () => {
  const [one, two] = [await group('One'), await group('Two')]
  const created = await create('Member', { role: 'groupadmin', groupIds: [one, two], adminGroupIds: [two] })
  expect(created.body.groups).toEqual([
    { id: one, name: 'One', groupadmin: false, byRule: false },
    { id: two, name: 'Two', groupadmin: true, byRule: false },
  ])
  const params = { orgId, userId: created.body.id }
  const body = { name: 'Member', email: 'member@example.test', role: null, groupIds: [two] }
  const changed = await admin.call(updateUser, { params, body })
  expect(changed.body.groups).toEqual([{ id: two, name: 'Two', groupadmin: false, byRule: false }])
  const { orgId: elsewhere, admin: other } = await anOrganization(server)
  const theirs = await other.call(createGroup, { params: { orgId: elsewhere }, body: { name: 'X' } })
  const refused = await admin.call(updateUser, { params, body: { ...body, groupIds: [theirs.body.id] } })
  expect(refused.problem?.fields).toEqual({ groupIds: ['not_found'] })
})

test('ends the sessions of who loses role or access, at once', async () => {
  for (const change of [{ role: null }, { state: 'disabled' as const }]) {
    const person = await server.person('admin', orgId)
    const body = { name: 'Gone', email: person.email, ...change }
    await admin.call(updateUser, { params: { orgId, userId: person.id }, body })
    expect((await person.call(listUsers, { params: { orgId } })).status).toBe(401)
    const open = await server.query('select 1 from sessions where user_id = $1 and revoked_at is null', [
      person.id,
    ])
    expect(open).toEqual([])
  }
})

test('leaves a disabled person disabled when nothing is said of it', async () => {
  const person = await server.person('admin', orgId)
  const change = (body: { name: string; state?: 'disabled' }) =>
    admin.call(updateUser, {
      params: { orgId, userId: person.id },
      body: { email: person.email, role: 'admin', ...body },
    })
  await change({ name: 'Away', state: 'disabled' })
  expect((await change({ name: 'Still away' })).body).toMatchObject({ name: 'Still away', state: 'disabled' })
})

test('ends the sessions of who is removed, at once', async () => {
  const person = await server.person('admin', orgId)
  expect((await person.call(listUsers, { params: { orgId } })).status).toBe(200)
  expect((await admin.call(deleteUser, { params: { orgId, userId: person.id } })).status).toBe(200)
  expect((await person.call(listUsers, { params: { orgId } })).status).toBe(401)
  // Whoever is brought back does not find the old ones open.
  const open = await server.query('select 1 from sessions where user_id = $1 and revoked_at is null', [
    person.id,
  ])
  expect(open).toEqual([])
})

test('lets nobody remove, demote or disable themselves', async () => {
  const params = { orgId, userId: admin.id }
  const me = { name: 'Me', email: admin.email }
  for (const change of [{ role: null }, { role: 'groupadmin' as const }, { state: 'disabled' as const }]) {
    const answer = await admin.call(updateUser, { params, body: { ...me, ...change } })
    expect(answer.problem?.code).toBe('conflict')
  }
  expect((await admin.call(deleteUser, { params })).problem?.code).toBe('conflict')
  const shouting = { orgId, userId: admin.id.toUpperCase() }
  expect((await admin.call(deleteUser, { params: shouting })).problem?.code).toBe('conflict')
  expect((await admin.call(updateUser, { params, body: me })).status).toBe(200)
})

test('removes softly: out of the lists and the groups, the email free again', async () => {
  const created = await create('Short Stay', { groupIds: [await group('G')] })
  const params = { orgId, userId: created.body.id }
  expect((await admin.call(deleteUser, { params })).status).toBe(200)
  expect((await admin.call(readUser, { params })).status).toBe(404)
  expect((await admin.call(deleteUser, { params })).status).toBe(404)
  expect((await create('Short Stay')).status).toBe(201)
  const left = await server.query(
    'select state, (select count(*)::int from group_members where user_id = u.id) as groups from users u where id = $1',
    [created.body.id],
  )
  expect(left).toEqual([{ state: 'deleted', groups: 0 }])
})

test('sorts, filters, searches and pages', async () => {
  const groupId = await group('Filtered')
  await server.query(`update users set name = 'Me' where id = $1`, [admin.id])
  for (const name of ['Zoë Alpha', 'adam beta', 'Clara Beta', 'Bob 100%']) await create(name)
  await create('Dora Beta', { groupIds: [groupId], role: 'groupadmin' })
  const names = async (query: Record<string, string | number>) =>
    (await admin.call(listUsers, { params: { orgId }, query })).body.items.map((user) => user.name)
  expect((await names({})).slice(0, 4)).toEqual(['adam beta', 'Bob 100%', 'Clara Beta', 'Dora Beta'])
  expect((await names({ sort: '-name', limit: 1 }))[0]).toBe('Zoë Alpha')
  expect((await names({ sort: '-createdAt', limit: 1 }))[0]).toBe('Dora Beta')
  expect(await names({ q: 'BETA', sort: 'email' })).toEqual(['adam beta', 'Clara Beta', 'Dora Beta'])
  expect(await names({ q: '0%' })).toEqual(['Bob 100%'])
  expect(await names({ q: 'zoë' })).toEqual(['Zoë Alpha'])
  expect(await names({ groupId })).toEqual(['Dora Beta'])
  expect(await names({ role: 'groupadmin' })).toEqual(['Dora Beta'])
  expect(await names({ role: 'none', q: 'clara' })).toEqual(['Clara Beta'])
})

test.each(['name', '-name', 'email', '-createdAt'])(
  'walks every row once by `next`, sorted by %s',
  async (sort) => {
    await server.query(
      `insert into users (organization_id, name, email) select $1::uuid, 'Same name', 'same-' || n || '@' || $1::text || '.test' from generate_series(1, 59) n`,
      [orgId],
    )
    const first = await admin.call(listUsers, { params: { orgId }, query: { sort } })
    expect(first.body.total).toBe(60)
    const seen = first.body.items.map((user) => user.id)
    let next = first.body.next
    while (next) {
      const answer = await admin.send('GET', next)
      const body = answer.body as typeof first.body
      seen.push(...body.items.map((user) => user.id))
      next = body.next
    }
    expect(new Set(seen).size).toBe(60)
    expect(seen).toHaveLength(60)
  },
)

test('counts filtered lists up to 10,000 and unfiltered ones exactly', async () => {
  await server.query(
    `insert into users (organization_id, name, email) select $1::uuid, 'Crowd ' || n, n || '@' || $1::text || '.test' from generate_series(1, 10200) n`,
    [orgId],
  )
  const everybody = await admin.call(listUsers, { params: { orgId } })
  expect(everybody.body).toMatchObject({ total: 10_201 })
  expect(everybody.body.totalIsMinimum).toBeUndefined()
  const found = await admin.call(listUsers, { params: { orgId }, query: { q: 'crowd' } })
  expect(found.body).toMatchObject({ total: 10_000, totalIsMinimum: true })
  const deep = await admin.call(listUsers, { params: { orgId }, query: { offset: 10_000, limit: 5 } })
  expect(deep.body.items).toHaveLength(5)
})

test('shows a groupadmin the members of their groups only, and those groups only', async () => {
  const { person, groupId } = await groupadminOf('Walled')
  const secret = await group('Secret')
  const inside = await create('Inside', { groupIds: [groupId, secret] })
  const outside = await create('Outside', { groupIds: [secret] })
  const list = await person.call(listUsers, { params: { orgId } })
  expect(list.body.total).toBe(2)
  expect(JSON.stringify(list.body)).not.toContain('Outside')
  expect(JSON.stringify(list.body)).not.toContain('Secret')
  const all = await person.call(listUsers, { params: { orgId }, query: { groupId: secret } })
  expect(all.body.items.map((user) => user.id)).toEqual([inside.body.id])
  const read = (userId: string) => person.call(readUser, { params: { orgId, userId } })
  expect((await read(inside.body.id)).body.groups.map((found) => found.name)).toEqual(['Walled'])
  expect((await read(outside.body.id)).status).toBe(404)
})

test('keeps organizations apart, also for a superadmin with the wrong address', async () => {
  const { orgId: elsewhere, admin: stranger } = await anOrganization(server)
  const superadmin = await server.person('superadmin')
  const body = { name: 'Taken over', email: admin.email }
  for (const [person, at] of [
    [stranger, orgId],
    [stranger, elsewhere],
    [superadmin, elsewhere],
  ] as const) {
    const params = { orgId: at, userId: admin.id }
    expect((await person.call(readUser, { params })).status).toBe(404)
    expect((await person.call(updateUser, { params, body })).status).toBe(404)
    expect((await person.call(deleteUser, { params })).status).toBe(404)
  }
  expect((await superadmin.call(readUser, { params: { orgId, userId: admin.id } })).status).toBe(200)
  await superadmin.call(deleteOrganization, { params: { orgId } })
  expect((await superadmin.call(listUsers, { params: { orgId } })).status).toBe(404)
  const late = { name: 'Late', email: 'late@example.test' }
  expect((await superadmin.call(createUser, { params: { orgId }, body: late })).status).toBe(404)
})

test('replays a repeated creation', async () => {
  const call = { params: { orgId }, headers: { 'idempotency-key': 'k' } }
  const body = { name: 'Once', email: 'once@example.test' }
  const first = await admin.call(createUser, { ...call, body })
  expect((await admin.call(createUser, { ...call, body })).body.id).toBe(first.body.id)
  const other = await admin.call(createUser, { ...call, body: { ...body, name: 'Other' } })
  expect(other.problem?.code).toBe('idempotency_key_reused')
})

test('names every field that is wrong', async () => {
  const body = { name: '', email: 'nobody', phone: '1'.repeat(51), groupIds: ['x'] }
  const answer = await admin.call(createUser, { params: { orgId }, body })
  expect(answer.problem?.fields).toEqual({
    name: ['required'],
    email: ['invalid_email'],
    phone: ['too_long'],
    'groupIds.0': ['invalid'],
  })
})
