import { beforeEach, expect, test } from 'vitest'
import {
  checkFieldValue,
  createField,
  deleteField,
  listFields,
  listRemovedFields,
  mostFields,
  orderFields,
  restoreField,
  updateField,
  type FieldType,
} from '#contract/directory/fields.ts'
import { createUser, readUser, updateUser } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { eraseFields } from './erase.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const add = (label: string, type: FieldType = 'text', options: string[] = []) =>
  admin.call(createField, { params: { orgId }, body: { label, type, options } })
const labels = async () =>
  (await admin.call(listFields, { params: { orgId } })).body.items.map(({ label }) => label)
const person = (customFields: Record<string, string>, name = 'Ada') =>
  admin.call(createUser, {
    params: { orgId },
    body: { name, email: `${crypto.randomUUID()}@example.test`, customFields },
  })

test.each([
  ['text', '  Sales ', 'Sales'],
  ['number', '007.50', '7.5'],
  ['number', '-0', '0'],
  ['number', '+12', '12'],
  ['number', '1,5', undefined],
  ['number', '1e3', undefined],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2025-02-29', undefined],
  ['date', '29.02.2024', undefined],
  ['choice', 'oslo', 'Oslo'],
  ['choice', 'Paris', undefined],
  ['number', '  ', ''],
] as const)('a %s keeps %j as %j', (type, given, stored) => {
  const checked = checkFieldValue({ type, options: ['Oslo'] }, given)
  expect('value' in checked ? checked.value : undefined).toBe(stored)
})

test('adds, renames, orders and removes fields; the key stays', async () => {
  const site = await add('Cost centre (Ål)')
  expect(site.body).toMatchObject({ key: 'cost_centre_al', type: 'text', options: [], removedAt: null })
  const team = (await add('Team', 'choice', ['IT', 'Sales'])).body
  expect((await add('TEAM')).problem?.fields).toEqual({ label: ['taken'] })
  expect((await add('Level', 'choice')).problem?.fields).toEqual({ options: ['required'] })
  const params = { orgId, fieldId: team.id }
  const changed = await admin.call(updateField, { params, body: { label: 'Crew', options: ['IT'] } })
  expect(changed.body).toMatchObject({ key: 'team', label: 'Crew', options: ['IT'] })
  const ids = [team.id, site.body.id]
  expect((await admin.call(orderFields, { params: { orgId }, body: { fieldIds: ids } })).status).toBe(200)
  expect(await labels()).toEqual(['Crew', 'Cost centre (Ål)'])
  const half = await admin.call(orderFields, { params: { orgId }, body: { fieldIds: [team.id] } })
  expect(half.problem?.code).toBe('conflict')
  await admin.call(deleteField, { params })
  expect(await labels()).toEqual(['Cost centre (Ål)'])
})

test('keeps what people have, and refuses what does not fit, at its field', async () => {
  await add('Team')
  await add('Level', 'number')
  await add('Joined', 'date')
  await add('Site', 'choice', ['Oslo'])
  const wrong = await person({ level: 'x', joined: 'x', site: 'x', other: 'x' })
  expect(wrong.problem?.fields).toEqual({
    'customFields.level': ['invalid_number'],
    'customFields.joined': ['invalid_date'],
    'customFields.site': ['not_a_choice'],
    'customFields.other': ['unknown_field'],
  })
  const right = await person({ team: ' IT ', level: '3.0', joined: '2026-01-31', site: 'OSLO' })
  expect(right.body.customFields).toEqual({ team: 'IT', level: '3', joined: '2026-01-31', site: 'Oslo' })
  const { id: userId, name, email } = right.body
  const change = (customFields: Record<string, string>) =>
    admin.call(updateUser, { params: { orgId, userId }, body: { name, email, customFields } })
  expect((await change({ team: '' })).body.customFields).toEqual({
    level: '3',
    joined: '2026-01-31',
    site: 'Oslo',
  })
  expect((await change({ level: 'x' })).status).toBe(422)
})

test('a choice that is taken away stays with those who have it', async () => {
  const site = (await add('Site', 'choice', ['Oslo', 'Bergen'])).body
  const { id: userId, name, email } = (await person({ site: 'Bergen' })).body
  await admin.call(updateField, {
    params: { orgId, fieldId: site.id },
    body: { label: 'Site', options: ['Oslo'] },
  })
  const body = { name, email, customFields: { site: 'Bergen' } }
  const params = { orgId, userId }
  expect((await admin.call(updateUser, { params, body })).body.customFields).toEqual({ site: 'Bergen' })
  expect((await person({ site: 'Bergen' }, 'Ben')).status).toBe(422)
})

test('a removed field is seen nowhere, comes back with its values, and is deleted for good after its days', async () => {
  const team = (await add('Team')).body
  const { id: userId } = (await person({ team: 'IT' })).body
  const params = { orgId, fieldId: team.id }
  const valuesOf = async () => (await admin.call(readUser, { params: { orgId, userId } })).body.customFields
  await admin.call(deleteField, { params })
  expect(await valuesOf()).toEqual({})
  // The new field must not show what people had in the old one.
  const second = (await add('Team')).body
  expect(second.key).toBe('team_2')
  expect(await valuesOf()).toEqual({})
  await admin.call(deleteField, { params: { orgId, fieldId: second.id } })
  const removed = await admin.call(listRemovedFields, { params: { orgId } })
  expect(removed.body.items.map(({ key }) => key)).toEqual(['team_2', 'team'])
  await admin.call(restoreField, { params })
  expect(await valuesOf()).toEqual({ team: 'IT' })
  await admin.call(deleteField, { params })
  const { db } = server.services
  await db.system.query(`update custom_fields set deleted_at = now() - interval '31 days' where id = $1`, [
    team.id,
  ])
  expect((await admin.call(restoreField, { params })).status).toBe(404)
  await eraseFields(db)
  const left = await db.system.query<{ custom_fields: object }>(
    'select custom_fields from users where id = $1',
    [userId],
  )
  expect(left.rows).toEqual([{ custom_fields: {} }])
})

test('an organization has only so many fields', async () => {
  for (let n = 0; n < mostFields; n += 1) expect((await add(`Field ${n}`)).status).toBe(201)
  expect((await add('One more')).problem?.code).toBe('conflict')
})

test('everybody with a role reads the fields, only administrators change them', async () => {
  await add('Team')
  const boss = await server.person('groupadmin', orgId)
  expect((await boss.call(listFields, { params: { orgId } })).body.items).toHaveLength(1)
  const body = { label: 'Mine', type: 'text' as const }
  expect((await boss.call(createField, { params: { orgId }, body })).status).toBe(403)
})
