import { rm } from 'node:fs/promises'
import { median, type Figure } from './figures.ts'
import { temporaryDirectory } from './database.ts'
import { startProgram } from './program.ts'

const repetitions = 5
/** Seconds that PostgreSQL alone and a Fastify server alone need. */
const bare = 0.2 + 0.13

/** The whole product with its embedded database, from the start of the process to the line that says it is ready. */
export async function start(): Promise<Figure[]> {
  const dataDir = await temporaryDirectory()
  const environment = { DATA_DIR: dataDir }
  const seconds: number[] = []
  try {
    for (let n = 0; n <= repetitions; n++) {
      const product = await startProgram('server/main.ts', environment)
      seconds.push(product.readyMs / 1000)
      await product.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
  const [first = Number.NaN, ...later] = seconds
  return [
    {
      workload: 'start',
      what: 'second start, embedded database included',
      unit: 's',
      ours: median(later),
      beside: { name: 'earlier floor', value: bare },
      target: { of: 'figure', most: 1.5 },
    },
    { workload: 'start', what: 'first start, which creates the database', unit: 's', ours: first },
  ]
}
