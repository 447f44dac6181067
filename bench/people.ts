import { randomUUID } from 'node:crypto'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { hashPassword } from '#server/identity/password/hash.ts'
import { encodeCursor } from '#server/platform/http/lists/paging.ts'
import { randomToken, sha256 } from '#server/platform/keys.ts'
import { duel, type Result } from './duel.ts'
import { bound, type Bound, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { ingest } from './ingest.ts'
import { requestOf } from './load.ts'
import { peakMemory, startProgram } from './program.ts'

const connections = 8
const rounds = 5
const accounts = 60
const password = 'the right one of these people'

/** People in the organization in which everything but the search is measured. */
export const usual = 10_000
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
    const floor = await startProgram('bench/floors/floor-people.ts', {
      ...environment,
      DATABASE_URL: database.ownerUrl,
    })
    const figures: Figure[] = []
    for (const { count, ask, ...question } of questions(places)) {
      const requests = () => Array.from({ length: count }, (_, n) => ask(n))
      const sides = { floor: { programs: [floor], requests }, ours: { programs: [ours], requests } }
      const rules = { databasePid: database.pid, connections: question.connections ?? connections, rounds }
      figures.push(...lines(question, await duel(sides, rules)))
    }
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

export function questions(places: readonly Place[]): Question[] {
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
      ask: signIn,
      most: 1.25,
      connections: 4,
      perSecond: { of: 'ratio', least: 0.8 },
    },
  ]
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
  const row = (key: keyof Result) => ({ workload, ours: ours[key], floor: floor[key] })
  return [
    { ...row('cpu'), what, unit: cpu, target: { of: 'ratio', most } },
    { ...row('perSecond'), what: `${what}: answers`, unit: '/s', ...(perSecond && { target: perSecond }) },
    { ...row('p95'), what: `${what}: p95`, unit: 'ms', ...(p95 && { target: p95 }) },
  ]
}

export async function addPlace(database: BenchDatabase, size: number): Promise<Place> {
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

/** Of given names the first two, of family names the last three. */
const syllables = [
  'jo ma li ka be su an da el fi ge ha iv no pe ro sa to vi wi ya ze chri steph mar',
  'hn ria nda tha san na niel ena nn org rry an ra ter bert lly mas ctor liam nie stian cus lle vin dia go nas lia',
  'sm wil jo br gar mil dav rod mar her lop gon and tho tay moo jack lee per thom whi har san cla ram',
  'ith li hns ow ci ler is rig ti nan ez za er mas lor re so es kin pson',
  'son ez man berg ton ski er dal',
]

/** An organization of so many people with names as people have them: two thirds were seen within a year, everybody has a site. */
async function addPopulation(database: BenchDatabase, people: number): Promise<string> {
  const slug = `of-${people}`
  const [organization] = await database.query<{ id: string }>(
    `insert into organizations (name, slug, policies) values ($1, $1, $2::jsonb) returning id`,
    [slug, JSON.stringify(defaultPolicies)],
  )
  const organizationId = organization?.id ?? ''
  await database.query(
    `with first as (select array_agg(initcap(a || b)) as names from unnest(string_to_array($4, ' ')) a, unnest(string_to_array($5, ' ')) b),
      last as (select array_agg(initcap(a || b || c)) as names
        from unnest(string_to_array($6, ' ')) a, unnest(string_to_array($7, ' ')) b, unnest(string_to_array($8, ' ')) c),
      made as (select n, first.names[1 + hash(n, 1) % cardinality(first.names)] as given, last.names[1 + hash(n, 2) % cardinality(last.names)] as family
        from generate_series(1, $2::int) n, first, last)
      insert into users (organization_id, name, email, external_id, state, last_seen_at, created_at, custom_fields)
      select $1, given || ' ' || family, lower(given || '.' || family) || n || '@' || $3 || '.example', 'E' || lpad(n::text, 7, '0'),
        case when n % 50 = 0 then 'disabled' when n % 20 = 0 then 'invited' else 'active' end,
        case when n % 3 > 0 then now() - hash(n, 3) % 365 * interval '1 day' - n * interval '1 millisecond' end,
        now() - n * interval '1 second', jsonb_build_object('site', 'Site ' || n % 200)
      from made`.replaceAll(/hash\(n, (\d)\)/g, '(hashint8extended(n, $1) & 2147483647)'),
    [organizationId, people, slug, ...syllables],
  )
  return organizationId
}

/** The token of somebody there who is made its admin. */
async function signInAdmin(database: BenchDatabase, organizationId: string): Promise<string> {
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
