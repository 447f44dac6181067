import { beforeEach, expect, test, vi } from 'vitest'
import { forgotPassword, sendVerification } from '#contract/identity/auth.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createReportSchedule } from '#contract/reports/report-schedules.ts'
import { sendSenderCode, updateSender } from '#contract/identity/senders.ts'
import { updateUser } from '#contract/directory/users.ts'
import type { Person } from '../testing/server.ts'
import { unique } from '../testing/unique.ts'
import { addDelivery, addVideo } from '../testing/viewing/viewing.ts'
import { aServer } from '../testing/worlds.ts'

const server = await aServer()

let victim: string
let networks = 0
beforeEach(() => {
  victim = `victim-${unique()}@outside.test`
})

const admin = async () => server.person('admin', await server.organization())

const { query } = server

const mailsTo = async (address: string) =>
  (await query<{ n: number }>('select count(*)::int as n from mails where address = $1', [address]))[0]?.n

/** Each is a door at which an administrator has a mail sent to whom they name. */
const doors = {
  async invitation(by: Person, email: string) {
    return by.call(createInvitation, {
      body: { organizationId: by.organizationId, email, role: 'admin', groupIds: [] },
    })
  },
  async sender(by: Person, address: string) {
    return by.call(updateSender, { params: { orgId: by.organizationId ?? '' }, body: { address } })
  },
  async report(by: Person, address: string) {
    const body = { report: 'user-engagement', view: {}, rhythm: 'daily', hour: 7, period: '7d' } as const
    return by.call(createReportSchedule, { body: { ...body, formats: [], addresses: [address] } })
  },
  async claim(by: Person, identifier: string) {
    return by.call(sendVerification, {
      body: { identifier, methodType: 'email', purpose: 'confirm_email' },
      headers: { 'x-forwarded-for': `10.77.${(networks += 1)}.1` },
    })
  },
}

/** By organizations that each ask a few times, which no limit of their own refuses. */
async function flood(address: string): Promise<void> {
  for (const _organization of [1, 2]) {
    const by = await admin()
    expect((await doors.sender(by, address)).status).toBe(200)
    const params = { orgId: by.organizationId ?? '' }
    for (let n = 0; n < 9; n += 1) expect((await by.call(sendSenderCode, { params })).status).toBe(200)
  }
}

test.each(Object.keys(doors) as (keyof typeof doors)[])(
  'whom many have written to is written to no more at the door of the %s, and whoever asks is told when',
  async (door) => {
    expect((await doors[door](await admin(), victim)).status).toBeLessThan(300)
    const other = `other-${unique()}@outside.test`
    await flood(other)
    const before = await mailsTo(other)
    const { status, problem, headers } = await doors[door](await admin(), other)
    expect([status, problem?.code]).toEqual([429, 'too_many_requests'])
    expect(problem?.detail).toMatch(/Please try again tomorrow\.$/)
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_600)
    expect(await mailsTo(other)).toBe(before)
    expect(before).toBe(20)
  },
)

test('nobody gets more than a day’s share, whichever doors are used', async () => {
  for (let n = 0; n < 8; n += 1) {
    const by = await admin()
    for (const door of ['invitation', 'sender', 'report'] as const) await doors[door](by, victim)
  }
  expect(await mailsTo(victim)).toBe(20)
})

test('somebody who is flooded can still ask for a new password', async () => {
  const owner = await admin()
  await query('update users set password_hash = $2 where id = $1', [owner.id, 'of former times'])
  await flood(owner.email)
  const claims = await Promise.all(Array.from({ length: 6 }, admin))
  for (const by of claims) await doors.claim(by, owner.email)
  const video = await addVideo(server, { organizationId: owner.organizationId ?? '', title: 'Drill' })
  const { secret } = await addDelivery(server, {
    organizationId: owner.organizationId ?? '',
    userId: owner.id,
    ...video,
  })
  await query('update deliveries set address = $2 where user_id = $1', [owner.id, owner.email])
  for (let n = 0; n < 6; n += 1)
    await server.app.inject({
      method: 'POST',
      url: '/w/me/code',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ d: secret }).toString(),
    })
  const before = (await mailsTo(owner.email)) ?? 0
  const headers = { 'x-forwarded-for': '10.99.1.1' }
  expect((await server.call(forgotPassword, { body: { identifier: owner.email }, headers })).status).toBe(202)
  await vi.waitFor(async () => expect(await mailsTo(owner.email)).toBe(before + 1))
})

test('a person whose address is changed for them is told nothing more than their invitation', async () => {
  const by = await admin()
  const person = await server.person('admin', by.organizationId)
  await flood(victim)
  const before = await mailsTo(victim)
  const { status } = await by.call(updateUser, {
    params: { orgId: by.organizationId ?? '', userId: person.id },
    body: { name: 'Somebody', email: victim, role: 'admin', state: 'active' },
  })
  expect(status).toBe(429)
  expect(await mailsTo(victim)).toBe(before)
})
