import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing/server.ts'
import { administer } from '../testing/setup.ts'
import { row } from './client.ts'
import { sql } from './drizzle.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('a connection that breaks between two statements fails its transaction only, not the process', async () => {
  const { db } = server.services
  const broken = db.as('system', async (tx) => {
    const mine = await row<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`)
    await administer(db.url, `select pg_terminate_backend(${mine?.pid ?? 0})`)
    // Long enough for the end of the connection to arrive while no statement waits for an answer.
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
    await row(tx, sql`select 1`)
  })
  await expect(broken).rejects.toThrow('Failed query: select 1')
  expect(await db.as('system', (tx) => row(tx, sql`select 1 as one`))).toEqual({ one: 1 })
})

test('every instant that is kept has its zone', async () => {
  const { rows: bare } = await server.services.db.system.query(
    `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type in ('timestamp without time zone', 'time without time zone')`,
  )
  expect(bare).toEqual([])
})
