import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { duel } from './duel.ts'
import type { Figure } from './figures.ts'
import { requestOf } from './load.ts'
import { cpu } from './people.ts'
import { addPopulation } from './population.ts'
import { peakMemory, startProgram } from './program.ts'

const account = { email: 'admin@peer.example.com', password: 'the right one of these people' }
const connections = 8
const rounds = 5
const workload = 'directus'

/**
 * The same as `people` by a peer, on the same people and machine. Where it is installed stands in DIRECTUS, and the Node.js that it
 * was installed with in DIRECTUS_NODE.
 */
export async function directus(): Promise<Figure[]> {
  const folder = process.env['DIRECTUS']
  if (folder === undefined) {
    console.log('  directus: install it (npm install directus) and name its folder in DIRECTUS; left out')
    return []
  }
  const database = await startBenchDatabase()
  try {
    await database.query('create database peer')
    const url = database.ownerUrl.replace('/sendreel?', '/peer?')
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const organizationId = await addPeople(database, pool)
    const known = await pool.query<Known>(
      'select id, name from people where organization_id = $1 order by hashtext(id::text) limit 500',
      [organizationId],
    )
    await pool.end()
    const environment = await environmentOf(url)
    const script = path.join(folder, 'node_modules/directus/cli.js')
    await promisify(execFile)(environment.NODE, [script, 'bootstrap'], {
      env: { ...process.env, ...environment },
    })
    const program = await startProgram(script, environment, ['start'])
    const token = await signInAt(program.url)
    await announce(program.url, token)
    const figures: Figure[] = []
    for (const { what, count, ask } of questions(known.rows, { organizationId, token })) {
      const requests = () => Array.from({ length: count }, (_, n) => ask(n))
      const rules = { databasePid: database.pid, connections, rounds }
      const { peer } = await duel({ peer: { program, requests } }, rules)
      figures.push(
        { workload, what, unit: cpu, ours: peer.cpu },
        { workload, what: `${what}: answers`, unit: '/s', ours: peer.perSecond },
        { workload, what: `${what}: p95`, unit: 'ms', ours: peer.p95 },
      )
    }
    const memory = peakMemory(program.pid)
    await program.stop()
    return [...figures, { workload, what: 'memory of the process at most', unit: 'MB', ours: memory }]
  } finally {
    await database.close()
  }
}

async function environmentOf(url: string) {
  return {
    NODE: process.env['DIRECTUS_NODE'] ?? process.execPath,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    KEY: randomUUID(),
    SECRET: randomUUID(),
    ADMIN_EMAIL: account.email,
    ADMIN_PASSWORD: account.password,
    TELEMETRY: 'false',
    LOG_LEVEL: 'info',
    // Beside other work it would refuse instead of answering late.
    PRESSURE_LIMITER_ENABLED: 'false',
    PORT: String(await freePort()),
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const columns =
  'id uuid, organization_id uuid, name text, email text, state text, phone text, external_id text, created_at timestamptz'

/** A table as an administrator of Directus would make it, with the index that these questions want. */
async function addPeople(database: BenchDatabase, peer: pg.Pool): Promise<string> {
  const ids: string[] = []
  for (const size of [10_000, 90_000]) ids.push(await addPopulation(database, size))
  const names = columns.replaceAll(/ [a-z]+(,|$)/g, '$1')
  const people = await database.query(`select ${names} from users`)
  await peer.query(`create table people (${columns}, primary key (id))`)
  await peer.query(`insert into people select * from jsonb_to_recordset($1) as p(${columns})`, [
    JSON.stringify(people),
  ])
  await peer.query('create index on people (organization_id, name, id)')
  await peer.query('vacuum analyze people')
  return ids[0] ?? ''
}

async function send(
  method: string,
  url: string,
  { token, ...body }: { token?: string } & Record<string, unknown>,
): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

async function signInAt(url: string): Promise<string> {
  const answer = (await send('POST', `${url}/auth/login`, account)) as { data: { access_token: string } }
  return answer.data.access_token
}

/** The table becomes a collection, whose changes are written into its activity like ours into the audit. */
async function announce(url: string, token: string): Promise<void> {
  await send('PATCH', `${url}/collections/people`, { token, meta: { accountability: 'all' } })
}

type Asked = { what: string; count: number; ask: (n: number) => Buffer }
type Known = { id: string; name: string }
type Place = { organizationId: string; token: string }

function questions(known: readonly Known[], { organizationId, token }: Place): Asked[] {
  const one = (n: number) => known[(n * 7) % known.length] ?? { id: '', name: '' }
  const authorization = `Bearer ${token}`
  const get = (what: string) => requestOf(`GET ${what}`, { authorization })
  const page = (more: Record<string, string>, filters: object[] = []) => {
    const filter = JSON.stringify({ _and: [{ organization_id: { _eq: organizationId } }, ...filters] })
    const query = new URLSearchParams({ filter, sort: 'name,id', limit: '25', meta: 'filter_count', ...more })
    return get(`/items/people?${query.toString()}`)
  }
  const active = { state: { _eq: 'active' } }
  const named = (n: number) => ({ name: { _icontains: one(n).name.slice(0, 3) } })
  const make = () => {
    const body = {
      id: randomUUID(),
      organization_id: organizationId,
      name: 'Made Now',
      email: `${randomUUID()}@made.example`,
    }
    return requestOf('POST /items/people', { authorization }, JSON.stringify(body))
  }
  return [
    { what: 'read one', count: 400, ask: (n) => get(`/items/people/${one(n).id}`) },
    {
      what: 'list page of 25 of 10,000, with its total',
      count: 200,
      ask: (n) => page({ offset: String((n % 4) * 25) }),
    },
    {
      what: 'the same with a filter by state',
      count: 200,
      ask: (n) => page({ offset: String((n % 4) * 25) }, [active]),
    },
    { what: 'page at offset 5,000', count: 100, ask: () => page({ offset: '5000' }) },
    {
      what: 'search of three letters and filter by state, of 10,000',
      count: 100,
      ask: (n) => page({}, [active, named(n)]),
    },
    { what: 'create one, with its entry of the activity', count: 100, ask: make },
    { what: 'sign in', count: 40, ask: () => requestOf('POST /auth/login', {}, JSON.stringify(account)) },
  ]
}
