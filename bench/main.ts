import { parseArgs } from 'node:util'
import { closeBenchDatabases } from './database.ts'
import { tableOf, type Figure } from './figures.ts'
import { conditions, record, type Conditions } from './record.ts'
import { workloads, type Options, type Workload } from './workloads.ts'

/** Runs the named workloads, all without a name, one after another. A figure that misses its target breaks nothing. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      record: { type: 'boolean', default: false },
      sessions: { type: 'string', default: '100000' },
      recipients: { type: 'string' },
      faults: { type: 'string', default: '60' },
    },
  })
  const names = workloads.map(({ name }) => name)
  const unknown = positionals.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. Workloads: ${names.join(', ')}`)
  const figures: Figure[] = []
  for (const workload of workloads) {
    if (positionals.length > 0 && !positionals.includes(workload.name)) continue
    const before = values.record ? await conditions() : undefined
    figures.push(
      ...(await run(workload, {
        sessions: Number(values.sessions),
        recipients: values.recipients === undefined ? undefined : Number(values.recipients),
        faults: Number(values.faults),
        before,
      })),
    )
  }
  console.log(`\n${tableOf(figures)}\n`)
}

type Run = Options & { before: Conditions | undefined }

async function run({ name, measure }: Workload, { before, ...options }: Run): Promise<Figure[]> {
  const began = performance.now()
  console.log(`> ${name}`)
  try {
    const figures = await measure(options)
    if (before) await record(name, before, figures)
    return figures
  } catch (error) {
    console.error(`  ${name} broke:`, error)
    process.exitCode = 1
    return []
  } finally {
    console.log(`  ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void closeBenchDatabases().finally(() => process.exit(130)))
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
})
