import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAssignment } from '#contract/assignments.ts'
import { readSending, releaseSending } from '#contract/sending.ts'
import { listTransmissions } from '#contract/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import { planNow, sentAll } from '../../testing/planning.ts'
import { startSendingServer, type SendingServer } from '../../testing/sending.ts'

let sending: SendingServer

beforeAll(async () => {
  sending = await startSendingServer()
})
afterAll(() => sending.close())

test('what assignments sent after a backup does not leave again, however soon somebody says that it was restored', async () => {
  const { server, org: orgId, admin, videoId } = sending
  const superadmin = await server.person('superadmin')
  const { system } = server.services.db
  const hold = async () => (await superadmin.call(readSending)).body.hold
  const messages = async () => {
    const { items } = (await admin.call(listTransmissions, { query: {} })).body
    return items.map(({ state, reason }) => [state, reason]).toSorted()
  }
  const made = await admin.call(createAssignment, {
    params: { orgId },
    body: {
      name: 'Fire drill',
      videoId,
      audience: { userIds: await addPeople(server, orgId, { count: 3, prefix: 'away' }) },
      requirement: 'watched',
      due: { kind: 'after', days: 10, working: false },
      validity: null,
      countsSince: null,
      reminders: { daysBefore: [], onTheDay: true, daysAfter: [], weekly: false, most: 3 },
      escalation: null,
      subject: 'Please watch this',
      message: 'It concerns everybody.',
      start: true,
    },
  })
  expect(made.status).toBe(201)
  await planNow(server)
  await sentAll(server)
  expect(await messages()).toEqual([['completed', null]])

  // The backup is older than a reminder of yesterday, and nobody has planned anything since it was brought back.
  await system.query(
    `update assignments set planned_at = now() - interval '1 day';
      update obligations set next_message_on = current_date - 1;
      update sending_guard set held_at = now(), signs = '{copied}', answer = null, marker = null`,
  )
  expect((await superadmin.call(releaseSending, { body: { answer: 'restored' } })).status).toBe(200)
  await pause(2_500)
  expect(await hold()).toMatchObject({ isEnding: true })

  await planNow(server)
  await expect.poll(hold, { timeout: 20_000 }).toBeNull()
  await sentAll(server)
  expect(await messages()).toEqual([
    ['completed', null],
    ['held', 'restored'],
  ])
})
