import { aServer } from '../../testing/worlds.ts'
import type { FastifyRequest } from 'fastify'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { listUsers } from '#contract/directory/users.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { Count } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { findUsers } from './queries.ts'

// How many rows the list of people reads, whatever the database knows about them: of a few that agree it never reads everybody.

const server = await aServer()
const orgId = await server.organization()
await asOwner('alter table users set (autovacuum_enabled = false)')

async function asOwner(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.ownerUrl })
  await client.connect()
  await client.query(text)
  await client.end()
}

const { query: own } = server

const everybody = 20_000
/** Each hundredth is called Quartz, each fiftieth is disabled. */
const people = (from: number, to: number) =>
  own(
    `insert into users (organization_id, name, email, state, created_at)
      select $1, case when n % 100 = 7 then 'Quartz ' else 'Member ' end || lpad(n::text, 5, '0'), 'p' || n || '@crowd.test',
        case when n % 50 = 7 then 'disabled' else 'active' end, now() - n * interval '1 minute'
      from generate_series($2::int, $3::int) n`,
    [orgId, from, to],
  )

const readSoFar = async (tx: Tx) =>
  (
    await requireRow(
      tx,
      Count,
      sql`select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables where relname = 'users'`,
    )
  ).n

const firstPage = { offset: 0, limit: 25, sort: 'name' } as const

type UsersQuery = Partial<ParsedQuery<typeof listUsers>>

async function asked(query: UsersQuery) {
  const request = { url: '/api/users' } as FastifyRequest
  const visibility = { organizationId: orgId, groupIds: undefined }
  return server.services.db.as({ organizationId: orgId }, async (tx) => {
    const before = await readSoFar(tx)
    const page = await findUsers(tx, { visibility, query: { ...firstPage, ...query }, request })
    return { ...page, read: (await readSoFar(tx)) - before }
  })
}

type Question = { query: UsersQuery; first: string; total: number; most: number }
const questions: Question[] = [
  { query: {}, first: 'Member 00001', total: everybody, most: 200 },
  { query: { offset: 5_000 }, first: 'Member 05052', total: everybody, most: 200 },
  { query: { offset: 5_000, sort: 'createdAt' }, first: 'Member 15000', total: everybody, most: 200 },
  { query: { q: 'qua' }, first: 'Quartz 00007', total: 200, most: 1_000 },
  { query: { q: 'quartz', state: 'disabled' }, first: 'Quartz 00007', total: 200, most: 1_000 },
  { query: { q: '00107 quartz', state: 'disabled' }, first: 'Quartz 00107', total: 1, most: 1_000 },
  { query: { q: 'p4321@crowd.test', state: 'active' }, first: 'Member 04321', total: 1, most: 1_000 },
  { query: { q: 'member', state: 'active' }, first: 'Member 00001', total: 10_000, most: 10_500 },
  { query: { q: 'qaurtz' }, first: 'Quartz 00007', total: 25, most: 1_000 },
]

describe.each([
  [
    'those of a thousand',
    async () => {
      await people(1, 1_000)
      await own('analyze users')
      await people(1_001, everybody)
    },
  ],
  ['all', () => own('analyze users')],
])('where the statistics know %s', (_known, learn) => {
  beforeAll(async () => {
    await learn()
    await own('vacuum users')
  })

  test.each(questions)('$query reads at most $most rows', async ({ query, first, total, most }) => {
    const page = await asked(query)
    expect([page.items[0]?.name, page.total]).toEqual([first, total])
    expect(page.read).toBeLessThanOrEqual(most)
  })
})
