import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing/server.ts'
import { row, rows } from './client.ts'
import { sql } from './drizzle.ts'

let server: TestServer
let mine: string
let foreign: string

beforeAll(async () => {
  server = await startTestServer()
  mine = await server.organization('Mine')
  foreign = await server.organization('Foreign')
  await server.person(null, mine)
  await server.person(null, foreign)
})
afterAll(() => server.close())

const inMine = <T>(work: Parameters<typeof server.services.db.as<T>>[1]) =>
  server.services.db.as({ organizationId: mine }, work)

test('every table with an organization stands behind the wall, its owner included', async () => {
  const open = await server.services.db.as('system', (tx) =>
    rows<{ name: string }>(
      tx,
      sql`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and not (c.relrowsecurity and c.relforcerowsecurity and exists (select 1 from pg_policy p where p.polrelid = c.oid))`,
    ),
  )
  expect(open).toEqual([])
})

test('a query that forgets the organization sees only its own', async () => {
  expect(await inMine((tx) => rows(tx, sql`select id from organizations`))).toEqual([{ id: mine }])
  expect(await inMine((tx) => rows(tx, sql`select distinct organization_id as id from users`))).toEqual([
    { id: mine },
  ])
})

test('nothing can be written into another organization, nor moved there', async () => {
  const insert = sql`insert into groups (organization_id, name) values (${foreign}, 'Theirs')`
  await expect(inMine((tx) => tx.execute(insert))).rejects.toMatchObject({ cause: { code: '42501' } })
  const move = sql`update users set organization_id = ${foreign} where organization_id = ${mine}`
  await expect(inMine((tx) => tx.execute(move))).rejects.toMatchObject({ cause: { code: '42501' } })
  const rename = sql`update users set name = 'Taken over' where organization_id = ${foreign} returning id`
  expect(await inMine((tx) => rows(tx, rename))).toEqual([])
})

test('without an organization nothing is seen at all', async () => {
  const client = await server.services.db.pool.connect()
  try {
    expect((await client.query('select id from users')).rows).toEqual([])
  } finally {
    client.release()
  }
})

test('the scope of one transaction does not reach into the next on the same connection', async () => {
  await server.services.db.as('system', (tx) => row(tx, sql`select 1`))
  expect(await inMine((tx) => rows(tx, sql`select id from organizations`))).toEqual([{ id: mine }])
})

test('history cannot be rewritten', async () => {
  for (const change of [sql`update audit set action = 'nothing'`, sql`delete from audit`])
    await expect(inMine((tx) => tx.execute(change))).rejects.toMatchObject({ cause: { code: '42501' } })
})

test('the wall reads the settings once per statement, not once per row', async () => {
  const plan = await inMine((tx) =>
    rows<{ 'QUERY PLAN': string }>(tx, sql`explain (costs off) select id from users where name = 'Ada'`),
  )
  const filter = plan.map((line) => line['QUERY PLAN']).find((line) => line.includes('organization_id'))
  expect(filter).toContain('InitPlan')
  expect(filter).not.toContain('current_setting')
})
