import { readdirSync, readFileSync } from 'node:fs'
import { percentile, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { fire, requestOf } from './load.ts'
import { startProgram, type Program } from './program.ts'
import { readersOf, seedMillion, type Reader } from './search-data.ts'

const rounds = 30
const warmUps = 3
const quick = 50

/** The search of the top bar over everything, as each role uses it, letter by letter and with slips. */
export async function search(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    await seedMillion(database.ownerUrl)
    const readers = await readersOf(database)
    const ours = await startProgram('server/main.ts', {
      DATABASE_URL: database.url,
      DATA_DIR: database.dataDir,
      RUN: 'api',
    })
    const figures: Figure[] = []
    for (const reader of readers) figures.push(...(await measure(database, { ...reader, ours })))
    await ours.stop()
    return figures
  } finally {
    await database.close()
  }
}

/** One kind of text after another, one request at a time, so that the time on a processor can be told for each. */
async function measure(
  database: BenchDatabase,
  { role, token, organizationId, ours }: Reader & { ours: Program },
) {
  const figures: Figure[] = []
  const all: Spent[] = []
  const ask = async (path: string): Promise<Spent> => {
    const request = requestOf(`GET /api/${path}`, { authorization: `Bearer ${token}` })
    const before = nanoseconds(database.pid) + nanoseconds(ours.pid)
    const { latencies } = await fire({ url: ours.url, connections: 1, requests: [request] })
    const cpu = (nanoseconds(database.pid) + nanoseconds(ours.pid) - before) / 1e6
    return { cpu, passed: latencies[0] ?? Number.NaN }
  }
  const volley = async (path: (n: number) => string): Promise<Spent[]> => {
    const spent: Spent[] = []
    for (let n = 0; n < warmUps + rounds; n++) spent.push(await ask(path(n)))
    return spent.slice(warmUps)
  }
  const known = await peopleOf(database, organizationId)
  const lookup = await volley((n) => `organizations/${known[n % known.length]?.home}`)
  const floor = { name: 'floor' as const, value: share(lookup, 'cpu', 0.95) }
  for (const { what, text } of await questions(database, { known, organizationId })) {
    const spent = await volley((n) => `search?${new URLSearchParams({ q: text(n) }).toString()}`)
    all.push(...spent)
    const line = (name: string, ours: number) => figure(`${role}, ${what}: ${name}`, ours)
    figures.push({ ...line('CPU, p95', share(spent, 'cpu', 0.95)), beside: floor, target })
    figures.push(line('CPU, median', share(spent, 'cpu', 0.5)))
    figures.push(line('passed, median', share(spent, 'passed', 0.5)))
    figures.push(line('passed, p95', share(spent, 'passed', 0.95)))
  }
  const whole = (name: string, of: keyof Spent) =>
    figure(`${role}, all of these: ${name}`, share(all, of, 0.95))
  return [
    ...figures,
    { ...whole('CPU, p95', 'cpu'), beside: floor, target },
    { ...whole('passed, p95', 'passed'), target },
  ]
}

/** Milliseconds of one request: on a processor, of the server and of the database together, and until its answer was there. */
type Spent = { cpu: number; passed: number }

const target = { of: 'figure', most: quick } as const

const share = (spent: readonly Spent[], of: keyof Spent, part: number) =>
  percentile(
    spent.map((one) => one[of]).toSorted((one, other) => one - other),
    part,
  )

/** What all threads of a process and its children have run so far; ticks of /proc/stat would be too coarse for one request. */
function nanoseconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [String(pid), ...children].reduce((sum, one) => {
    try {
      const threads = readdirSync(`/proc/${one}/task`)
      const ran = threads.map((thread) => readFileSync(`/proc/${one}/task/${thread}/schedstat`, 'utf8'))
      return sum + ran.reduce((all, line) => all + Number(line.split(' ')[0]), 0)
    } catch {
      // Ended meanwhile.
      return sum
    }
  }, 0)
}

const figure = (what: string, ours: number): Figure => ({ workload: 'search', what, unit: 'ms', ours })

type Question = { what: string; text: (n: number) => string }

type Known = { id: string; home: string; name: string; email: string }

function peopleOf(database: BenchDatabase, organizationId: string | null): Promise<Known[]> {
  return database.query<Known>(
    `select id, organization_id as home, name, email from users tablesample bernoulli (0.5) repeatable (7)
      where organization_id = coalesce($1, organization_id) order by hashtext(id::text) limit 200`,
    [organizationId],
  )
}

type Given = { known: readonly Known[]; organizationId: string | null }

async function questions(database: BenchDatabase, { known, organizationId }: Given): Promise<Question[]> {
  const films = await database.query<{ title: string }>(
    `select title from videos tablesample bernoulli (2) repeatable (7)
      where organization_id = coalesce($1, organization_id) order by hashtext(id::text) limit 200`,
    [organizationId],
  )
  const one = (n: number) => known[(n * 7) % known.length] ?? { id: '', home: '', name: '', email: '' }
  const named = (n: number) => one(n).name.toLowerCase()
  const film = (n: number) => films[(n * 7) % films.length]?.title.toLowerCase() ?? ''
  return [
    { what: 'one letter', text: (n) => named(n).slice(0, 1) },
    { what: 'two letters', text: (n) => named(n).slice(0, 2) },
    { what: 'three letters', text: (n) => named(n).slice(0, 3) },
    { what: 'a family name', text: (n) => named(n).split(' ')[1] ?? '' },
    { what: 'a whole name', text: named },
    { what: 'a mail address', text: (n) => one(n).email },
    { what: 'a word that everybody has', text: (n) => ['example', 'com', 'group', 'training'][n % 4] ?? '' },
    { what: 'a title half typed', text: (n) => film(n).slice(0, 12) },
    { what: 'words of a title, turned round', text: (n) => film(n).split(' ').toReversed().join(' ') },
    { what: 'an id', text: (n) => one(n).id },
    { what: 'a name with a letter wrong', text: (n) => mistyped(named(n), n) },
    { what: 'a title with a letter wrong', text: (n) => mistyped(film(n), n) },
    { what: 'nothing like it', text: (n) => `xq${n}zzv kwj` },
  ]
}

/** The same with one slip: two letters changed places, one left out, one doubled, or another one, by turns. */
function mistyped(text: string, n: number): string {
  const at = 1 + (n % 3)
  const [before, one, two, rest] = [
    text.slice(0, at),
    text.charAt(at),
    text.charAt(at + 1),
    text.slice(at + 2),
  ]
  const slips = [two + one, two, one + one + two, `q${two}`]
  return before + (slips[n % slips.length] ?? '') + rest
}
