import { expect, test } from 'vitest'
import { campaign } from '../testing/duties/kills.ts'

test('kills, broken lines, returns and a restore in the middle send nothing twice, nothing to whoever is done, and lose nobody', async () => {
  const { faults, mails, reports, reminders } = await campaign({
    people: 60,
    assignments: 1,
    messages: 2,
    kills: 20,
    seed: 19,
  })
  expect(faults).toEqual([])
  expect(mails).toBeGreaterThan(100)
  expect(reports).toBeGreaterThan(10)
  expect(reminders).toBeGreaterThan(20)
})
