import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { administer } from '../../testing/setup.ts'
import { aServer } from '../../testing/worlds.ts'
import { hasRow, row } from './client.ts'
import { sql } from './sql.ts'

const server = await aServer()

const RowRow = z.object({ one: z.number() })

const Mine = z.object({ pid: z.number() })

test('a connection that breaks between two statements fails its transaction only, not the process', async () => {
  const { db } = server.services
  const broken = db.as('system', async (tx) => {
    const mine = await row(tx, Mine, sql`select pg_backend_pid() as pid`)
    await administer(db.url, `select pg_terminate_backend(${mine?.pid ?? 0})`)
    // Long enough for the end of the connection to arrive while no statement waits for an answer.
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
    await hasRow(tx, sql`select 1`)
  })
  await expect(broken).rejects.toThrow('Failed query: select 1')
  expect(await db.as('system', (tx) => row(tx, RowRow, sql`select 1 as one`))).toEqual({ one: 1 })
})

test('every instant that is kept has its zone', async () => {
  const { rows: bare } = await server.services.db.system.query(
    `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type in ('timestamp without time zone', 'time without time zone')`,
  )
  // An hour that is another instant for each recipient.
  expect(bare).toEqual([{ table_name: 'transmissions', column_name: 'leaves_clock' }])
})
