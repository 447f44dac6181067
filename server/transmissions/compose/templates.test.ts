import { beforeEach, expect, test } from 'vitest'
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
  mostTemplates,
  readTemplate,
  updateTemplate,
} from '#contract/transmissions/templates.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const welcome = { name: 'Welcome', subject: 'Hello {{firstName|there}}', message: 'See **{{video}}**.' }
const add = (more: object = {}, by = admin) =>
  by.call(createTemplate, { params: { orgId }, body: { ...welcome, ...more } })

test('requires sign-in', async () => {
  expect((await server.call(listTemplates, { params: { orgId } })).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(listTemplates, { params: { orgId } })).status).toBe(403)
  expect((await add({}, groupadmin)).status).toBe(403)
})

test('is kept, listed by name with its beginning, read, changed and removed; the log says so', async () => {
  const made = await add()
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject(welcome)
  await add({ name: 'again', subject: '', message: 'x'.repeat(20_000) })
  const { items } = (await admin.call(listTemplates, { params: { orgId } })).body
  expect(items.map(({ name, beginning }) => [name, beginning.length])).toEqual([
    ['again', 200],
    ['Welcome', welcome.message.length],
  ])
  const params = { orgId, templateId: made.body.id }
  const changed = await admin.call(updateTemplate, { params, body: { ...welcome, subject: 'Other' } })
  expect(changed.body.subject).toBe('Other')
  expect((await admin.call(readTemplate, { params })).body).toEqual(changed.body)
  const root = await server.person('superadmin', null)
  expect((await root.call(deleteTemplate, { params })).status).toBe(200)
  expect((await admin.call(readTemplate, { params })).status).toBe(404)
  // Undone by keeping it once more.
  expect((await add()).status).toBe(201)
  const entries = await server.query<{ action: string }>(
    `select action from audit where organization_id = $1 and entity = 'message_template' order by at, id`,
    [orgId],
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'template.created',
    'template.created',
    'template.changed',
    'template.removed',
    'template.created',
  ])
})

test('a name is taken once, whatever its case, and in each organization for itself', async () => {
  await add()
  expect((await add({ name: ' WELCOME ' })).problem?.fields).toEqual({ name: ['taken'] })
  const other = await add({ name: 'Other' })
  const params = { orgId, templateId: other.body.id }
  const taken = await admin.call(updateTemplate, { params, body: welcome })
  expect(taken.problem?.fields).toEqual({ name: ['taken'] })
  ;({ orgId, admin } = await anOrganization(server))
  expect((await add()).status).toBe(201)
})

test('what somebody else has saved meanwhile is not overwritten', async () => {
  const made = await add()
  const params = { orgId, templateId: made.body.id }
  const read = await admin.send('GET', `/api/organizations/${orgId}/message-templates/${made.body.id}`)
  const etag = String(read.headers['etag'])
  await server.query(`update message_templates set updated_at = now() + interval '1 second' where id = $1`, [
    made.body.id,
  ])
  const stale = await admin.send('PUT', `/api/organizations/${orgId}/message-templates/${made.body.id}`, {
    body: { ...welcome, message: 'Mine' },
    headers: { 'if-match': etag },
  })
  expect(stale.status).toBe(412)
  expect((await admin.call(readTemplate, { params })).body.message).toBe(welcome.message)
})

test('what could not be sent is no template', async () => {
  expect((await add({ message: 'Hello {{fristName}}' })).problem).toMatchObject({
    fields: { message: ['invalid'] },
    reason: { params: { near: '{{firstName}}' } },
  })
  expect((await add({ subject: '{{' })).problem?.fields).toEqual({ subject: ['invalid'] })
  expect((await add({ message: ' ' })).problem?.fields).toEqual({ message: ['required'] })
  expect((await add({ message: 'x'.repeat(20_001) })).problem?.fields).toEqual({ message: ['too_long'] })
  expect((await add({ name: 'a\nb' })).problem?.fields).toEqual({ name: ['hidden_characters'] })
})

test('another organization sees, changes and removes none of them', async () => {
  const { id: templateId } = (await add()).body
  const { orgId: foreign, admin: stranger } = await anOrganization(server)
  expect((await stranger.call(listTemplates, { params: { orgId } })).status).toBe(404)
  for (const params of [
    { orgId, templateId },
    { orgId: foreign, templateId },
  ]) {
    expect((await stranger.call(readTemplate, { params })).status).toBe(404)
    expect((await stranger.call(updateTemplate, { params, body: welcome })).status).toBe(404)
    expect((await stranger.call(deleteTemplate, { params })).status).toBe(404)
  }
  expect((await admin.call(listTemplates, { params: { orgId } })).body.items).toHaveLength(1)
})

test('an organization has only so many', async () => {
  await server.query(
    `insert into message_templates (organization_id, name, subject, message) select $1, 'Template ' || n, '', 'x' from generate_series(1, $2::int) n`,
    [orgId, mostTemplates - 1],
  )
  const both = await Promise.all([add({ name: 'One' }), add({ name: 'Two' })])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
})
