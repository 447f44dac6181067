import { afterAll, beforeAll, expect, test } from 'vitest'
import { movableClock, resetClock } from '../testing/clock.ts'
import { simulate } from '../testing/duties/simulate.ts'
import { startSendingServer, type SendingServer } from '../testing/sending.ts'

let sending: SendingServer
beforeAll(async () => {
  sending = await startSendingServer({}, movableClock)
})
afterAll(async () => {
  resetClock()
  await sending.close()
})

test('every state on every day, and every mail, is that of a model that counts everything the long way round', async () => {
  // Over the change to summer time of both zones.
  const { differences, compared, mails, happened } = await simulate(sending, {
    from: '2027-03-08',
    days: 50,
    people: 6,
    seed: 11,
  })
  expect(differences).toEqual([])
  expect(compared).toBeGreaterThan(1_000)
  expect(mails).toBeGreaterThan(80)
  expect(happened.confirmed).toBeGreaterThan(3)
  expect(happened.waited).toBeGreaterThan(2)
  expect(happened.followedAndDone).toBeGreaterThan(1)
  expect(happened.together).toBeGreaterThan(20)
  expect(happened.replaced).toBeGreaterThan(5)
  expect(happened.messages).toBeGreaterThan(10)
  expect(happened.doneBefore).toBeGreaterThan(5)
  expect(happened.reminders).toBeGreaterThan(15)
  expect(happened.joined).toBeGreaterThan(1)
})
