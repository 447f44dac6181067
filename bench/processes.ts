import { startBenchDatabase } from './database.ts'
import { duel } from './duel.ts'
import type { Figure } from './figures.ts'
import { addPlace, cpu, questions, usual } from './people.ts'
import { peakMemory, startProgram, type Program } from './program.ts'

const workload = 'processes'
const atOnce = 4
const asked = new Set(['read one', 'list page of 25 of 10,000, with its total', 'page by keyset'])

/**
 * What several processes cost beside one, with the same requests on the same database, by turns; and what several of the barest program
 * that does the same cost beside one of it, which is what the machine takes for having more processes than cores.
 */
export async function processes(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const place = await addPlace(database, usual)
    await database.query('vacuum analyze')
    const environment = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, RUN: 'api' }
    const start = () => startProgram('server/main.ts', environment)
    const startBare = () =>
      startProgram('bench/floors/floor-people.ts', { ...environment, DATABASE_URL: database.ownerUrl })
    const open = async () => {
      const [found] = await database.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where usename = 'sendreel_app'`,
      )
      return found?.n ?? 0
    }
    const one = [await start()]
    const idle = await open()
    const many = await severalOf(start)
    const oneBare = [await startBare()]
    const manyBare = await severalOf(startBare)
    const figures: Figure[] = []
    for (const { what, count, ask } of questions([place]).filter((question) => asked.has(question.what))) {
      const requests = () => Array.from({ length: count * atOnce }, (_, n) => ask(n))
      const side = (programs: Program[]) => ({ programs, requests })
      const sides = { one: side(one), many: side(many), oneBare: side(oneBare), manyBare: side(manyBare) }
      const cost = await duel(sides, { databasePid: database.pid, connections: 16, rounds: 5 })
      const shape = { workload, unit: cpu }
      figures.push(
        {
          ...shape,
          what: `${what}, by ${atOnce} beside one`,
          ours: cost.many.cpu,
          floor: cost.one.cpu,
          target: { of: 'ratio', most: 1.1 },
        },
        {
          ...shape,
          what: `${what}, by ${atOnce} of the floor beside one of it`,
          ours: cost.manyBare.cpu,
          floor: cost.oneBare.cpu,
        },
      )
    }
    const busy = await open()
    const memory = Math.max(...many.map(({ pid }) => peakMemory(pid)))
    await Promise.all([...one, ...many, ...oneBare, ...manyBare].map((program) => program.stop()))
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

const severalOf = (start: () => Promise<Program>): Promise<Program[]> =>
  Promise.all(Array.from({ length: atOnce }, start))
