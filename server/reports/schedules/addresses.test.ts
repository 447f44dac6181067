import { beforeEach, expect, test, vi } from 'vitest'
import {
  confirmReportAddress,
  createReportSchedule,
  endReportAddress,
  listReportSchedules,
  mostAddresses,
  planReportSchedule,
  readReportReader,
  readReportSchedule,
  updateReportSchedule,
} from '#contract/reports/report-schedules.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { erasePeople } from '../../housekeeping.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { sendDueReports } from './send.ts'

const server = await aServer()

let orgId: string
let admin: Person
let reader: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Acme'))
  reader = `reader-${crypto.randomUUID()}@outside.test`
})

const daily = { rhythm: 'daily', hour: 7, period: '7d' } as const

async function schedule(person: Person, addresses: string[]) {
  const body = { report: 'user-engagement' as const, view: {}, ...daily, formats: [], addresses }
  const answer = await person.call(createReportSchedule, { body })
  expect([answer.status, answer.problem]).toEqual([201, undefined])
  return { scheduleId: answer.body.id }
}

const change = (params: { scheduleId: string }, addresses?: string[]) =>
  admin.call(updateReportSchedule, {
    params,
    body: { ...daily, formats: [], ...(addresses ? { addresses } : {}) },
  })

async function mailsTo(q: string) {
  const superadmin = await server.person('superadmin')
  return (await superadmin.call(listOutbox, { query: { q } })).body.items
}

/** What the link of the newest mail carries. */
async function linkOf(address: string) {
  const [mail] = await mailsTo(address)
  const [, addressId = '', token = ''] = /report-mails#([\w-]+)\.([\w-]+)/.exec(mail?.text ?? '') ?? []
  return { params: { addressId }, query: { token } }
}

const confirm = ({ params, query }: Awaited<ReturnType<typeof linkOf>>) =>
  server.call(confirmReportAddress, { params, body: query })

async function sendNext({ scheduleId }: { scheduleId: string }) {
  await server.query('update report_schedules set next_at = now(), retry_at = null where id = $1', [
    scheduleId,
  ])
  await sendDueReports(server.services, new AbortController().signal)
}

const addressesOf = async (params: { scheduleId: string }) =>
  (await admin.call(readReportSchedule, { params })).body.addresses

test('a further address gets nothing until its reader agrees, then a mail of its own', async () => {
  const params = await schedule(admin, [reader.toUpperCase(), reader, admin.email])
  expect(await addressesOf(params)).toEqual([{ address: reader, state: 'waiting' }])
  const [ask, ...more] = await mailsTo(reader)
  expect(more).toEqual([])
  expect(ask?.text).toContain('of Acme, every day at 07:00, time of Acme (UTC)')
  await sendNext(params)
  expect(await mailsTo(reader)).toHaveLength(1)

  const link = await linkOf(reader)
  expect((await server.call(readReportReader, link)).body).toMatchObject({
    state: 'waiting',
    title: 'User Engagement',
    organizationName: 'Acme',
    ownerEmail: admin.email,
    address: reader,
  })
  expect((await confirm(link)).body.state).toBe('confirmed')
  expect((await confirm(link)).status).toBe(200)
  await sendNext(params)
  const [mail, ...others] = await mailsTo(reader)
  expect(others).toHaveLength(1)
  expect(mail?.subject).toMatch(/^User Engagement, .+ – Acme$/)
  expect(mail?.text).toContain(`(${admin.email}) has this mail sent to you every day at 07:00`)
  expect(mail?.text).toMatch(/It shows what .+ may see\. Stop these mails:/)
  expect(mail?.text).not.toContain('/reports/schedules')
  expect((await mailsTo(admin.email))[0]?.text).not.toContain('report-mails#')
})

test('its reader ends it in one click, and is not asked again', async () => {
  const params = await schedule(admin, [reader])
  const link = await linkOf(reader)
  await confirm(link)
  const { addressId } = link.params
  const end = (token: string) =>
    server.app.inject({
      method: 'POST',
      url: `/api/report-addresses/${addressId}/end?token=${token}&utm=x`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    })
  expect((await end('wrong')).statusCode).toBe(410)
  expect((await addressesOf(params))[0]?.state).toBe('confirmed')
  expect((await end(link.query.token)).statusCode).toBe(200)
  await change(params, [])
  await change(params, [reader])
  expect(await addressesOf(params)).toEqual([{ address: reader, state: 'ended' }])
  await sendNext(params)
  expect(await mailsTo(reader)).toHaveLength(1)
  const rows = await server.query(
    `select action from audit where entity_id = $1 and action like '%address%' order by at, id`,
    [params.scheduleId],
  )
  expect(rows).toEqual([
    { action: 'report_schedule.address_confirmed' },
    { action: 'report_schedule.address_ended' },
  ])
  const log = await server.services.db.system.query(`select 1 from audit where audit::text like $1`, [
    `%${reader}%`,
  ])
  expect(log.rowCount).toBe(0)
})

test('the header of each mail ends it where the installation is reached by https', async () => {
  const params = await schedule(admin, [reader])
  const link = await linkOf(reader)
  await confirm(link)
  const url = vi.spyOn(server.services, 'publicUrl').mockReturnValue('https://reel.example.test')
  await sendNext(params)
  url.mockRestore()
  const rows = await server.query<{ headers: Record<string, string> }>(
    `select headers from mails where address = $1 and headers is not null`,
    [reader],
  )
  expect(rows[0]?.headers['List-Unsubscribe']).toContain(
    `/api/report-addresses/${link.params.addressId}/end?token=`,
  )
})

test('an address that is taken out ends with its link; one that stays is not asked twice', async () => {
  const other = `other-${reader}`
  const params = await schedule(admin, [reader])
  const link = await linkOf(reader)
  await change(params)
  await change(params, [reader, other])
  expect(await addressesOf(params)).toMatchObject([{ address: reader }, { address: other }])
  await change(params, [other])
  expect((await confirm(link)).problem?.code).toBe('link_expired')
  expect((await server.call(readReportReader, link)).problem?.code).toBe('link_expired')
  expect((await server.call(readReportReader, { ...link, query: { token: 'wrong' } })).status).toBe(410)
  expect((await server.call(endReportAddress, link)).status).toBe(200)
})

test.each([
  ['disabled', `update users set state = 'disabled' where id = $1`],
  ['without the role', 'update users set role = null where id = $1'],
])('nobody gets anything once the owner is %s', async (_what, become) => {
  const params = await schedule(admin, [reader])
  await confirm(await linkOf(reader))
  await server.query(become, [admin.id])
  await sendNext(params)
  expect(await mailsTo(reader)).toHaveLength(1)
})

test('addresses are few, are addresses, and are asked so often at most', async () => {
  const many = Array.from({ length: mostAddresses + 1 }, (_one, n) => `${n}-${reader}`)
  const params = await schedule(admin, many.slice(1))
  expect((await change(params, many)).status).toBe(422)
  expect((await change(params, ['nobody'])).status).toBe(422)
  await change(params, [])
  await change(params, many.slice(1))
  await change(params, [])
  expect((await change(params, [reader])).status).toBe(429)
  expect(await mailsTo(reader)).toHaveLength(mostAddresses * 2)
})

test('nobody changes the addresses of another, and a plan says whose hours it tells', async () => {
  const params = await schedule(admin, [reader])
  const other = await server.person('admin', orgId)
  const body = { ...daily, formats: [], addresses: [] }
  expect((await other.call(updateReportSchedule, { params, body })).status).toBe(404)
  expect(
    (await other.call(listReportSchedules, { query: { of: 'others' } })).body.items[0]?.addresses,
  ).toEqual([{ address: reader, state: 'waiting' }])
  const query = { rhythm: 'daily', hour: 7, period: '7d' } as const
  expect((await admin.call(planReportSchedule, { query })).body.organizationName).toBe('Acme')
  const superadmin = await server.person('superadmin')
  expect((await superadmin.call(planReportSchedule, { query })).body).toMatchObject({
    organizationName: null,
    timeZone: 'UTC',
  })
})

test('the address of somebody who is erased goes from the schedules of others', async () => {
  const person = await server.person(null, orgId)
  const params = await schedule(admin, [person.email, reader])
  const { system } = server.services.db
  await system.query(
    `update report_addresses set created_at = now() - interval '40 days' where schedule_id = $1`,
    [params.scheduleId],
  )
  await system.query(`update users set deleted_at = now() - interval '31 days' where id = $1`, [person.id])
  await erasePeople(server.services)
  expect(await addressesOf(params)).toEqual([{ address: reader, state: 'waiting' }])
})
