import { campaign } from '#server/testing/duties/kills.ts'
import { setup } from '#server/testing/setup.ts'
import { bound, type Figure } from './figures.ts'

const workload = 'kills'

/** A thousand kills of processes that plan and send what an organization owes. Says on the way where it is. */
export async function kills(): Promise<Figure[]> {
  const end = await setup()
  try {
    const done = await campaign(
      { people: 400, assignments: 1, messages: 2, kills: 1_000, seed: 19 },
      (line) => console.log(`  ${line}`),
    )
    for (const one of done.faults) console.log(`  ${one}`)
    const line = { workload, unit: '' }
    return [
      { ...line, what: 'processes killed', ours: done.kills },
      { ...line, what: 'mails that arrived', ours: done.mails },
      { ...line, what: 'reminders of messages with a day among them', ours: done.reminders },
      { ...line, what: 'reports of who had watched meanwhile', ours: done.reports },
      { ...line, what: 'mails that came back meanwhile', ours: done.returns },
      {
        ...line,
        what: 'mails twice, to whoever was done, lost, or people without',
        ours: done.faults.length,
        target: bound(0),
      },
    ]
  } finally {
    await end()
  }
}
