import { beforeEach, expect, test } from 'vitest'
import { createGroup, deleteGroup } from '#contract/directory/groups.ts'
import { listAccountActivity, reportAccountActivity } from '#contract/reports/reports.ts'
import { createUser } from '#contract/directory/users.ts'
import { daysAgo, valuesOf } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

test('requires sign-in', async () => {
  expect((await server.call(reportAccountActivity)).status).toBe(401)
  expect((await server.call(listAccountActivity)).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(reportAccountActivity)).status).toBe(403)
  expect((await groupadmin.call(listAccountActivity)).status).toBe(403)
})

/** The administrator adds somebody, and a group that a superadmin removes again; a sign-in fails; long ago there was one. */
async function doings() {
  const superadmin = await server.person('superadmin')
  const body = { name: 'Ann Other', email: `ann-${orgId}@example.test` }
  const person = (await admin.call(createUser, { params: { orgId }, body })).body
  const group = (await admin.call(createGroup, { params: { orgId }, body: { name: 'Apollo' } })).body
  await superadmin.call(deleteGroup, { params: { orgId, groupId: group.id } })
  await server.query(
    `insert into audit (organization_id, actor_id, action, entity, entity_id, at)
      values ($1, null, 'auth.sign_in_failed', 'user', $2, now() + interval '1 second'), ($1, $2, 'auth.sign_in', 'user', $2, $3)`,
    [orgId, admin.id, daysAgo(20)],
  )
  return { superadmin, person, group }
}

test('tells who did what, when, and to what', async () => {
  const { superadmin, person, group } = await doings()
  const { items, total } = (await admin.call(listAccountActivity)).body
  expect(total).toBe(5)
  expect(items.map(({ action }) => action)).toEqual([
    'auth.sign_in_failed',
    'group.removed',
    'group.created',
    'user.created',
    'auth.sign_in',
  ])
  const [failed, removed, , created] = items
  expect(failed).toMatchObject({ actor: null, entity: 'user', entityId: admin.id, exists: true })
  // An administrator does not see superadmins, but sees that one of them did it.
  expect(removed?.actor).toEqual({ id: superadmin.id, name: null, organizationId: null })
  expect(removed).toMatchObject({ entityId: group.id, entityName: 'Apollo', exists: false })
  expect(created).toMatchObject({ entityName: 'Ann Other', entityId: person.id, exists: true })
  expect(created?.actor).toMatchObject({ id: admin.id, organizationId: orgId })
  const asked = (await superadmin.call(listAccountActivity, { query: { organizationId: orgId } })).body
  expect(asked.items[1]?.actor).toMatchObject({ id: superadmin.id, name: expect.stringContaining('Person') })
})

test('counts what was done, by kind and by day', async () => {
  await doings()
  const { body } = await admin.call(reportAccountActivity)
  expect(valuesOf(body)).toMatchObject({ actions: 5, people: 2, signIns: 1, failedSignIns: 1 })
  expect(body.kinds).toHaveLength(5)
  expect(body.steps.reduce((sum, { value }) => sum + value, 0)).toBe(5)
  const week = (await admin.call(reportAccountActivity, { query: { period: '7d' } })).body
  expect(week).toMatchObject({ actions: { value: 4, before: 0 }, signIns: { value: 0, before: 0 } })
})

test('finds by action and by who did it', async () => {
  const { superadmin } = await doings()
  const byAction = (await admin.call(listAccountActivity, { query: { action: 'group.created' } })).body
  expect(byAction).toMatchObject({ total: 1, items: [{ entityName: 'Apollo' }] })
  // The name of one test person may be part of another's.
  const query = { organizationId: orgId, q: admin.email }
  const byName = (await superadmin.call(listAccountActivity, { query })).body
  expect(byName.items.map(({ action }) => action)).toEqual(['group.created', 'user.created', 'auth.sign_in'])
  expect((await admin.call(listAccountActivity, { query: { q: 'nobody of that name' } })).body.total).toBe(0)
})

test('a project stands for those below it and for the videos in all of them', async () => {
  const insert = async (text: string, values: unknown[]): Promise<string> => {
    const found = await server.query<{ id: string }>(text, values)
    return found[0]?.id ?? ''
  }
  const project = `insert into projects (organization_id, name, parent_id) values ($1, $2, $3) returning id`
  const above = await insert(project, [orgId, 'Safety', null])
  const below = await insert(project, [orgId, 'Fire', above])
  const otherGroup = await insert(project, [orgId, 'Sales', null])
  const video = `insert into videos (organization_id, project_id, title, state) values ($1, $2, 'Drill', 'ready') returning id`
  const drill = await insert(video, [orgId, below])
  for (const [entity, id] of [
    ['project', above],
    ['project', below],
    ['video', drill],
    ['project', otherGroup],
  ])
    await insert(
      `insert into audit (organization_id, actor_id, action, entity, entity_id)
        values ($1, $2, 'project.changed', $3, $4) returning id`,
      [orgId, admin.id, entity, id],
    )
  const actionsOf = async (projectId: string) =>
    (await admin.call(reportAccountActivity, { query: { projectId } })).body.actions.value
  expect([await actionsOf(above), await actionsOf(below), await actionsOf(otherGroup)]).toEqual([3, 2, 1])
})

test('shows nothing of another organization', async () => {
  await doings()
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(listAccountActivity)).body.items).toEqual([])
  const report = (await stranger.call(reportAccountActivity)).body
  expect(valuesOf(report)).toMatchObject({ actions: 0, kinds: [] })
  for (const endpoint of [reportAccountActivity, listAccountActivity])
    expect((await stranger.call(endpoint, { query: { organizationId: orgId } })).status).toBe(404)
})

test('goes through all entries once, in both orders', async () => {
  await doings()
  for (const sort of ['at', '-action']) {
    const found: string[] = []
    let url: string | null = `/api${listAccountActivity.path}?limit=2&sort=${sort}`
    while (url !== null) {
      const page = listAccountActivity.reply.parse((await admin.send('GET', url)).body)
      found.push(...page.items.map(({ id }) => id))
      url = page.next
    }
    expect(found).toHaveLength(5)
    expect(new Set(found).size).toBe(5)
  }
})
