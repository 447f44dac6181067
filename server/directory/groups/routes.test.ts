import { beforeEach, expect, test } from 'vitest'
import {
  addGroupUsers,
  createGroup,
  deleteGroup,
  listGroups,
  readGroup,
  removeGroupUser,
  updateGroup,
} from '#contract/directory/groups.ts'
import { readUser, updateUser } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const create = (name: string, by: Person = admin) =>
  by.call(createGroup, { params: { orgId }, body: { name } })
const add = (groupId: string, userIds: string[], by: Person = admin) =>
  by.call(addGroupUsers, { params: { orgId, groupId }, body: { userIds } })

test('requires sign-in', async () => {
  expect((await server.call(listGroups, { params: { orgId } })).status).toBe(401)
})

test('requires role', async () => {
  const recipient = await server.person(null, orgId)
  expect((await recipient.call(listGroups, { params: { orgId } })).status).toBe(401)
  const stranger = await server.person('admin', await server.organization())
  expect((await create('Theirs', stranger)).status).toBe(404)
})

test('creates, changes and removes; a name is unique whatever its case', async () => {
  const created = await create('Sales')
  expect(created.body).toMatchObject({ name: 'Sales', memberCount: 0, description: null })
  expect((await create('SALES')).problem).toMatchObject({
    code: 'already_exists',
    fields: { name: ['taken'] },
  })
  const params = { orgId, groupId: created.body.id }
  const headers = { 'if-match': String(created.headers['etag']) }
  const body = { name: 'Sales team', description: 'All of it' }
  const changed = await admin.call(updateGroup, { params, headers, body })
  expect(changed.body).toMatchObject(body)
  const late = await admin.call(updateGroup, { params, headers, body })
  expect(late.problem?.code).toBe('precondition_failed')
  expect((await admin.call(deleteGroup, { params })).status).toBe(200)
  expect((await admin.call(readGroup, { params })).status).toBe(404)
  expect((await create('Sales team')).status).toBe(201)
})

test('adds users once, however often they are added', async () => {
  const { id } = (await create('Team')).body
  const people = [await server.person(null, orgId), await server.person(null, orgId)]
  const ids = people.map((person) => person.id)
  expect((await add(id, [...ids, ...ids])).body).toEqual({ added: 2, memberCount: 2 })
  expect((await add(id, ids)).body).toEqual({ added: 0, memberCount: 2 })
  const params = { orgId, groupId: id, userId: ids[0] ?? '' }
  expect((await admin.call(removeGroupUser, { params })).status).toBe(200)
  expect((await admin.call(removeGroupUser, { params })).status).toBe(404)
  expect((await admin.call(readGroup, { params })).body.memberCount).toBe(1)
})

test('being put into a group or taken out of it counts as a change of the person', async () => {
  const { id } = (await create('Team')).body
  const one = await server.person(null, orgId)
  const at = { params: { orgId, userId: one.id } }
  const seen = async () => String((await admin.call(readUser, at)).headers['etag'])
  const save = (etag: string) =>
    admin.call(updateUser, {
      ...at,
      headers: { 'if-match': etag },
      body: { name: 'One', email: 'one@example.test', groupIds: [] },
    })
  const before = await seen()
  await add(id, [one.id])
  expect((await save(before)).problem?.code).toBe('precondition_failed')
  const within = await seen()
  await add(id, [one.id])
  expect(await seen()).toBe(within)
  await admin.call(removeGroupUser, { params: { orgId, groupId: id, userId: one.id } })
  expect((await save(within)).problem?.code).toBe('precondition_failed')
  expect((await save(await seen())).status).toBe(200)
})

test('whoever edits a person and whoever takes them out of a group never wait for each other crosswise', async () => {
  const { id } = (await create('Team')).body
  const one = await server.person(null, orgId)
  await add(id, [one.id])
  const editor = await server.services.db.system.connect()
  await editor.query('begin')
  await editor.query('select 1 from users where id = $1 for no key update', [one.id])
  const removal = admin.call(removeGroupUser, { params: { orgId, groupId: id, userId: one.id } })
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await server.services.db.system.query(waiting)).rowCount).toBe(1)
  await editor.query('delete from group_members where group_id = $1 and user_id = $2', [id, one.id])
  await editor.query('rollback')
  editor.release()
  expect((await removal).status).toBe(200)
})

test('refuses the whole call when one user is not theirs to add, and names nobody', async () => {
  const { id } = (await create('Team')).body
  const own = await server.person(null, orgId)
  const foreign = await server.person(null, await server.organization())
  const refused = await add(id, [own.id, foreign.id])
  expect(refused.problem?.code).toBe('not_found')
  expect(JSON.stringify(refused.problem)).not.toContain(foreign.id)
  expect((await admin.call(readGroup, { params: { orgId, groupId: id } })).body.memberCount).toBe(0)
})

test('wants path and body to agree', async () => {
  const [one, two] = [(await create('One')).body.id, (await create('Two')).body.id]
  const person = await server.person(null, orgId)
  const body = { userIds: [person.id], organizationId: orgId, groupId: two }
  expect((await admin.call(addGroupUsers, { params: { orgId, groupId: one }, body })).status).toBe(404)
  const agreed = await admin.call(addGroupUsers, { params: { orgId, groupId: two }, body })
  expect(agreed.body.added).toBe(1)
})

test('walls a groupadmin in: own groups, and people in sight', async () => {
  const person = await server.person('groupadmin', orgId)
  const foreign = (await create('Not theirs')).body.id
  const stranger = await server.person(null, orgId)
  await add(foreign, [stranger.id])
  expect((await person.call(listGroups, { params: { orgId } })).body.total).toBe(0)
  const mine = await create('Mine', person)
  expect(mine.body).toMatchObject({ memberCount: 1 })
  const list = await person.call(listGroups, { params: { orgId } })
  expect(list.body).toMatchObject({ total: 1, items: [{ id: mine.body.id, memberCount: 1 }] })
  const params = { orgId, groupId: foreign }
  expect((await person.call(readGroup, { params })).status).toBe(404)
  expect((await person.call(updateGroup, { params, body: { name: 'Taken' } })).status).toBe(404)
  expect((await person.call(deleteGroup, { params })).status).toBe(404)
  expect((await add(foreign, [person.id], person)).status).toBe(404)
  expect((await add(mine.body.id, [stranger.id], person)).status).toBe(404)
  const known = await server.person(null, orgId)
  await add(mine.body.id, [known.id])
  const second = (await create('Mine too', person)).body.id
  expect((await add(second, [known.id], person)).body.added).toBe(1)
  const self = { orgId, groupId: second, userId: person.id }
  expect((await person.call(removeGroupUser, { params: self })).problem?.code).toBe('conflict')
})

test('finds, sorts and walks', async () => {
  for (const n of ['b', 'a', 'c']) await create(`Group ${n}`)
  const first = await admin.call(listGroups, { params: { orgId }, query: { limit: 2 } })
  expect(first.body).toMatchObject({ total: 3, items: [{ name: 'Group a' }, { name: 'Group b' }] })
  const nextPage = await admin.send('GET', first.body.next ?? '')
  expect(nextPage.body).toMatchObject({ items: [{ name: 'Group c' }], next: null })
  const found = await admin.call(listGroups, { params: { orgId }, query: { q: 'UP C' } })
  expect(found.body).toMatchObject({ total: 1, items: [{ name: 'Group c' }] })
  const newest = await admin.call(listGroups, { params: { orgId }, query: { sort: '-createdAt' } })
  expect(newest.body.items[0]).toMatchObject({ name: 'Group c' })
})

test('survives bad and huge input', async () => {
  const { id } = (await create('Team')).body
  expect((await add(id, [])).problem?.fields).toEqual({ userIds: ['required'] })
  const many = Array.from({ length: 1_001 }, () => admin.id)
  expect((await add(id, many)).problem?.fields).toEqual({ userIds: ['too_long'] })
  expect((await add(id, ['no-id'])).status).toBe(422)
  expect((await create('x'.repeat(201))).status).toBe(422)
})

test('replays a repeated creation', async () => {
  const call = { params: { orgId }, headers: { 'idempotency-key': 'k' }, body: { name: 'Once' } }
  const first = await admin.call(createGroup, call)
  expect((await admin.call(createGroup, call)).body.id).toBe(first.body.id)
})
