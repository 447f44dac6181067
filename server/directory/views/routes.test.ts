import { beforeEach, expect, test } from 'vitest'
import {
  adminLists,
  createView,
  deleteView,
  listViews,
  updateView,
  viewedReports,
} from '#contract/directory/views.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let admin: Person
let colleague: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  colleague = await server.person('admin', orgId)
})

const save = (person: Person, more: object = {}) =>
  person.call(createView, {
    body: { list: 'users', organizationId: orgId, name: 'Invited', search: { state: 'invited' }, ...more },
  })
const namesFor = async (person: Person, list: 'users' | 'groups' = 'users') => {
  const answer = await person.call(listViews, { query: { list, organizationId: orgId } })
  return answer.body.items.map(({ name }) => name)
}

test('requires sign-in', async () => {
  expect((await server.call(listViews, { query: { list: 'users', organizationId: orgId } })).status).toBe(401)
})

test('requires role', async () => {
  const recipient = await server.person(null, orgId)
  expect((await recipient.call(listViews, { query: { list: 'users', organizationId: orgId } })).status).toBe(
    401,
  )
})

test('keeps a view for oneself, and for nobody else', async () => {
  const saved = await save(admin)
  expect(saved.status).toBe(201)
  expect(saved.body).toMatchObject({
    search: { state: 'invited' },
    shared: false,
    own: true,
    mayRemove: true,
  })
  expect(await namesFor(admin)).toEqual(['Invited'])
  expect(await namesFor(admin, 'groups')).toEqual([])
  expect(await namesFor(colleague)).toEqual([])
  const viewId = saved.body.id
  expect((await colleague.call(deleteView, { params: { viewId } })).status).toBe(404)
})

test('shares a view with the organization; its owner changes it, an administrator may remove it', async () => {
  const { id: viewId } = (await save(admin, { shared: true })).body
  const groupadmin = await server.person('groupadmin', orgId)
  for (const person of [colleague, groupadmin]) expect(await namesFor(person)).toEqual(['Invited'])
  const seen = await colleague.call(listViews, { query: { list: 'users', organizationId: orgId } })
  expect(seen.body.items[0]).toMatchObject({
    own: false,
    mayRemove: true,
    ownerName: expect.stringContaining('Person') as string,
  })
  const rename = { params: { viewId }, body: { name: 'Mine now' } }
  expect((await colleague.call(updateView, rename)).status).toBe(404)
  expect((await groupadmin.call(deleteView, { params: { viewId } })).status).toBe(404)
  expect((await colleague.call(deleteView, { params: { viewId } })).status).toBe(200)
  expect(await namesFor(admin)).toEqual([])
})

test('renames, replaces and stops sharing, and writes down each', async () => {
  const { id: viewId } = (await save(admin, { shared: true })).body
  const body = { name: 'Not seen', search: { seen: 'not90' }, shared: false }
  const changed = await admin.call(updateView, { params: { viewId }, body })
  expect(changed.body).toMatchObject(body)
  expect(await namesFor(colleague)).toEqual([])
  await admin.call(deleteView, { params: { viewId } })
  const written = await server.query<{ action: string }>(
    `select action from audit where entity_id = $1 order by at, id`,
    [viewId],
  )
  expect(written.map(({ action }) => action)).toEqual(['view.created', 'view.changed', 'view.removed'])
})

test('says that a name is taken, each person having names of their own', async () => {
  await save(admin)
  const again = await save(admin, { name: 'INVITED' })
  expect(again.problem).toMatchObject({ code: 'already_exists', fields: { name: ['taken'] } })
  expect((await save(colleague)).status).toBe(201)
  expect((await save(admin, { list: 'groups' })).status).toBe(201)
})

test('lets a groupadmin keep views, and share none', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  const saved = await save(groupadmin)
  expect(saved.status).toBe(201)
  expect((await save(groupadmin, { name: 'For all', shared: true })).status).toBe(403)
  const share = { params: { viewId: saved.body.id }, body: { shared: true } }
  expect((await groupadmin.call(updateView, share)).status).toBe(403)
})

test('keeps views of all organizations among superadmins', async () => {
  const [superadmin, other] = [
    await server.person('superadmin', null),
    await server.person('superadmin', null),
  ]
  const body = {
    list: 'organizations' as const,
    name: `Big ${orgId}`,
    search: { sort: '-users' },
    shared: true,
  }
  expect((await superadmin.call(createView, { body })).status).toBe(201)
  const seen = await other.call(listViews, { query: { list: 'organizations' } })
  expect(seen.body.items.map(({ name }) => name)).toContain(body.name)
  expect((await admin.call(listViews, { query: { list: 'organizations' } })).status).toBe(403)
})

test('keeps views of content, transmissions, training and reports for those who may open them', async () => {
  const [superadmin, groupadmin] = [
    await server.person('superadmin', null),
    await server.person('groupadmin', orgId),
  ]
  for (const list of ['content', 'transmissions', 'training', ...viewedReports] as const) {
    const everywhere = { list, name: `All ${list} ${orgId}`, search: { state: 'ready' } }
    expect((await superadmin.call(createView, { body: everywhere })).body).toMatchObject({ own: true })
    expect((await save(admin, { list })).status).toBe(201)
    const seen = await admin.call(listViews, { query: { list, organizationId: orgId } })
    expect(seen.body.items.map(({ name }) => name)).toEqual(['Invited'])
    expect((await admin.call(listViews, { query: { list } })).status).toBe(422)
    expect((await save(groupadmin, { list })).status).toBe(adminLists.has(list) ? 403 : 201)
  }
})

test('keeps views of what was removed, of viewers and of quiz results for those who may open them', async () => {
  const [superadmin, groupadmin] = [
    await server.person('superadmin', null),
    await server.person('groupadmin', orgId),
  ]
  for (const list of ['removed', 'viewers', 'quiz-people'] as const) {
    expect((await save(admin, { list })).status).toBe(201)
    expect((await save(groupadmin, { list })).status).toBe(list === 'removed' ? 201 : 403)
    const everywhere = { list, name: 'All', search: {} }
    expect((await superadmin.call(createView, { body: everywhere })).status).toBe(
      list === 'removed' ? 201 : 422,
    )
  }
})

test('tells another organization nothing', async () => {
  const { id: viewId } = (await save(admin, { shared: true })).body
  const stranger = await server.person('admin', await server.organization())
  const query = { list: 'users' as const, organizationId: orgId }
  expect((await stranger.call(listViews, { query })).status).toBe(404)
  expect((await save(stranger)).status).toBe(404)
  expect((await stranger.call(updateView, { params: { viewId }, body: { name: 'X' } })).status).toBe(404)
  expect((await stranger.call(deleteView, { params: { viewId } })).status).toBe(404)
})
