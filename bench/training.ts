import { defaultPolicies } from '#contract/organizations.ts'
import { connect, type Database } from '#server/platform/db/client.ts'
import { randomToken, sha256 } from '#server/platform/keys.ts'
import { overduePeople } from '#server/matrix/overdue.ts'
import { drain } from '#server/platform/derived/keys.ts'
import { matrixNow } from '#server/matrix/current.ts'
import { trainingCells } from '#server/matrix/recompute.ts'
import { fillTraining } from '#server/testing/training.ts'
import { percentile, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { fire, requestOf } from './load.ts'
import { cpuSeconds, startProgram } from './program.ts'

const workload = 'training'
const size = { people: 1_000, videos: 200 }
const rounds = 30
const warmUps = 5

const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
const questions = [
  { what: 'columns with their sums', path: '' },
  { what: '100 rows by name', path: '/people?limit=100' },
  { what: '100 rows, most overdue first', path: '/people?limit=100&sort=-overdue' },
  { what: '100 rows, least done first', path: '/people?limit=100&sort=done' },
  { what: '100 rows with something overdue', path: '/people?limit=100&state=overdue' },
  { what: 'columns with their sums, of yesterday', path: `?on=${yesterday}` },
  { what: '100 rows by name, of yesterday', path: `/people?limit=100&on=${yesterday}` },
]

type Bench = { database: BenchDatabase; db: Database; organizationId: string }

/**
 * The training matrix of a thousand people and two hundred videos: how long its sums take, as after an upgrade and as messages and
 * viewing change it, and what it costs as its page asks for it, as it is and as it was yesterday.
 */
export async function training(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  const db = connect(database.url, { max: 1 })
  try {
    const { organizationId, token } = await seed(database)
    const bench = { database, db, organizationId }
    const figures = await settling(bench)
    await change(bench)
    await database.query('vacuum analyze')
    figures.push(...(await asking(bench, token)), await overdue(bench))
    return figures
  } finally {
    await db.close()
    await database.close()
  }
}

async function settling({ database, db, organizationId }: Bench): Promise<Figure[]> {
  const cpuOf = async (mark: string, times = 1): Promise<number> => {
    let [cpu, cells] = [0, 0]
    for (let n = 0; n < times; n++) {
      await database.query('delete from dirty_keys')
      await database.query(mark, [organizationId])
      const [marked] = await database.query<{ n: number }>(
        'select case when bool_or(person is null) then $1 else count(*)::int end as n from dirty_keys',
        [size.people * size.videos],
      )
      cells += marked?.n ?? 0
      const before = cpuSeconds(database.pid)
      await drain(db, trainingCells)
      cpu += cpuSeconds(database.pid) - before
    }
    return (cpu * 1e6) / cells
  }
  const whole = `insert into dirty_keys (figure, organization_id) values ('training', $1)`
  const single = `insert into dirty_keys (figure, organization_id, subject, person) select 'training', organization_id, video_id, user_id
    from training_cells where organization_id = $1 and abs(hashtext(user_id::text || video_id)) % 10 = 0`
  const line = { workload, unit: 'µs' } as const
  return [
    { ...line, what: 'one cell, all of them counted, CPU', ours: await cpuOf(whole) },
    { ...line, what: 'one cell, a tenth of them marked, CPU', ours: await cpuOf(single) },
    {
      ...line,
      what: 'one cell, ten of them at a time, CPU',
      ours: await cpuOf(`${single} limit 10`, rounds),
    },
  ]
}

/** Every cell was as it is for nine days, and has changed today. */
async function change({ database, organizationId }: Bench): Promise<void> {
  const ago = `now() - interval '9 days'`
  await database.query(`update organizations set time_zone = 'UTC', matrix_since = ${ago}`)
  for (const table of ['users', 'videos']) await database.query(`update ${table} set created_at = ${ago}`)
  for (const since of [ago, 'statement_timestamp()'])
    await database.query(`update training_cells set since = ${since} where organization_id = $1`, [
      organizationId,
    ])
}

async function asking({ database, organizationId }: Bench, token: string): Promise<Figure[]> {
  const environment = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, RUN: 'api' }
  const ours = await startProgram('server/main.ts', environment)
  const figures: Figure[] = []
  for (const { what, path } of questions) {
    const request = requestOf(`GET /api/organizations/${organizationId}/training${path}`, {
      authorization: `Bearer ${token}`,
    })
    const ask = (n: number) =>
      fire({ url: ours.url, connections: 1, requests: Array.from({ length: n }, () => request) })
    await ask(warmUps)
    const before = cpuSeconds(database.pid)
    const { latencies } = await ask(rounds)
    const cpu = ((cpuSeconds(database.pid) - before) * 1_000) / rounds
    const line = { workload, unit: 'ms' } as const
    figures.push({ ...line, what: `${what}, CPU`, ours: cpu, target: { of: 'figure', most: 100 } })
    figures.push({ ...line, what: `${what}, median`, ours: percentile(latencies, 0.5) })
  }
  await ours.stop()
  return figures
}

async function overdue({ database, db, organizationId }: Bench): Promise<Figure> {
  const ask = () =>
    db.as('system', async (tx) =>
      tx.execute(overduePeople({ organizationId, groupIds: undefined }, await matrixNow(tx, organizationId))),
    )
  for (let n = 0; n < warmUps; n++) await ask()
  const before = cpuSeconds(database.pid)
  for (let n = 0; n < rounds; n++) await ask()
  const ours = ((cpuSeconds(database.pid) - before) * 1_000) / rounds
  return { workload, what: 'overdue people, CPU', unit: 'ms', ours, target: { of: 'figure', most: 20 } }
}

async function seed(database: BenchDatabase): Promise<{ organizationId: string; token: string }> {
  const token = `sr_${randomToken()}`
  const [made] = await database.query<{ id: string }>(
    `with o as (insert into organizations (name, slug, policies) values ('Acme', 'acme', $1) returning id),
      u as (insert into users (organization_id, name, email, role) select id, 'Ada', 'ada@acme.test', 'admin' from o returning id),
      s as (insert into sessions (user_id, token_hash, idle_expires_at, expires_at, reauthenticated_at, amr)
        select id, $2, now() + interval '1 day', now() + interval '1 day', now(), '{pwd}' from u)
    select id from o`,
    [defaultPolicies, sha256(token)],
  )
  const organizationId = made?.id ?? ''
  await fillTraining((text, values) => database.query(text, values), { organizationId, ...size })
  return { organizationId, token }
}
