import { expect, test } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { exportUsers } from '#contract/videos/record-bulk.ts'
import { importing, withImports } from '../testing/imports.ts'
import type { Person, TestServer } from '../testing/server.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))

const { params, rehearsed, run, create, exported, mendOf, query } = importing(() => ({
  server,
  orgId,
  admin,
}))

test('rows to be mended come back as the same file with one more column, which can be imported again', async () => {
  const { id } = await rehearsed(
    '"Name";"E-Mail";"Note, of mine"\r\n"Berg; Ada";ada@;"=1+1"\r\nGood;good@example.test;\r\n',
  )
  await run(id)
  const text = await mendOf(id)
  expect(text).toBe(
    '\uFEFFName;E-Mail;Note, of mine;Problem\r\n"Berg; Ada";ada@;\'=1+1;“ada@” is not an email address.\r\n',
  )
  const mended = await rehearsed(text.replace('ada@;', 'ada@example.test;'))
  expect(mended.sample[0]?.[2]).toBe('=1+1')
  expect(mended.mapping).toEqual({ 0: 'name', 1: 'email' })
  expect(mended.counts).toEqual({ created: 1 })
})

test('an export comes back through the import without a change, whatever the names are', async () => {
  await query(
    `insert into custom_fields (organization_id, key, label, type) values ($1, 'team', '=Team, internal', 'text')`,
    [orgId],
  )
  const groups = await Promise.all(
    ['Blue', 'Red'].map(
      async (name) => (await admin.call(createGroup, { params: params(), body: { name } })).body.id,
    ),
  )
  for (const [n, name] of [
    '=cmd|calc',
    '+Plus',
    '"Quoted"',
    "'Apostrophe",
    'Semi; colon',
    '-Minus',
    '＝1+1',
    '＋Plus',
    '－Minus',
    '＠At',
    '−Sign',
    '﹦Small',
    "'＝Marked",
  ].entries())
    await create('x', {
      name,
      email: `n${n}@example.test`,
      phone: '+49 30 1',
      externalId: `0${n}`,
      groupIds: groups,
    })
  await query(
    `update users set custom_fields = '{"team":"@all"}' where organization_id = $1 and external_id is not null`,
    [orgId],
  )
  const file = await exported()
  expect(file).toContain(
    'Name,Email,Phone,External ID,Language,Time zone,Manager,Role,State,Groups,"\'=Team, internal",Last in console,Added\r\n',
  )
  expect(file).not.toMatch(/(?:^|[,"\n])[=+@＝＋－＠−﹦-]/)
  const back = await rehearsed(file)
  expect(back.counts).toEqual({ unchanged: 14 })
  expect((await admin.call(exportUsers, { params: params(), query: { q: 'Plus' } })).body).not.toContain(
    'Minus',
  )
})

test('the list is a workbook and pages as well', async () => {
  await create('Somebody')
  const take = (format: 'xlsx' | 'pdf') =>
    admin.send('GET', `/api/organizations/${orgId}/users/export?q=Some&format=${format}`)
  const [book, pages] = [await take('xlsx'), await take('pdf')]
  expect(String(book.body).slice(0, 2)).toBe('PK')
  expect(book.headers['content-disposition']).toMatch(/-people-[\d-]+\.xlsx/)
  expect(String(pages.body).slice(0, 4)).toBe('%PDF')
})

test('an export is as long as the list, holds what its reader sees, and is written down', async () => {
  await query(
    `insert into users (organization_id, name, email) select $1::uuid, 'Crowd', n || '@' || $1::text || '.test' from generate_series(1, 2500) n`,
    [orgId],
  )
  const file = await exported()
  expect(new Set(file.trim().split('\r\n')).size).toBe(1 + 2_501)
  const groupadmin = await server.person('groupadmin', orgId)
  const { id: groupId } = (await admin.call(createGroup, { params: params(), body: { name: 'Seen' } })).body
  const inside = await create('Inside', { groupIds: [groupId] })
  await query(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)',
    [orgId, groupId, groupadmin.id],
  )
  const theirs = await exported(groupadmin)
  expect(theirs.trim().split('\r\n')).toHaveLength(3)
  expect(theirs).toContain(inside.email)
  const log = await query(
    `select actor_id as by from audit where organization_id = $1 and action = 'users.exported'`,
    [orgId],
  )
  expect(log.rows).toEqual([{ by: admin.id }, { by: groupadmin.id }])
  expect((await admin.call(exportUsers, { params: { orgId: await server.organization() } })).status).toBe(404)
})
