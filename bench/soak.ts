import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { keysOf, type Keys } from '#server/platform/keys.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { bound, median, percentile, type Figure } from './figures.ts'
import { viewing } from './ingest.ts'
import { fire, requestOf } from './load.ts'
import { addPopulation, signInAdmin } from './population.ts'
import { startProgram } from './program.ts'

const workload = 'soak'
const people = 10_000
const connections = 16
/** Of ten requests: so many are reports of viewing, the others are of people in the console. */
const reportsOfTen = 7

type Minute = { p99: number; memory: number; handles: number; sessions: number }
/** Minutes: of a run that is broken off, it is known how it went until then. */
const tellEvery = 10
const units: Record<keyof Minute, string> = { p99: 'ms', memory: 'MB', handles: '', sessions: '' }

/** A mixed load at half of what the product can carry, for so many minutes: what grows that should not? */
export async function soak({ minutes }: { minutes: number }): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const secret = randomBytes(32).toString('base64url')
    const mix = await mixOf(database, keysOf(secret))
    const environment = {
      DATABASE_URL: database.url,
      DATA_DIR: database.dataDir,
      SECRET_KEY: secret,
      RUN: 'api,worker',
    }
    const product = await startProgram('server/main.ts', environment)
    await fire({ ...product, connections, requests: mix(2_000) })
    const full = await fire({ ...product, connections, requests: mix(10_000) })
    const perSecond = Math.round(10_000 / full.seconds / 2)
    const observed: Minute[] = []
    for (let minute = 0; minute < minutes; minute++) {
      const latencies = await oneMinute(product.url, () => mix(perSecond))
      const present = { p99: percentile(latencies, 0.99), ...(await presentOf(database, product.pid)) }
      observed.push(present)
      if (observed.length % tellEvery === 0)
        console.log(`  ${observed.length} of ${minutes} min: ${lineOf(present)}`)
    }
    await product.stop()
    return figuresOf(observed, perSecond)
  } finally {
    await database.close()
  }
}

async function mixOf(database: BenchDatabase, keys: Keys): Promise<(count: number) => Buffer[]> {
  const organizationId = await addPopulation(database, people)
  const authorization = `Bearer ${await signInAdmin(database, organizationId)}`
  const known = await database.query<{ id: string; key: string }>(
    `select id, left(lower(name), 3) as key from users where organization_id = $1 order by hashtext(id::text) limit 500`,
    [organizationId],
  )
  await database.query('vacuum analyze')
  const get = (path: string) =>
    requestOf(`GET /api/organizations/${organizationId}/${path}`, { authorization })
  const reads = known.flatMap(({ id, key }, n) => [
    get(`users/${id}`),
    get(`users?limit=25&offset=${(n % 40) * 25}`),
    get(`users?limit=25&q=${key}`),
  ])
  let read = 0
  return (count) => {
    const reports = viewing(keys, Math.ceil((count * reportsOfTen) / 10))
    return Array.from({ length: count }, (_, n) => {
      const report = n % 10 < reportsOfTen ? reports.pop() : undefined
      return report ?? reads[read++ % reads.length] ?? Buffer.alloc(0)
    })
  }
}

const lineOf = ({ p99, memory, handles, sessions }: Minute): string =>
  `99th percentile ${p99.toFixed(1)} ms, ${memory.toFixed(0)} MB, ${handles} open files and connections, ${sessions} sessions of the database`

/** Every second one volley; what a second could not carry is taken from the rest of it. */
async function oneMinute(url: string, volley: () => Buffer[]): Promise<Float64Array> {
  const latencies: number[] = []
  for (let second = 0; second < 60; second++) {
    const began = performance.now()
    latencies.push(...(await fire({ url, connections, requests: volley() })).latencies)
    await pause(Math.max(0, 1_000 - (performance.now() - began)))
  }
  return Float64Array.from(latencies).sort()
}

async function presentOf(database: BenchDatabase, pid: number): Promise<Omit<Minute, 'p99'>> {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  const [row] = await database.query<{ n: number }>('select count(*)::int as n from pg_stat_activity')
  return {
    memory: Number(kilobytes) / 1024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    sessions: row?.n ?? 0,
  }
}

/** The last quarter beside the second: the first warms up. */
function figuresOf(observed: readonly Minute[], perSecond: number): Figure[] {
  const quarter = Math.max(1, Math.floor(observed.length / 4))
  const early = observed.slice(quarter, 2 * quarter)
  const late = observed.slice(-quarter)
  const compared = (what: string, key: keyof Minute, most: number): Figure => ({
    workload,
    what: `${what}, in the last quarter beside the second`,
    unit: units[key],
    ours: median(late.map((minute) => minute[key])),
    beside: { name: 'earlier', value: median(early.map((minute) => minute[key])) },
    target: { of: 'ratio', most },
  })
  return [
    { workload, what: 'minutes', unit: 'min', ours: observed.length },
    { workload, what: 'half of what it can carry', unit: '/s', ours: perSecond },
    compared('memory of the process', 'memory', 1.1),
    compared('open files and connections', 'handles', 1.1),
    compared('sessions of the database', 'sessions', 1.1),
    compared('99th percentile', 'p99', 1.25),
    {
      workload,
      what: 'memory of the process at most',
      unit: 'MB',
      ours: Math.max(...observed.map(({ memory }) => memory)),
      target: bound(300),
    },
  ]
}
