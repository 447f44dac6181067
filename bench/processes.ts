import { startBenchDatabase } from './database.ts'
import { duel } from './duel.ts'
import type { Figure } from './figures.ts'
import { addPlace, cpu, questions, usual } from './people.ts'
import { peakMemory, startProgram } from './program.ts'

const workload = 'processes'
const atOnce = 4
const asked = new Set(['read one', 'list page of 25 of 10,000, with its total', 'page by keyset'])

/** What several processes cost beside one, with the same requests on the same database, by turns. */
export async function processes(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const place = await addPlace(database, usual)
    await database.query('vacuum analyze')
    const environment = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, RUN: 'api' }
    const start = () => startProgram('server/main.ts', environment)
    const open = async () => {
      const [found] = await database.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where usename = 'sendreel_app'`,
      )
      return found?.n ?? 0
    }
    const alone = [await start()]
    const idle = await open()
    const many = await Promise.all(Array.from({ length: atOnce }, start))
    const figures: Figure[] = []
    for (const { what, count, ask } of questions([place]).filter((one) => asked.has(one.what))) {
      const requests = () => Array.from({ length: count * atOnce }, (_, n) => ask(n))
      const sides = { one: { programs: alone, requests }, many: { programs: many, requests } }
      const { one, many: spread } = await duel(sides, {
        databasePid: database.pid,
        connections: 16,
        rounds: 5,
      })
      figures.push({
        workload,
        what: `${what}, by ${atOnce} beside one`,
        unit: cpu,
        ours: spread.cpu,
        floor: one.cpu,
        target: { of: 'ratio', most: 1.1 },
      })
    }
    const busy = await open()
    const memory = Math.max(...many.map(({ pid }) => peakMemory(pid)))
    await Promise.all([...alone, ...many].map((one) => one.stop()))
    return [
      ...figures,
      { workload, what: 'connections of one without work', unit: '', ours: idle },
      {
        workload,
        what: `connections of ${atOnce + 1} after their work`,
        unit: '',
        ours: busy,
        target: { of: 'figure', most: (atOnce + 1) * 20 },
      },
      { workload, what: `memory of one of ${atOnce} at most`, unit: 'MB', ours: memory },
    ]
  } finally {
    await database.close()
  }
}
