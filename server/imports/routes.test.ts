import { expect, test } from 'vitest'
import {
  createImport,
  exportImportRows,
  listImportRows,
  readImport,
  startImport,
  updateImport,
} from '#contract/imports/imports.ts'
import { cancelOperation } from '#contract/operations.ts'
import { deleteUser } from '#contract/directory/users.ts'
import { importing, withImports } from '../testing/imports.ts'
import type { Person, TestServer } from '../testing/server.ts'
import { anOrganization } from '../testing/worlds.ts'
import { cleanUpImports } from './clean-up.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))

const { params, at, upload, rehearsed, until, run, rowsOf, people, create, told, others, named, query } =
  importing(() => ({ server, orgId, admin }))

test('reads the file, guesses what the columns are, and changes nothing', async () => {
  await query(
    `insert into custom_fields (organization_id, key, label, type) values ($1, 'cost_centre', 'Kostenstelle', 'text')`,
    [orgId],
  )
  const file =
    "\uFEFFsep=;\r\nVorname;Nachname;E-Mail-Adresse;Personal-Nr.;Handy;Kostenstelle;Gruppen;Bemerkung\r\nAda;Berg;ada@b.test;7;'+49 1;K1;A|B;x;\r\nkurz;\r\n"
  const made = await upload(file)
  expect(made).toMatchObject({
    delimiter: ';',
    state: 'draft',
    total: 2,
    rehearsed: 0,
    mapping: {
      0: 'firstName',
      1: 'lastName',
      2: 'email',
      3: 'externalId',
      4: 'phone',
      5: 'field:cost_centre',
      6: 'groups',
    },
    ragged: { count: 1, rows: [3] },
  })
  expect(made.sample[0]).toEqual(['Ada', 'Berg', 'ada@b.test', '7', '+49 1', 'K1', 'A|B', 'x'])
  expect(await people()).toHaveLength(1)
})

test.each([
  ['a quote without an end', 'name,email\n"Ada,a@b.test\n', /line 2/],
  ['a header alone', 'name,email\n', /no row/],
  ['nothing', ' \n\n', /nothing/],
])('refuses %s in words', async (_what, content, words) => {
  const answer = await admin.call(createImport, { params: params(), body: { fileName: 'x', content } })
  expect(answer.problem?.detail).toMatch(words)
})

test('takes a file of many megabytes, and nobody unknown sends one', async () => {
  const content = `name,email,note\n${`Ada,a@b.test,${'x'.repeat(5_000)}\n`.repeat(1_000)}`
  expect((await upload(content)).total).toBe(1_000)
  const body = { fileName: 'x', content }
  expect((await server.call(createImport, { params: params(), body })).status).toBe(401)
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(createImport, { params: params(), body })).status).toBe(403)
})

test('names the groups that are not there, and creates them when it is told to', async () => {
  const file = 'name,email,groups\nAda,a@b.test,Drivers;Office\nBo,b@b.test,drivers\nCy,,Attic\n'
  const { id, counts, missingGroups, mapping, options } = await rehearsed(file)
  expect(counts).toEqual({ conflict: 3 })
  expect(missingGroups).toEqual(['Attic', 'Drivers', 'Office'])
  const body = { mapping, options: { ...options, createGroups: true } }
  const again = await admin.call(updateImport, { params: at(id), body })
  expect(again.body).toMatchObject({ rehearsed: 0, missingGroups: [] })
})

test('the rehearsal says of every row what would become of it and why', async () => {
  await create('Present', { externalId: 'p-1', phone: '1' })
  await create('Other', { externalId: 'o-1' })
  await create('Same')
  const gone = await create('Gone', { externalId: 'gone-1' })
  await admin.call(deleteUser, { params: { orgId, userId: gone.id } })
  await query(
    `insert into groups (organization_id, name, kind, rule) values ($1, 'By rule', 'rule', '{"match":"all","conditions":[{"about":"role","is":"one_of","values":["admin"]}]}')`,
    [orgId],
  )
  const elsewhere = await server.person('admin', await server.organization())
  const { id, counts } = await rehearsed(
    [
      'name,email,external id,phone,role,state,groups',
      'New,new@example.test,n-1,,,,',
      'Present,moved@example.test,p-1,2,,disabled,',
      'Same,same@example.test,,,,,',
      'Clash,other@example.test,x-9,,,,',
      'Two,same@example.test,p-1,,,,',
      'Twice,new@example.test,,,,,',
      ',nameless@example.test,,,,,',
      'Broken,broken@,,,,,',
      `Boss,${elsewhere.email},,,admin,,`,
      'Super,s@example.test,,,superadmin,,',
      'Odd,odd@example.test,,,chef,asleep,',
      'Grouped,g@example.test,,,,,Unknown;By rule',
      'Back,back@example.test,gone-1,,,,',
      'Also,also@example.test,n-1,,,,',
      'Raised,other@example.test,,,admin,,',
      'Shifted,sh@example.test,,,,,,,more',
    ].join('\n'),
  )
  expect(counts).toEqual({ created: 2, changed: 1, unchanged: 1, conflict: 12 })
  expect(await told(id)).toEqual([
    [2, 'created', null],
    [3, 'changed', null],
    [4, 'unchanged', null],
    [5, 'conflict', 'The email belongs to somebody else here, who has another external ID or none.'],
    [6, 'conflict', 'The external ID belongs to one person and the email to another.'],
    [7, 'conflict', 'Row 2 has the same email. Keep one of them.'],
    [8, 'conflict', 'The name is missing.'],
    [9, 'conflict', '“broken@” is not an email address.'],
    [10, 'created', null],
    [11, 'conflict', 'Your role does not allow you to give the role “superadmin”.'],
    [
      12,
      'conflict',
      '“chef” is not a role. Write admin or groupadmin, or leave the cell empty for somebody who only receives videos. “asleep” is not a state. Write active or disabled.',
    ],
    [
      13,
      'conflict',
      'There is no group “Unknown”. Correct the name, or let the import create the group. Nobody is put into the group “By rule” by hand: its rule says who is in it. Take it out of the row.',
    ],
    [
      14,
      'conflict',
      'This person was removed. Bring them back, so that nothing they have completed is lost, or let the import add somebody new.',
    ],
    [15, 'conflict', 'Row 2 has the same external ID. Keep one of them.'],
    [
      16,
      'conflict',
      'This person is here already with another role. Change the role on the page of the person.',
    ],
    [
      17,
      'conflict',
      'This row has more cells than the first row. If a text has a comma or semicolon in it, put the text in quotes.',
    ],
  ])
  expect((await rowsOf(id))[1]?.changes).toEqual([
    { field: 'Email', before: 'present@example.test', after: 'moved@example.test' },
    { field: 'Phone', before: '1', after: '2' },
    { field: 'State', before: 'active', after: 'disabled' },
  ])
  expect(await others()).toEqual(['Other', 'Present', 'Same'])
})

test('matched by email alone, nobody is given the external ID of somebody else', async () => {
  await create('Owner', { externalId: 'p-1' })
  await create('Same')
  const { id } = await rehearsed(
    'name,email,external id\nNew,new@example.test,p-1\nSame,same@example.test,p-1\n',
    { matchBy: 'email' },
  )
  const why = 'The external ID belongs to one person and the email to another.'
  expect(await told(id)).toEqual([
    [2, 'conflict', why],
    [3, 'conflict', why],
  ])
})

test('nothing starts before every row was looked at, or when nothing would come of it', async () => {
  const { id } = await upload('name,email\nNew,new@example.test\n')
  expect((await admin.call(startImport, { params: at(id) })).problem?.detail).toMatch(/check the rows/)
  await create('Same')
  const idle = await rehearsed('name,email\nSame,same@example.test\n')
  expect((await admin.call(startImport, { params: at(idle.id) })).problem?.detail).toMatch(
    /no row of this file adds or changes anybody/,
  )
})

test('a draft can be thrown away, and a started one is mapped no more', async () => {
  const { id, mapping } = await rehearsed('name,email\nNew,new@example.test\n')
  await admin.call(cancelOperation, { params: { operationId: id } })
  await until(id, 'cancelled')
  const late = await admin.call(updateImport, { params: at(id), body: { mapping, options: {} } })
  expect(late.problem?.code).toBe('conflict')
  expect(await named('New')).toBeUndefined()
})

test('a mapping names columns and fields that are there, each once', async () => {
  const { id } = await upload('a,b\n1,2\n')
  const put = async (mapping: Record<string, string>) =>
    (await admin.call(updateImport, { params: at(id), body: { mapping, options: {} } })).problem?.fields
  expect(await put({ 7: 'name' })).toEqual({ mapping: ['not_found'] })
  expect(await put({ 0: 'field:nothing' })).toEqual({ mapping: ['not_found'] })
  expect(await put({ 0: 'name', 1: 'name' })).toEqual({ mapping: ['taken'] })
  expect(await put({ 0: 'password' })).toEqual({ 'mapping.0': ['invalid'] })
})

test('no file is kept longer than it is needed', async () => {
  const draft = await rehearsed('name,email\nA,a@example.test\n')
  const done = await rehearsed('name,email\nB,b@example.test\n')
  await run(done.id)
  await cleanUpImports(server.services)
  expect((await admin.call(readImport, { params: at(draft.id) })).status).toBe(200)
  await query(
    `update operations set created_at = now() - interval '8 days', finished_at = finished_at - interval '31 days' where organization_id = $1`,
    [orgId],
  )
  await cleanUpImports(server.services)
  for (const { id } of [draft, done])
    expect((await admin.call(readImport, { params: at(id) })).status).toBe(404)
  const stored = await query('select input, outcome, label from operation_rows where organization_id = $1', [
    orgId,
  ])
  expect(stored.rows).toEqual([{ input: null, outcome: 'created', label: 'B' }])
})

test('an import of another organization is not there', async () => {
  const { id, mapping } = await rehearsed('name,email\nA,a@example.test\n')
  const { orgId: elsewhere, admin: stranger } = await anOrganization(server)
  for (const org of [orgId, elsewhere]) {
    const there = { orgId: org, importId: id }
    expect((await stranger.call(readImport, { params: there })).status).toBe(404)
    expect((await stranger.call(listImportRows, { params: there })).status).toBe(404)
    expect((await stranger.call(exportImportRows, { params: there })).status).toBe(404)
    expect((await stranger.call(startImport, { params: there })).status).toBe(404)
    const body = { mapping, options: {} }
    expect((await stranger.call(updateImport, { params: there, body })).status).toBe(404)
  }
})

test('a long file is read in portions, and rows with other cells than the header are found in each', async () => {
  const lines = Array.from({ length: 4_100 }, (_, n) => `Person ${n},person-${n}@long.example`)
  for (const position of [1, 2_001, 4_100]) lines[position - 1] += ',one too many'
  const { id, total, ragged } = await upload(`name,email\n${lines.join('\n')}\n`)
  expect({ total, ragged }).toEqual({ total: 4_100, ragged: { count: 3, rows: [2, 2_002, 4_101] } })
  const stored = await query(
    'select count(*)::int as n, min(position) as first, max(position) as last from operation_rows where operation_id = $1',
    [id],
  )
  expect(stored.rows).toEqual([{ n: 4_100, first: 1, last: 4_100 }])
})
