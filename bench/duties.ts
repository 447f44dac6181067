import { movableClock, resetClock } from '#server/testing/clock.ts'
import { simulate } from '#server/testing/duties/simulate.ts'
import { startSendingServer } from '#server/testing/sending.ts'
import { setup } from '#server/testing/setup.ts'
import { bound, type Figure } from './figures.ts'

const workload = 'duties: three years'

/** What was told and sent about every obligation, held against a model. Says on the way where it is. */
export async function duties(): Promise<Figure[]> {
  const end = await setup()
  const sending = await startSendingServer({}, movableClock)
  try {
    const simulation = { from: '2027-02-01', days: 1_096, people: 8, seed: 19 }
    const { compared, mails, differences } = await simulate(sending, simulation, (line) =>
      console.log(`  ${line}`),
    )
    const line = { workload, unit: '' }
    return [
      { ...line, what: 'states of a day compared', ours: compared },
      { ...line, what: 'mails compared', ours: mails },
      { ...line, what: 'differences', ours: differences.length, target: bound(0) },
    ]
  } finally {
    resetClock()
    await sending.close()
    await end()
  }
}
