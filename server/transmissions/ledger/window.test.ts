import { expect, test } from 'vitest'
import type { SendWindow } from '#contract/transmissions/send-window.ts'
import { updateOrganization } from '#contract/directory/organizations.ts'
import {
  changeTransmission,
  createTransmission,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import { until } from '../../testing/until.ts'
import { aSendingServer, setPolicies } from '../../testing/worlds.ts'

const { server, org: orgId, admin: author, videoId } = await aSendingServer()
const { query } = server
const userIds = await addPeople(server, orgId, { count: 3 })
const body = {
  accountId: orgId,
  videoId,
  body: 'x',
  audience: { userIds },
}

const read = async (transmissionId: string) =>
  (await author.call(readTransmission, { params: { transmissionId } })).body
const mails = async (id: string) =>
  (
    await query(
      'select 1 from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = $1',
      [id],
    )
  ).length
const hours = (sendWindow: SendWindow | null) => setPolicies(server, orgId, { sendWindow })
/** All of one day of the week, so many days from today in UTC. */
const dayAhead = (ahead: number) => {
  const today = new Date().getUTCDay() || 7
  return { days: [((today - 1 + ahead) % 7) + 1], from: '00:00', to: '23:59' }
}
const looked = () => new Promise((resolve) => setTimeout(resolve, 2_500))

test('outside the hours everything waits, and leaves when they begin', async () => {
  await hours(dayAhead(3))
  const counted = await author.call(previewAudience, { body: { accountId: orgId, audience: body.audience } })
  expect(counted.body.goesOnAt).toMatch(/T00:00:00/)
  const { id } = (await author.call(createTransmission, { body })).body
  await until(async () => (await read(id)).state === 'sending', 20)
  await looked()
  const waiting = await read(id)
  expect(waiting).toMatchObject({ state: 'sending', goesOnAt: counted.body.goesOnAt, counts: { queued: 3 } })
  expect(await mails(id)).toBe(0)
  await hours(null)
  await until(async () => (await read(id)).state === 'completed', 20)
  expect([await mails(id), (await read(id)).goesOnAt]).toEqual([3, null])
})

test('a person lets it leave all the same, which the audit names', async () => {
  await hours(dayAhead(3))
  const { id } = (await author.call(createTransmission, { body })).body
  await until(async () => (await read(id)).state === 'sending', 20)
  const { version } = await read(id)
  const act = () =>
    author.call(changeTransmission, {
      params: { transmissionId: id },
      body: { action: 'send_outside', version },
    })
  expect((await act()).status).toBe(200)
  expect((await act()).status).toBe(409)
  await until(async () => (await read(id)).state === 'completed', 20)
  expect(await mails(id)).toBe(3)
  const entries = await query(
    `select 1 from audit where action = 'transmission.sent_outside' and entity_id = $1`,
    [id],
  )
  expect(entries).toHaveLength(1)
})

test('what is urgent is sent outside the hours from the beginning', async () => {
  await hours(dayAhead(3))
  const { id } = (await author.call(createTransmission, { body: { ...body, outsideHours: true } })).body
  await until(async () => (await read(id)).state === 'completed', 20)
  expect([await mails(id), (await read(id)).outsideHours]).toEqual([3, true])
  const [entry] = await query<{ urgent: boolean }>(
    `select (after->>'outsideHours')::boolean as urgent from audit where action = 'transmission.create' and entity_id = $1`,
    [id],
  )
  expect(entry).toEqual({ urgent: true })
})

test('within the hours nothing waits, and hours that are none are refused', async () => {
  const superadmin = await server.person('superadmin')
  const set = (sendWindow: { days: number[]; from: string; to: string }) =>
    superadmin.call(updateOrganization, {
      params: { orgId },
      body: { name: 'Punctual', policies: { sendWindow } },
    })
  for (const wrong of [
    { days: [], from: '08:00', to: '18:00' },
    { days: [8], from: '08:00', to: '18:00' },
    { days: [1], from: '18:00', to: '08:00' },
    { days: [1], from: '8', to: '18:00' },
  ])
    expect(Object.keys((await set(wrong)).problem?.fields ?? {})[0]).toMatch(/^policies\.sendWindow/)
  await hours({ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' })
  const { id } = (await author.call(createTransmission, { body })).body
  await until(async () => (await read(id)).state === 'completed', 20)
})

test('hours stay where they are when clocks change', async () => {
  const opens = async (at: string, days = [1, 2, 3, 4, 5, 6, 7], from = '08:00') => {
    const [found] = await query<{ at: Date }>(`select window_opens($1::jsonb, 'Europe/Berlin', $2) as at`, [
      JSON.stringify({ days, from, to: '18:00' }),
      at,
    ])
    return new Date(found?.at ?? '').toISOString()
  }
  // Winter before the last Sunday of March 2026, summer from it on, winter again from that of October.
  expect(await opens('2026-03-28T02:00:00Z')).toBe('2026-03-28T07:00:00.000Z')
  expect(await opens('2026-03-28T18:00:00Z')).toBe('2026-03-29T06:00:00.000Z')
  expect(await opens('2026-10-24T17:00:00Z')).toBe('2026-10-25T07:00:00.000Z')
  // 2:30 does not exist on that day: as long after it.
  expect(await opens('2026-03-29T00:10:00Z', [7], '02:30')).toBe('2026-03-29T01:30:00.000Z')
  // Friday evening waits for Monday; within the hours nothing does.
  expect(await opens('2026-06-05T17:00:00Z', [1, 2, 3, 4, 5])).toBe('2026-06-08T06:00:00.000Z')
  expect(await opens('2026-06-05T15:59:00Z', [1, 2, 3, 4, 5])).toBe('2026-06-05T15:59:00.000Z')
  expect(await opens('2026-06-05T16:00:00Z', [5])).toBe('2026-06-12T06:00:00.000Z')
})
