import { setup } from '#server/testing/setup.ts'
import { campaign } from '#server/testing/several/campaign.ts'
import { moves } from '#server/testing/several/moved.ts'
import { bound, median, type Figure } from './figures.ts'

const seed = 40
const say = (line: string) => console.log(`  ${line}`)

/** Faults of machines during half an hour, among people who work. Says on the way where it is. */
export const several = ({ faults, recipients = 2_000 }: { faults: number; recipients: number | undefined }) =>
  onDatabase(async () => {
    const done = await campaign({ faults, seconds: 1_800, recipients, seed }, say)
    const one = { workload: 'several', unit: 'ms' }
    return [
      ...figuresOf('several', done),
      { ...one, what: 'until a machine was ready again, mostly', ours: median(done.starts) },
      { ...one, what: 'until one that was told to end had ended, at most', ours: Math.max(0, ...done.ends) },
    ]
  })

/** Files that move into a bucket and back under kills. */
export const moved = () =>
  onDatabase(async () => figuresOf('moved', await moves({ videos: 500, kills: 20, seed }, say)))

async function onDatabase(measure: () => Promise<Figure[]>): Promise<Figure[]> {
  const end = await setup()
  try {
    return await measure()
  } finally {
    await end()
  }
}

type Done = { counts: Record<string, number>; errors: Map<string, number>; faults: string[] }

function figuresOf(workload: string, { counts, errors, faults }: Done): Figure[] {
  for (const one of faults) say(one)
  for (const [line, times] of errors) say(`in the log, ${times} times: ${line}`)
  const figures: Figure[] = Object.entries(counts).map(([what, ours]) => ({ workload, unit: '', what, ours }))
  const wrong = 'lost, twice, wrong, begun again, or honest and doubtful without a killed process'
  return [...figures, { workload, unit: '', what: wrong, ours: faults.length, target: bound(0) }]
}
