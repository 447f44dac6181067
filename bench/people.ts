import { randomUUID } from 'node:crypto'
import { hashPassword } from '#server/identity/hash.ts'
import { encodeCursor } from '#server/platform/http/paging.ts'
import { duel, type Result } from './duel.ts'
import { bound, type Bound, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { ingest } from './ingest.ts'
import { requestOf } from './load.ts'
import { addPopulation, signInAdmin } from './population.ts'
import { peakMemory, startProgram } from './program.ts'
import { storm } from './storm.ts'

const connections = 8
const rounds = 5
const accounts = 60
const password = 'the right one of these people'

/** People in the organization in which everything but the search is measured. */
const usual = 10_000
export const everySize = [1_000, usual, 100_000, 1_000_000]

/** What the long tests can afford. */
export async function gate(): Promise<Figure[]> {
  return [...(await people([1_000, usual])), ...(await ingest())].filter(({ unit }) => unit === cpu)
}

/** What administrators do with people, beside the barest program that does the same (`floor-people.ts`), by turns. */
export async function people(sizes: readonly number[]): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const places: Place[] = []
    for (const size of sizes) places.push(await addPlace(database, size))
    await addAccounts(database, places)
    await database.query('vacuum analyze')
    const environment = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, RUN: 'api' }
    const ours = await startProgram('server/main.ts', environment)
    const floor = await startProgram('bench/floor-people.ts', {
      ...environment,
      DATABASE_URL: database.ownerUrl,
    })
    const figures: Figure[] = []
    for (const { count, ask, ...question } of questions(places)) {
      const requests = () => Array.from({ length: count }, (_, n) => ask(n))
      const sides = { floor: { program: floor, requests }, ours: { program: ours, requests } }
      const rules = { databasePid: database.pid, connections: question.connections ?? connections, rounds }
      figures.push(...lines(question, await duel(sides, rules)))
    }
    figures.push(await storm(ours, inTheStorm(places)))
    const memory = peakMemory(ours.pid)
    await Promise.all([ours.stop(), floor.stop()])
    return [
      ...figures,
      { workload, what: 'memory of the process at most', unit: 'MB', ours: memory, target: bound(220) },
    ]
  } finally {
    await database.close()
  }
}

const workload = 'people'
export const cpu = 'CPU s / 1,000'

/** An organization, the token of its admin, and some of its people. */
type Place = { size: number; organizationId: string; token: string; known: Known[] }
type Known = { id: string; name: string; key: string }

type Question = {
  what: string
  /** Requests of one round: so many that their time on a processor can be told. */
  count: number
  ask: (n: number) => Buffer
  /** Of the ratio of CPU. */
  most: number
  connections?: number
  p95?: Bound
  perSecond?: Bound
}

function questions(places: readonly Place[]): Question[] {
  const place = places.find(({ size }) => size === usual)
  if (!place) throw new Error(`an organization of ${usual} is needed`)
  const page = (query: string) => get(place, `users?limit=25${query}`)
  const behind = (n: number) => {
    const { key, id } = one(place, n)
    return encodeCursor([key, id])
  }
  return [
    { what: 'read one', count: 4_000, ask: (n) => get(place, `users/${one(place, n).id}`), most: 2 },
    {
      what: 'list page of 25 of 10,000, with its total',
      count: 400,
      ask: (n) => page(`&offset=${(n % 4) * 25}`),
      most: 1.4,
    },
    {
      what: 'the same with a filter by state',
      count: 400,
      ask: (n) => page(`&state=active&offset=${(n % 4) * 25}`),
      most: 1.4,
    },
    { what: 'page at offset 5,000', count: 200, ask: () => page('&offset=5000'), most: 2 },
    { what: 'page by keyset', count: 400, ask: (n) => page(`&after=${behind(n)}`), most: 2 },
    ...places.map((where) => ({
      what: `search of three letters and filter by state, of ${where.size.toLocaleString('en-US')}`,
      count: Math.max(20, Math.min(400, 4_000_000 / where.size)),
      ask: (n: number) => get(where, `users?limit=25&state=active&q=${one(where, n).key.slice(0, 3)}`),
      most: 4,
      connections: 2,
      p95: bound(60),
    })),
    {
      what: 'create one, with its entry of the audit, in one organization',
      count: 200,
      ask: () => create(place),
      most: 6,
      perSecond: { of: 'figure', least: 100 },
    },
    {
      what: 'sign in',
      count: 40,
      ask: (n) => signIn(n),
      most: 1.25,
      connections: 4,
      perSecond: { of: 'ratio', least: 0.8 },
    },
  ]
}

/** The reads are over before the sign-ins are. */
function inTheStorm([place]: readonly Place[]) {
  if (!place) throw new Error('an organization is needed')
  const many = (count: number, ask: (n: number) => Buffer) => () =>
    Array.from({ length: count }, (_, n) => ask(n))
  return { reads: many(500, (n) => get(place, `users/${one(place, n).id}`)), signIns: many(200, signIn) }
}

const one = ({ known }: Place, n: number) => known[(n * 7) % known.length] ?? { id: '', name: '', key: '' }

function get({ organizationId, token }: Place, path: string): Buffer {
  return requestOf(`GET /api/organizations/${organizationId}/${path}`, { authorization: `Bearer ${token}` })
}

function create({ organizationId, token }: Place): Buffer {
  const body = JSON.stringify({ name: 'Made Now', email: `${randomUUID()}@made.example` })
  return requestOf(
    `POST /api/organizations/${organizationId}/users`,
    { authorization: `Bearer ${token}` },
    body,
  )
}

/** Each from a network of its own, as the proxy in front would say, so that no limit is near. */
function signIn(n: number): Buffer {
  const from = { 'x-forwarded-for': `10.${n % 250}.1.1` }
  const body = JSON.stringify({ identifier: `account-${n % accounts}@accounts.example`, password })
  return requestOf('POST /api/auth/login', from, body)
}

function lines(
  { what, most, p95, perSecond }: Omit<Question, 'count' | 'ask'>,
  { floor, ours }: Record<'floor' | 'ours', Result>,
): Figure[] {
  const beside = (key: keyof Result) => ({ name: 'floor' as const, value: floor[key] })
  return [
    {
      workload,
      what,
      unit: cpu,
      ours: ours.cpu,
      beside: beside('cpu'),
      target: { of: 'ratio', most },
    },
    {
      workload,
      what: `${what}: answers`,
      unit: '/s',
      ours: ours.perSecond,
      beside: beside('perSecond'),
      ...(perSecond && { target: perSecond }),
    },
    {
      workload,
      what: `${what}: p95`,
      unit: 'ms',
      ours: ours.p95,
      beside: beside('p95'),
      ...(p95 && { target: p95 }),
    },
  ]
}

async function addPlace(database: BenchDatabase, size: number): Promise<Place> {
  const organizationId = await addPopulation(database, size)
  const token = await signInAdmin(database, organizationId)
  const known = await database.query<Known>(
    `select id, name, lower(name) as key from users where organization_id = $1 order by hashtext(id::text) limit 500`,
    [organizationId],
  )
  return { size, organizationId, token, known }
}

async function addAccounts(database: BenchDatabase, places: readonly Place[]): Promise<void> {
  await database.query(
    `insert into users (organization_id, name, email, role, password_hash)
      select $1, 'Account ' || n, 'account-' || n || '@accounts.example', 'admin', $2 from generate_series(0, $3::int - 1) n`,
    [places[0]?.organizationId, await hashPassword(password), accounts],
  )
}
