import { afterAll, expect, test } from 'vitest'
import { readUser } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'
import { asSystem, connect, rows, type Tx } from './client.ts'
import { Id } from './rows.ts'
import { sql } from './sql.ts'

const server = await aServer()
const mine = { organizationId: await server.organization('Mine') }
const foreign = { organizationId: await server.organization('Foreign') }
const admin = await server.person('admin', mine.organizationId)
await server.person('admin', foreign.organizationId)
// Everybody gets the same connection.
const db = connect(server.services.db.url, { connections: 1 })
afterAll(() => db.close())

/** Asked by somebody who forgets whose rows they are. */
const seen = (tx: Tx) => rows(tx, Id, sql`select distinct organization_id as id from users`)
const only = ({ organizationId }: { organizationId: string }) => [{ id: organizationId }]
const broken = (tx: Tx) => tx.execute(sql`select 1 / (select count(*) from users where false)`)

const before: [string, () => Promise<unknown>][] = [
  ['a reading of another organization', () => db.reads(foreign, seen)],
  ['a reading of all', () => db.reads('system', seen)],
  ['a statement that fails', () => db.reads(foreign, broken)],
  ['work that fails', () => db.reads(foreign, () => Promise.reject(new Error('no')))],
  ['work that widens its scope', () => db.reads(foreign, (tx) => asSystem(tx, () => seen(tx)))],
  [
    'a statement that is cancelled',
    () => db.reads(foreign, (tx) => tx.execute(sql`select pg_cancel_backend(pg_backend_pid()), pg_sleep(5)`)),
  ],
  [
    'a connection that breaks',
    () => db.reads(foreign, (tx) => tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)),
  ],
]

test.each(before)('%s leaves nothing to the next', async (_what, reading) => {
  await reading().catch(() => undefined)
  expect(await db.reads(mine, seen)).toEqual(only(mine))
  const [other, own] = await Promise.all([db.reads(foreign, seen), db.reads(mine, seen)])
  expect([other, own]).toEqual([only(foreign), only(mine)])
})

test('what comes late asks nothing within the scope of the next', async () => {
  let late: Promise<unknown> = Promise.resolve()
  const next = Promise.withResolvers<undefined>()
  await db.reads(foreign, (tx) => {
    late = next.promise.then(() => seen(tx))
    return Promise.resolve()
  })
  const asked = db.reads(mine, async (tx) => {
    next.resolve(undefined)
    await expect(late).rejects.toThrow('this reading is over')
    return seen(tx)
  })
  expect(await asked).toEqual(only(mine))
})

test('widens no scope, and writes nothing', async () => {
  await expect(db.reads(mine, (tx) => asSystem(tx, () => seen(tx)))).rejects.toThrow('not begun here')
  const write = db.reads(mine, (tx) => tx.execute(sql`update users set name = 'Written'`))
  await expect(write).rejects.toMatchObject({ cause: { code: '25006' } })
})

test('who is read through the API is of the organization', async () => {
  const stranger = await server.person(null, foreign.organizationId)
  const read = ({ id }: Person, { organizationId }: { organizationId: string }) =>
    admin.call(readUser, { params: { orgId: organizationId, userId: id } })
  expect((await read(admin, mine)).body).toMatchObject({ id: admin.id })
  expect((await read(stranger, mine)).status).toBe(404)
  expect((await read(stranger, foreign)).status).toBe(404)
})
