import { afterAll, beforeAll, expect, test } from 'vitest'
import { listUsers } from '#contract/users.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'
import { wordColumns } from './words.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** What the database itself says about its columns. */
async function kept(): Promise<Map<string, string>> {
  const { rows } = await server.services.db.system.query<{ place: string; condition: string }>(
    `select c.table_name || '.' || c.column_name as place, pg_get_constraintdef(k.oid) as condition
      from information_schema.columns c
      join pg_constraint k on k.contype = 'c' and k.conrelid = c.table_name::regclass and k.conkey = array[c.ordinal_position::int2]
      where c.table_schema = 'public' and k.conname = c.table_name || '_' || c.column_name || '_word'`,
  )
  return new Map(rows.map(({ place, condition }) => [place, condition]))
}

const places = wordColumns.map((one) => [`${one.table}.${one.column}`, one] as const)

test('the columns that decide what a list shows are among them', () => {
  expect(places.map(([place]) => place)).toEqual(
    expect.arrayContaining([
      'users.state',
      'users.role',
      'organizations.state',
      'videos.state',
      'videos.failure',
      'transmissions.state',
      'transmissions.state_reason',
      'deliveries.state',
      'mails.state',
      'operations.kind',
      'operation_rows.outcome',
      'invitations.state',
      'notifications.kind',
      'quiz_items.kind',
      'flows.purpose',
      'report_schedules.formats',
    ]),
  )
  expect(places.length).toBeGreaterThan(40)
})

test.each(places)('%s takes its words and no others', async (place, { words }) => {
  const condition = (await kept()).get(place) ?? ''
  const found = Array.from(condition.matchAll(/'([^']*)'::text/g), ([, word]) => word)
  expect(new Set(found)).toEqual(new Set(words))
})

test('nobody gets a state that the list of people could not show', async () => {
  const organizationId = await server.organization()
  const person = await server.person('admin', organizationId)
  const write = server.services.db.system.query(`update users set state = 'asleep' where id = $1`, [
    person.id,
  ])
  await expect(write).rejects.toMatchObject({ code: '23514', constraint: 'users_state_word' })
  const list = await person.call(listUsers, { params: { orgId: organizationId } })
  expect(list.status).toBe(200)
})
