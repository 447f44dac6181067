import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { claim } from './claim.ts'
import { aggregate } from './aggregate.ts'
import { tableOf, ratioOf, verdictOf, type Figure } from './figures.ts'
import { closeBenchDatabases } from './database.ts'
import { importPeople } from './import.ts'
import { ingest } from './ingest.ts'
import { list } from './list.ts'
import { lists } from './lists.ts'
import { promises } from './promises.ts'
import { quiz } from './quiz.ts'
import { reports } from './reports.ts'
import { search } from './search.ts'
import { signIn } from './sign-in.ts'
import { start } from './start.ts'
import { training } from './training.ts'
import { weight } from './weight.ts'

type Options = { sessions: number }
const workloads: Record<string, (options: Options) => Promise<Figure[]>> = {
  start,
  list,
  lists,
  search,
  ingest,
  aggregate,
  quiz,
  claim: () => claim(),
  import: importPeople,
  promises,
  reports,
  training,
  weight,
  'sign-in': signIn,
}

/** Runs the named workloads, all without a name, one after another. A figure that misses its target breaks nothing. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'string' }, sessions: { type: 'string', default: '100000' } },
  })
  const unknown = positionals.filter((name) => !Object.hasOwn(workloads, name))
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(', ')}. Workloads: ${Object.keys(workloads).join(', ')}`)
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(workloads)) {
    if (positionals.length === 0 || positionals.includes(name))
      figures.push(...(await run(name, () => measure({ sessions: Number(values.sessions) }))))
  }
  console.log(`\n${tableOf(figures)}\n`)
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify(figures.map(complete), null, 2)}\n`)
}

async function run(name: string, measure: () => Promise<Figure[]>): Promise<Figure[]> {
  const began = performance.now()
  console.log(`> ${name}`)
  try {
    return await measure()
  } catch (error) {
    console.error(`  ${name} broke:`, error)
    process.exitCode = 1
    return []
  } finally {
    console.log(`  ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
}

const complete = (figure: Figure) => ({ ...figure, ratio: ratioOf(figure), verdict: verdictOf(figure) })

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void closeBenchDatabases().finally(() => process.exit(130)))
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
})
