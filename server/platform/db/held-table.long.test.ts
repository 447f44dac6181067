import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startTestServer } from '../../testing/server.ts'
import { bringUpToDate } from './migrate.ts'
import { migrations } from './migrations.ts'

const server = await startTestServer()
const neighbour = new pg.Client({ connectionString: server.ownerUrl, application_name: 'the neighbour' })
const owner = new pg.Client({ connectionString: server.ownerUrl })
afterAll(async () => {
  await neighbour.end()
  await owner.end()
  await server.close()
})

test('a table that somebody holds ends a migration within a minute, says who, and leaves nothing', async () => {
  await neighbour.connect()
  await owner.connect()
  await neighbour.query('begin')
  await neighbour.query('lock table organizations in access share mode')
  const [migration] = migrations()
  if (!migration) throw new Error('there are no migrations')
  const text = 'create table of_a_later_release (id int); alter table organizations add column later int'
  const later = { ...migration, name: '9999_later', text, hash: 'of a later release' }
  await expect(bringUpToDate(owner, [later])).rejects.toThrow(
    /held by somebody else \(perhaps by process \d+ of the server, the neighbour\b.*\), so that it could not be changed within a minute/,
  )
  expect(await server.query(`select to_regclass('of_a_later_release') as there`)).toEqual([{ there: null }])
})
