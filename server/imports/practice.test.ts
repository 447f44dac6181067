import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createField } from '#contract/directory/fields.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { rehearseImport, restoreForImport, updateImport } from '#contract/imports/imports.ts'
import { findRemoved, restoreUser } from '#contract/directory/removed-users.ts'
import { createUser, deleteUser } from '#contract/directory/users.ts'
import { importing, withImports } from '../testing/imports.ts'
import type { Person, TestServer } from '../testing/server.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))

const { params, at, upload, rehearsed, run, undo, create, told, named, people, exported, mendOf, query } =
  importing(() => ({ server, orgId, admin }))

/** Files as they come in practice. */
const fileOf = (name: string) => readFileSync(new URL(`cases/${name}`, import.meta.url), 'utf8')
const field = (label: string, type: 'number' | 'date' | 'text' | 'choice', options: string[] = []) =>
  admin.call(createField, { params: params(), body: { label, type, options } })
const group = async (name: string) =>
  (await admin.call(createGroup, { params: params(), body: { name } })).body.id

test('a row of commas is no row, and the others keep their numbers', async () => {
  const { id, total, counts } = await rehearsed(fileOf('import-edges.csv'))
  expect([total, counts]).toEqual([1, { created: 1 }])
  const { id: other } = await rehearsed('\n,\nname,email\n,,\n\nAda,ada@\n')
  expect((await told(other)).map(([row]) => row)).toEqual([6])
  await run(id)
})

test('every address that mail systems take comes in by the file and by the form alike', async () => {
  const { id, counts } = await rehearsed(fileOf('emails.csv'))
  expect(counts).toEqual({ created: 5 })
  await run(id)
  expect((await named('A'))?.email).toBe('anna@xn--mller-kva.example')
  const rule = {
    match: 'all' as const,
    conditions: [{ about: 'emailDomain' as const, is: 'one_of' as const, values: ['@MÜLLER.example'] }],
  }
  const ruled = { name: 'From Müller', rule }
  expect((await admin.call(createGroup, { params: params(), body: ruled })).body.memberCount).toBe(1)
  expect((await people('anna@müller.example')).map(({ name }) => name)).toEqual(['A'])
  const body = { name: 'Again', email: 'Anna@MÜLLER.example' }
  expect((await admin.call(createUser, { params: params(), body })).problem?.fields).toEqual({
    email: ['taken'],
  })
})

test('dates and numbers are read as the file writes them, and a bad cell costs the cell alone', async () => {
  await field('Start', 'date')
  await field('Hours', 'number')
  const { id, counts, options } = await rehearsed(fileOf('dates-numbers.csv'), { decimalSign: ',' })
  expect([counts, options.decimalSign]).toEqual([{ created: 2 }, ','])
  await run(id)
  const values = (await people()).flatMap(({ customFields }) => customFields['start'] ?? [])
  expect(values).toEqual(['2026-01-31', '2026-01-31'])
  expect((await named('P 0'))?.customFields).toEqual({ start: '2026-01-31', hours: '12.5' })
  const bad = await rehearsed(
    'name;email;start;hours;phone;language\nP 0;p0@customer.example;31.02.2026;many;7;Klingon\nP 2;p2@customer.example;1.2.2026;;;\n',
  )
  expect([bad.counts, bad.warned]).toEqual([{ changed: 1, created: 1 }, 1])
  const words =
    '“Klingon” is not a language in which people can be written to. Write en or de. “31.02.2026” is not a date such as 2026-01-31. “many” is not a number. Write it like 1250 or 12.5.'
  expect(await told(bad.id)).toEqual([
    [2, 'changed', words],
    [3, 'created', null],
  ])
  await run(bad.id)
  expect(await named('P 0')).toMatchObject({
    phone: '7',
    customFields: { start: '2026-01-31', hours: '12.5' },
  })
  expect(await mendOf(bad.id)).toContain(`P 0;p0@customer.example;31.02.2026;many;7;Klingon;${words}\r\n`)
  await undo(bad.id)
  expect((await named('P 0'))?.phone).toBe(null)
})

test('what can be read in two ways is not taken before somebody says how', async () => {
  await field('Start', 'date')
  await field('Hours', 'number')
  const { id, mapping, options, warned } = await upload(
    'name\temail\tstart\thours\nA\ta@b.test\t03/04/2026\t1.250\n',
  )
  expect([options.dateOrder, options.decimalSign, warned]).toEqual([null, null, 0])
  const check = async (changes: object) => {
    const body = { mapping, options: { ...options, ...changes } }
    await admin.call(updateImport, { params: at(id), body })
    return (await admin.call(rehearseImport, { params: at(id) })).body
  }
  expect((await check({})).warned).toBe(1)
  expect((await told(id))[0]?.[2]).toMatch(
    /“03\/04\/2026” can be read as two dates.*“1.250” can be read as two numbers/,
  )
  expect((await check({ dateOrder: 'month', decimalSign: ',' })).warned).toBe(0)
  await run(id)
  expect((await named('A'))?.customFields).toEqual({ start: '2026-03-04', hours: '1250' })
})

test('a choice that is no longer offered stays with who has it', async () => {
  await field('Site', 'choice', ['Berlin'])
  await create('Ada', { customFields: { site: 'Berlin' } })
  await query(`update custom_fields set options = '{Bonn}' where organization_id = $1`, [orgId])
  const { counts, warned } = await rehearsed(await exported())
  expect([counts, warned]).toEqual([{ unchanged: 2 }, 0])
})

test('groups with a divider in their names come back as they were, from old files too', async () => {
  for (const [name, email] of [
    ['Sales; EMEA', 'a@customer.example'],
    ['Night | Shift', 'b@customer.example'],
  ] as const) {
    const body = {
      name: email === 'a@customer.example' ? 'Anna A' : 'Ben B',
      email,
      groupIds: [await group(name)],
    }
    await admin.call(createUser, { params: params(), body })
  }
  const old = await rehearsed(fileOf('round-trip-groups.csv'))
  expect([old.counts, old.missingGroups]).toEqual([{ unchanged: 2 }, []])
  await group('Sales')
  await group('EMEA')
  const file = await exported()
  expect(file).toContain('"""Sales; EMEA"""')
  expect((await rehearsed(file)).counts).toEqual({ unchanged: 3 })
  const two = await rehearsed('name,email,groups\nCy,c@customer.example,Sales; EMEA\n')
  await run(two.id)
  expect((await named('Cy'))?.groups.map(({ name }) => name).toSorted()).toEqual(['EMEA', 'Sales'])
})

test('groups are found in whatever letters their language writes them', async () => {
  const names = ['İstanbul', 'ΟΔΟΣ', 'Straße']
  for (const name of names) await group(name)
  const { counts } = await rehearsed(`name,email,groups\nA,a@b.test,${names.join(';')}\n`)
  expect(counts).toEqual({ created: 1 })
  const made = await rehearsed('name,email,groups\nB,b@b.test,ΑΒΣ;αβσ\nC,c@b.test,αβΣ\n', {
    createGroups: true,
  })
  await run(made.id)
  expect((await named('B'))?.groups).toHaveLength(1)
  expect((await named('C'))?.groups).toEqual((await named('B'))?.groups)
})

test('who comes again after being removed is brought back by the form, with groups', async () => {
  const groupId = await group('Drivers')
  const ada = await create('Ada', { groupIds: [groupId] })
  const find = async (email: string) =>
    (await admin.call(findRemoved, { params: params(), query: { email } })).body.user
  expect(await find(ada.email)).toBe(null)
  await admin.call(deleteUser, { params: { orgId, userId: ada.id } })
  expect(await find(ada.email.toUpperCase())).toMatchObject({ id: ada.id, name: 'Ada', completed: 0 })
  const elsewhere = await server.person('admin', await server.organization())
  const at = { params: { orgId, userId: ada.id } }
  expect((await elsewhere.call(restoreUser, at)).status).toBe(404)
  const back = await admin.call(restoreUser, at)
  expect(back.body).toMatchObject({ id: ada.id, state: 'active', groups: [{ name: 'Drivers' }] })
  expect((await admin.call(restoreUser, at)).status).toBe(200)
  expect(await find(ada.email)).toBe(null)
  const log = await query(`select action from audit where entity_id = $1 and action = 'user.restored'`, [
    ada.id,
  ])
  expect(log.rows).toHaveLength(1)
})

test('a file brings people back who were removed, or adds them as new, as somebody says', async () => {
  const ada = await create('Ada', { externalId: '7' })
  const bo = await create('Bo')
  for (const { id } of [ada, bo]) await admin.call(deleteUser, { params: { orgId, userId: id } })
  const file =
    'name,email,external id\nAda,ada@example.test,\nNumber,other@example.test,7\nBo,bo@example.test,\nCy,cy@example.test,\n'
  const { id, counts, removed } = await rehearsed(file)
  expect([counts, removed]).toEqual([{ created: 1, conflict: 3 }, 3])
  const restored = await admin.call(restoreForImport, { params: at(id) })
  expect(restored.body).toMatchObject({ rehearsed: 0, removed: 0 })
  const again = await admin.call(rehearseImport, { params: at(id) })
  expect([again.body.counts, again.body.removed]).toEqual([{ unchanged: 2, conflict: 1, created: 1 }, 0])
  expect((await named('Ada'))?.id).toBe(ada.id)

  await admin.call(deleteUser, { params: { orgId, userId: ada.id } })
  const anew = await rehearsed('name,email,external id\nAda,ada@example.test,7\n', { removed: 'add' })
  expect(anew.counts).toEqual({ created: 1 })
  await run(anew.id)
  expect((await named('Ada'))?.id).not.toBe(ada.id)
})

test('of two removed people with one address only one comes back, and the other row says why it waits', async () => {
  for (const externalId of ['1', '2']) {
    const { id } = await create('Ada', { externalId })
    await admin.call(deleteUser, { params: { orgId, userId: id } })
  }
  const { id, removed } = await rehearsed(
    'name,email,external id\nAda,ada@example.test,1\nAda,ada@example.test,2\n',
  )
  expect(removed).toBe(2)
  expect((await admin.call(restoreForImport, { params: at(id) })).status).toBe(200)
  expect((await named('Ada'))?.externalId).toBe('2')
  const again = await admin.call(rehearseImport, { params: at(id) })
  expect([again.body.counts, again.body.removed]).toEqual([{ unchanged: 1, conflict: 1 }, 0])
})

test('whom an undone import had added was never there', async () => {
  const file = 'name,email\nAda,ada@example.test\n'
  const { id } = await rehearsed(file)
  await run(id)
  await undo(id)
  expect((await rehearsed(file)).counts).toEqual({ created: 1 })
})
