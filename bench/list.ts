import { defaultPolicies } from '#contract/organizations.ts'
import { randomToken, sha256 } from '#server/platform/keys.ts'
import { duel, type Result } from './duel.ts'
import type { Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { requestOf } from './load.ts'
import { peakMemory, startProgram, type Program } from './program.ts'

const organizations = 10
const people = 10_000
const requestsPerRound = 400
const connections = 8

/** The list page of 25 of 10,000 users in an organization among 100,000, beside the barest program that does it. */
export async function list(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const seeded = await seed(database)
    const environment = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, RUN: 'api' }
    const ours = await startProgram('server/main.ts', environment)
    const floor = await startProgram('bench/floor-list.ts', {
      ...environment,
      DATABASE_URL: database.ownerUrl,
    })
    const rules = { databasePid: database.pid, connections, rounds: 5 }
    const turns = (program: Program, filter = '') => ({ program, requests: () => requests(seeded, filter) })
    const results = await duel(
      {
        floor: turns(floor),
        counter: turns(ours),
        filteredFloor: turns(floor, '&state=active'),
        filtered: turns(ours, '&state=active'),
      },
      rules,
    )
    const memory = peakMemory(ours.pid)
    await Promise.all([ours.stop(), floor.stop()])
    return figures(results, memory)
  } finally {
    await database.close()
  }
}

type Results = Record<'floor' | 'counter' | 'filteredFloor' | 'filtered', Result>

function figures({ floor, counter, filteredFloor, filtered }: Results, memory: number): Figure[] {
  const workload = 'list'
  const cpu = { workload, unit: 'CPU s / 1,000' }
  const beside = (value: number) => ({ name: 'floor' as const, value })
  return [
    {
      ...cpu,
      what: 'page of 25 of 10,000, total from the counter',
      ours: counter.cpu,
      beside: beside(floor.cpu),
      target: { of: 'ratio', most: 0.5 },
    },
    {
      ...cpu,
      what: 'the same with a filter, counted exactly',
      ours: filtered.cpu,
      beside: beside(filteredFloor.cpu),
      target: { of: 'ratio', most: 1.2 },
    },
    { workload, what: 'answers', unit: '/s', ours: counter.perSecond, beside: beside(floor.perSecond) },
    { workload, what: 'median answer', unit: 'ms', ours: counter.p50, beside: beside(floor.p50) },
    { workload, what: '99th percentile', unit: 'ms', ours: counter.p99, beside: beside(floor.p99) },
    {
      workload,
      what: 'memory of the process at most',
      unit: 'MB',
      ours: memory,
      beside: { name: 'budget', value: 180 },
      target: { of: 'figure', most: 180 },
    },
  ]
}

type Seeded = { organizationId: string; token: string }

function requests({ organizationId, token }: Seeded, filter: string): Buffer[] {
  return Array.from({ length: requestsPerRound }, (_, n) =>
    requestOf(`GET /api/organizations/${organizationId}/users?limit=25&offset=${(n % 4) * 25}${filter}`, {
      authorization: `Bearer ${token}`,
    }),
  )
}

/** Everybody of the measured organization is in two of forty groups, and one of them signed in as its admin. */
async function seed(database: BenchDatabase): Promise<Seeded> {
  const made = await database.query<{ id: string }>(
    `insert into organizations (name, slug, policies) select 'Organization ' || n, 'organization-' || n, $2::jsonb
      from generate_series(1, $1::int) n returning id`,
    [organizations, JSON.stringify(defaultPolicies)],
  )
  await database.query(
    `insert into users (organization_id, name, email)
      select o.id, (array['Ada','Ben','Cleo','Dan','Eve','Finn','Gus','Hana','Ivo','Jo'])[1 + n * 7 % 10] || ' ' ||
        (array['Adler','Berg','Clark','Diaz','Evans','Fuchs','Gray','Hoff','Ito','Jensen','Klein'])[1 + n * 13 % 11] || ' ' || n,
        'person-' || n || '@' || o.slug || '.test'
      from organizations o, generate_series(1, $1::int) n`,
    [people],
  )
  const organizationId = made[0]?.id ?? ''
  await database.query(
    `insert into groups (organization_id, name) select $1, 'Group ' || n from generate_series(1, 40) n`,
    [organizationId],
  )
  await database.query(
    `insert into group_members (organization_id, group_id, user_id)
      select $1, g.id, u.id from (select id, row_number() over (order by id) as n from users where organization_id = $1) u
      join (select id, row_number() over (order by id) as n from groups where organization_id = $1) g
        on g.n in (1 + u.n % 40, 1 + (u.n + 7) % 40)`,
    [organizationId],
  )
  const token = await signIn(database, organizationId)
  await database.query('vacuum analyze')
  return { organizationId, token }
}

async function signIn(database: BenchDatabase, organizationId: string): Promise<string> {
  const token = `sr_${randomToken()}`
  await database.query(
    `with admin as (update users set role = 'admin' where id = (select min(id::text)::uuid from users where organization_id = $1)
        returning id)
      insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
      select id, $2, now() + interval '1 hour', now() + interval '1 day' from admin`,
    [organizationId, sha256(token)],
  )
  return token
}
