import { encodeCursor } from '#server/platform/http/paging.ts'
import { percentile, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { fire, requestOf } from './load.ts'
import { addPopulation, signInAdmin } from './population.ts'
import { peakMemory, startProgram } from './program.ts'

const people = 1_000_000
const memberships = 100_000
const groups = 1_000
const rounds = 200
const warmUps = 20
const connections = 2

/** The list of people in an organization of a million, as an administrator uses it. */
export async function lists(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const seeded = await seed(database)
    const environment = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, RUN: 'api' }
    const ours = await startProgram('server/main.ts', environment)
    const figures: Figure[] = []
    for (const ask of await questions(database, seeded))
      figures.push(...(await measure({ ...ask, url: ours.url, seeded })))
    const memory = peakMemory(ours.pid)
    await ours.stop()
    return [
      ...figures,
      { workload: 'lists', what: 'memory of the process at most', unit: 'MB', ours: memory },
    ]
  } finally {
    await database.close()
  }
}

type Seeded = { organizationId: string; videoId: string; token: string }
/** `query` gives the n-th request; `p95`: milliseconds that nineteen of twenty answers may take. */
type Question = { what: string; query: (n: number) => string; p95?: number }

async function measure({ what, query, p95, url, seeded }: Question & { url: string; seeded: Seeded }) {
  const requests = Array.from({ length: warmUps + rounds }, (_, n) =>
    requestOf(`GET /api/organizations/${seeded.organizationId}/users?${query(n)}`, {
      authorization: `Bearer ${seeded.token}`,
    }),
  )
  await fire({ url, connections, requests: requests.slice(0, warmUps) })
  const { latencies } = await fire({ url, connections, requests: requests.slice(warmUps) })
  const line = (name: string, share: number): Figure => ({
    workload: 'lists',
    what: `${what}, ${name}`,
    unit: 'ms',
    ours: percentile(latencies, share),
  })
  const budget = p95 === undefined ? {} : { target: { of: 'figure', most: p95 } as const }
  return [line('median', 0.5), { ...line('p95', 0.95), ...budget }, line('p99', 0.99)]
}

const quick = 50
const forgiving = 150

async function questions(database: BenchDatabase, { organizationId, videoId }: Seeded): Promise<Question[]> {
  const known = await database.query<{ id: string; name: string; email: string; key: string }>(
    `select id, name, email, lower(name) as key from users tablesample bernoulli (0.1) repeatable (7)
      where organization_id = $1 and role is null order by id`,
    [organizationId],
  )
  const [group] = await database.query<{ id: string }>('select min(id::text) as id from groups')
  const one = (n: number) => known[(n * 7) % known.length] ?? { id: '', name: '', email: '', key: '' }
  const named = (n: number) => one(n).name.toLowerCase()
  const asked = (values: Record<string, string>) => new URLSearchParams(values).toString()
  const search = (q: (n: number) => string) => (n: number) => asked({ q: q(n) })
  const position = (n: number) => encodeCursor([one(n).key, one(n).id])
  return [
    { what: 'first page', query: () => '', p95: quick },
    { what: 'first page, last seen first', query: () => 'sort=-lastSeenAt', p95: quick },
    { what: 'page anywhere, by keyset', query: (n) => asked({ after: position(n) }), p95: quick },
    { what: 'page before it, by keyset', query: (n) => asked({ before: position(n) }), p95: quick },
    { what: 'page at offset 10,000', query: () => 'offset=10000' },
    { what: 'search, three letters', query: search((n) => named(n).slice(0, 3)), p95: quick },
    {
      what: 'search, two words',
      query: search((n) => named(n).split(' ').toReversed().join(' ')),
      p95: quick,
    },
    { what: 'search, a whole address', query: search((n) => one(n).email), p95: quick },
    { what: 'search, a letter wrong', query: search((n) => mistyped(named(n), n)), p95: forgiving },
    { what: 'search, nobody near', query: search((n) => `xq${n}zzv kwj`), p95: forgiving },
    { what: 'state disabled', query: () => 'state=disabled' },
    { what: 'role admin', query: () => 'role=admin' },
    { what: 'one group', query: () => asked({ groupId: group?.id ?? '' }) },
    { what: 'seen within 7 days', query: () => 'seen=within7' },
    { what: 'not seen for 90 days', query: () => 'seen=not90' },
    { what: 'has not watched a video', query: () => asked({ notWatched: videoId }) },
    { what: 'a field of the organization', query: (n) => asked({ field: `site:Site ${n % 200}` }) },
    {
      what: 'all of these together',
      query: () => asked({ notWatched: videoId, seen: 'not90', state: 'active', field: 'site:Site 7' }),
    },
  ]
}

/** The same with one slip: two letters changed places, one left out, one doubled, or another one, by turns. */
function mistyped(name: string, n: number): string {
  const at = 1 + (n % 3)
  const [before, one, two, rest] = [
    name.slice(0, at),
    name.charAt(at),
    name.charAt(at + 1),
    name.slice(at + 2),
  ]
  const slips = [two + one, two, one + one + two, `q${two}`]
  return before + (slips[n % slips.length] ?? '') + rest
}

/** Half have completed the video; a tenth is in groups. */
async function seed(database: BenchDatabase): Promise<Seeded> {
  const organizationId = await addPopulation(database, people)
  await database.query(
    `insert into groups (organization_id, name) select $1, 'Group ' || n from generate_series(1, $2::int) n`,
    [organizationId, groups],
  )
  await database.query(
    `insert into group_members (organization_id, group_id, user_id)
      select $1, g.id, u.id from (select id, row_number() over (order by id) as n from users limit $2) u
      join (select id, row_number() over (order by id) as n from groups) g on g.n = 1 + u.n % $3`,
    [organizationId, memberships, groups],
  )
  const videoId = await watch(database, organizationId)
  const token = await signInAdmin(database, organizationId)
  await database.query('vacuum analyze')
  return { organizationId, videoId, token }
}

async function watch(database: BenchDatabase, organizationId: string): Promise<string> {
  const [video] = await database.query<{ id: string }>(
    `with p as (insert into projects (organization_id, name) values ($1, 'P') returning id)
      insert into videos (organization_id, project_id, title, state) select $1, id, 'V', 'ready' from p returning id`,
    [organizationId],
  )
  const videoId = video?.id ?? ''
  await database.query(
    `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, first_at, last_at, completed_at)
      select $2, 'recipient:' || u.id, $1, $2, u.id, now(), now(), now()
      from (select id, row_number() over (order by id) as n from users) u where u.n % 2 = 0`,
    [organizationId, videoId],
  )
  return videoId
}
