import { median, percentile, type Figure } from './figures.ts'
import { fire } from './load.ts'
import type { Program } from './program.ts'

const rounds = 3

type Storm = { reads: () => Buffer[]; signIns: () => Buffer[] }

/** How long reading one takes at two connections while very many sign in, beside the same while nobody does. */
export async function storm({ url }: Program, { reads, signIns }: Storm): Promise<Figure> {
  const reading = async () =>
    percentile((await fire({ url, connections: 2, requests: reads() })).latencies, 0.99)
  const quiet: number[] = []
  const busy: number[] = []
  for (let round = 0; round < rounds; round++) {
    quiet.push(await reading())
    const [late] = await Promise.all([reading(), fire({ url, connections: 8, requests: signIns() })])
    busy.push(late)
  }
  return {
    workload: 'people',
    what: 'read one while others sign in: p99',
    unit: 'ms',
    ours: median(busy),
    beside: { name: 'without them', value: median(quiet) },
    target: { of: 'ratio', most: 3 },
  }
}
