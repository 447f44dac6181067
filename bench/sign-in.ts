import { randomInt } from 'node:crypto'
import http from 'node:http'
import path from 'node:path'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { hashPassword } from '#server/identity/password/hash.ts'
import { median, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { startProgram } from './program.ts'

/** Of each kind of address; each is asked for once, so that no limit of an account is ever near. */
const samples = 1_000
const warmUps = 20
/** Percent by which an answer may tell whether the address is known. */
const most = 5

type Question = { url: string; body: (email: string) => object; status: number }
const questions: Record<string, Question> = {
  'wrong password': {
    url: '/api/auth/login',
    body: (identifier) => ({ identifier, password: 'surely not the right one' }),
    status: 401,
  },
  'forgotten password': {
    url: '/api/authorizations/forgot-password',
    body: (identifier) => ({ identifier }),
    status: 202,
  },
}

/** Whether the time of an answer tells if somebody has an account: known against unknown addresses, mixed by chance. */
export async function signIn(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    await addPeople(database)
    const product = await startProgram('server/main.ts', {
      DATABASE_URL: database.url,
      DATA_DIR: path.join(database.dataDir, 'product'),
    })
    try {
      const figures: Figure[] = []
      for (const [name, question] of Object.entries(questions))
        figures.push(...compare(name, await ask(product.url, question)))
      return figures
    } finally {
      await product.stop()
    }
  } finally {
    await database.close()
  }
}

async function addPeople(database: BenchDatabase): Promise<void> {
  await database.query(
    `with o as (insert into organizations (name, slug, policies) values ('Timing', 'timing', $1) returning id)
      insert into users (organization_id, name, email, role, password_hash)
      select o.id, 'Person ' || n, 'known-' || n || '@timing.test', 'admin', $2 from o, generate_series(0, $3::int) n`,
    [JSON.stringify(defaultPolicies), await hashPassword('the right one of these people'), samples + warmUps],
  )
}

type Sample = { known: boolean; ms: number }

/** One after another over one connection. Each comes from a network of its own, as the proxy in front would say. */
async function ask(url: string, question: Question): Promise<Sample[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const taken: Sample[] = []
  for (const [turn, { known, number }] of order().entries()) {
    const ip = `10.${turn >> 8}.${turn & 255}.1`
    const body = JSON.stringify(question.body(`${known ? 'known' : 'nobody'}-${number}@timing.test`))
    const { status, ms } = await post(new URL(question.url, url), { agent, ip, body })
    if (status !== question.status) throw new Error(`${question.url} answered ${status}`)
    if (turn >= 2 * warmUps) taken.push({ known, ms })
  }
  agent.destroy()
  return taken
}

/** Every address once, in an order that nothing else can follow. */
function order(): { known: boolean; number: number }[] {
  return Array.from({ length: 2 * (samples + warmUps) }, (_, n) => ({
    known: n % 2 === 0,
    number: n >> 1,
    lot: randomInt(2 ** 32),
  })).sort((a, b) => a.lot - b.lot)
}

type Sending = { agent: http.Agent; ip: string; body: string }

function post(url: URL, { agent, ip, body }: Sending): Promise<{ status: number; ms: number }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-forwarded-for': ip,
    }
    const began = performance.now()
    const request = http.request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, ms: performance.now() - began }))
    })
    request.once('error', reject)
    request.end(body)
  })
}

function compare(what: string, taken: Sample[]): Figure[] {
  const workload = `sign-in, ${what}`
  const of = (known: boolean) => taken.filter((sample) => sample.known === known).map(({ ms }) => ms)
  // What an answer leaves to be done could show in the next one.
  const after = (known: boolean) =>
    taken.filter((_sample, n) => taken[n - 1]?.known === known).map(({ ms }) => ms)
  const line = (name: string, middle: (values: number[]) => number, pick = of): Figure => {
    const [known, unknown] = [middle(pick(true)), middle(pick(false))]
    const ours = (Math.abs(known - unknown) / unknown) * 100
    return { workload, what: name, unit: '%', ours, target: { of: 'figure', most } }
  }
  return [
    { workload, what: 'known address, median', unit: 'ms', ours: median(of(true)) },
    { workload, what: 'unknown address, median', unit: 'ms', ours: median(of(false)) },
    line('difference of the medians', median),
    line('difference of the means, slowest tenth left out', trimmedMean),
    line('difference in the request after it, medians', median, after),
  ]
}

function trimmedMean(values: number[]): number {
  const fastest = values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length * 0.9))
  return fastest.reduce((sum, value) => sum + value, 0) / fastest.length
}
