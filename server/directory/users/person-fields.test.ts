import { expect, test } from 'vitest'
import { importTargets } from '#contract/imports/imports.ts'
import { personFields } from '#contract/directory/person-fields.ts'
import { readUser, updateUser, User, UserInput } from '#contract/directory/users.ts'
import { importing, withImports } from '../../testing/imports.ts'
import type { Person, TestServer } from '../../testing/server.ts'
import { anOrganization } from '../../testing/worlds.ts'
import { personalTables } from './personal.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))
const { create, exported, rehearsed, run, undo, named } = importing(() => ({ server, orgId, admin }))

const places = Object.values(personFields)
const present = <T>(values: readonly (T | null)[]) => values.filter((value) => value !== null)

/** Columns that the API says nothing of: they serve sign-in, search and erasure. */
const internal =
  'search called password_hash password_changed_at password_expired role_since erased_at deleted_at'.split(
    ' ',
  )

test('the table has the fields of the contract, and no other', () => {
  const inContract = new Set([...Object.keys(User.shape), ...Object.keys(UserInput.shape)])
  expect(Object.keys(personFields).toSorted()).toEqual([...inContract].toSorted())
  const asked = Object.entries(personFields).flatMap(([field, { form }]) => (form ? [field] : []))
  expect(asked.toSorted()).toEqual(Object.keys(UserInput.shape).toSorted())
})

test('every column of a person is a field of the table, or serves the product alone', () => {
  const { fields = {}, otherColumns = '' } = personalTables['users'] ?? {}
  const there = [...Object.keys(fields), ...otherColumns.split(' ')]
  expect([...present(places.map(({ column }) => column)), ...internal].toSorted()).toEqual(there.toSorted())
})

test('an import takes what the table says', () => {
  expect(
    present(places.map((one) => one.import))
      .flat()
      .toSorted(),
  ).toEqual(Object.keys(importTargets).toSorted())
})

/** Fields that somebody types: text that says whose it is, another one for each `of`. */
const typed = Object.entries(personFields).flatMap(([field, one]) =>
  one.form && one.import && !['language', 'timeZone', 'manager', 'role', 'state'].includes(field)
    ? [field]
    : [],
)
const filled = (of: string) =>
  Object.fromEntries(
    typed.map((field) => [field, `${of}-${field}${field === 'email' ? '@example.test' : ''}`]),
  )

test('what is typed into each field is kept, when somebody is added and when they are changed', async () => {
  const { id: userId } = await create('first', filled('first'))
  const params = { orgId, userId }
  expect((await admin.call(readUser, { params })).body).toMatchObject(filled('first'))
  const body = UserInput.parse(filled('second'))
  expect((await admin.call(updateUser, { params, body })).status).toBe(200)
  expect((await admin.call(readUser, { params })).body).toMatchObject(body)
})

test('what is exported of somebody arrives in another organization by import', async () => {
  await create('first', filled('first'))
  const lines = (await exported()).split('\r\n').filter((line, n) => n === 0 || line.includes('first-name'))
  ;({ orgId, admin } = await anOrganization(server))
  const { id } = await rehearsed(lines.join('\r\n'))
  await run(id)
  expect(await named('first-name')).toMatchObject(filled('first'))
})

test('a language is kept, exported and imported, and may be cleared, but none that is not spoken here', async () => {
  const { id: userId } = await create('first', { language: 'de' })
  const params = { orgId, userId }
  expect((await admin.call(readUser, { params })).body).toMatchObject({ language: 'de' })
  const unknown = { name: 'first', email: 'first@example.test', language: 'tlh' }
  const refused = await admin.send('PUT', `/api/organizations/${orgId}/users/${userId}`, { body: unknown })
  expect(refused.status).toBe(422)
  const body = { name: 'first', email: 'first@example.test', language: null }
  expect((await admin.call(updateUser, { params, body })).body).toMatchObject({ language: null })
  const { id, counts } = await rehearsed(
    'name,email,language\nNew,n@example.test,de-AT\nOther,o@example.test,Englisch\nNobody,x@example.test,Klingon',
  )
  expect(counts).toMatchObject({ created: 3 })
  await run(id)
  expect([await named('New'), await named('Other'), await named('Nobody')]).toMatchObject([
    { language: 'de' },
    { language: 'en' },
    { language: null },
  ])
  const line = (await exported()).split('\r\n').find((one) => one.startsWith('New,'))
  expect(line?.split(',')).toContain('de')
})

test('a time zone is a place, whether it is typed or imported, and may be cleared', async () => {
  const { id: userId } = await create('zoned', { timeZone: 'Asia/Tokyo' })
  const params = { orgId, userId }
  expect((await admin.call(readUser, { params })).body).toMatchObject({ timeZone: 'Asia/Tokyo' })
  const set = (timeZone: string | null) =>
    admin.call(updateUser, { params, body: { name: 'zoned', email: 'zoned@example.test', timeZone } })
  for (const wrong of ['Mars/Olympus', '+05:30', 'Etc/GMT+5', "'; select 1"])
    expect([wrong, (await set(wrong)).status]).toEqual([wrong, 422])
  expect((await set(null)).body).toMatchObject({ timeZone: null })
  const { id, counts } = await rehearsed(
    'name,email,Zeitzone\nEast,e@example.test,asia/tokyo\nWest,w@example.test,America/New York\nNowhere,z@example.test,Mars/Olympus',
  )
  expect(counts).toMatchObject({ created: 3 })
  await run(id)
  expect([await named('East'), await named('West'), await named('Nowhere')]).toMatchObject([
    { timeZone: 'Asia/Tokyo' },
    { timeZone: 'America/New_York' },
    { timeZone: null },
  ])
  const line = (await exported()).split('\r\n').find((one) => one.startsWith('East,'))
  expect(line?.split(',')).toContain('Asia/Tokyo')
})

test('a manager is somebody else of the organization, in whatever order a file names them, and follows their address', async () => {
  const file =
    'Name,Email,External ID,Manager\nBoss,boss@example.test,b-1,\nFirst,f@example.test,,b-1\nLast,l@example.test,,BOSS@example.test\n'
  await run((await rehearsed(file)).id)
  expect([(await named('First'))?.manager, (await named('Last'))?.manager]).toEqual([
    'b-1',
    'BOSS@example.test',
  ])
  const { id: userId = '' } = (await named('Boss')) ?? {}
  const change = (body: object) =>
    admin.call(updateUser, {
      params: { orgId, userId },
      body: { name: 'Boss', email: 'boss@example.test', ...body },
    })
  for (const manager of ['b-1', 'nobody@example.test', 'boss@example.test'])
    expect((await change({ manager })).problem?.fields).toEqual({ manager: ['not_found'] })
  expect((await change({ manager: 'f@example.test' })).status).toBe(200)
  expect((await change({ email: 'chief@example.test', externalId: null })).status).toBe(200)
  expect([(await named('First'))?.manager, (await named('Last'))?.manager]).toEqual([
    'chief@example.test',
    'chief@example.test',
  ])
  const line = (await exported()).split('\r\n').find((one) => one.startsWith('Last,'))
  expect(line?.split(',')).toContain('chief@example.test')
})

test('an import changes each field of somebody who is here, and gives it back when it is undone', async () => {
  await create('first', filled('first'))
  const { email } = filled('first')
  const wanted: Record<string, unknown> = { ...filled('second'), email }
  const headings = typed.map((field) => personFields[field as keyof User].export)
  const { id } = await rehearsed([headings, typed.map((field) => wanted[field])].join('\n'), {
    matchBy: 'email',
  })
  await run(id)
  expect(await named('second-name')).toMatchObject(wanted)
  await undo(id)
  expect(await named('first-name')).toMatchObject(filled('first'))
})

test('the exported list and the file about a person have what the table says', async () => {
  const headings = (await exported()).replace('\uFEFF', '').split('\r\n')[0]?.split(',')
  expect(headings?.toSorted()).toEqual(present(places.map((one) => one.export)).toSorted())
  const file = await admin.send('GET', `/api/organizations/${orgId}/users/${admin.id}/data-export`)
  const [profile = {}] = (file.body as { profile: object[] }).profile
  const filed = [...present(places.map((one) => one.file)), 'hasPicture']
  expect(Object.keys(profile).toSorted()).toEqual(filed.toSorted())
})
