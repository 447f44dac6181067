import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import {
  createReportSchedule,
  deleteReportSchedule,
  listReportSchedules,
  mostSchedules,
  mostSentNow,
  pauseReportSchedule,
  planReportSchedule,
  readReportSchedule,
  resumeReportSchedule,
  sendReportSchedule,
  updateReportSchedule,
} from '#contract/reports/report-schedules.ts'
import { listOutbox } from '#contract/platform/system.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const settings = {
  rhythm: 'monthly',
  monthDay: 31,
  hour: 18,
  period: 'month',
  formats: ['csv', 'pdf'],
} as const
type Formats = ('csv' | 'xlsx' | 'pdf')[]
const body = { ...settings, formats: [...settings.formats] as Formats }

const create = (person: Person, more: object = {}) =>
  person.call(createReportSchedule, { body: { report: 'user-engagement', view: {}, ...body, ...more } })
async function created(person: Person, more: object = {}) {
  const answer = await create(person, more)
  expect(answer.status).toBe(201)
  return { params: { scheduleId: answer.body.id }, schedule: answer.body }
}

test('requires sign-in', async () => {
  expect((await server.call(listReportSchedules)).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await create(groupadmin, { report: 'account-activity' })).status).toBe(403)
  expect((await groupadmin.call(listReportSchedules, { query: { of: 'others' } })).status).toBe(403)
})

test('keeps what was asked for, in the time zone of the organization', async () => {
  await server.query(`update organizations set time_zone = 'Europe/Berlin' where id = $1`, [orgId])
  const { params, schedule } = await created(admin, { view: { sort: '-viewers', q: 'drill' } })
  expect(schedule).toMatchObject({
    ...body,
    report: 'user-engagement',
    organizationId: orgId,
    view: { sort: '-viewers', q: 'drill' },
    timeZone: 'Europe/Berlin',
    pauseReason: null,
    lastSentAt: null,
    fault: null,
    own: true,
  })
  const plan = await admin.call(planReportSchedule, {
    query: { rhythm: 'monthly', monthDay: 31, hour: 18, period: 'month' },
  })
  expect(plan.body).toEqual({
    organizationName: schedule.organizationName,
    timeZone: 'Europe/Berlin',
    ...schedule.next,
  })
  expect((await admin.call(readReportSchedule, { params })).body).toEqual(schedule)
  expect((await admin.call(listReportSchedules)).body.items).toEqual([schedule])
})

/** The case says it of a day that lies behind by now: the instants of that are in the test of the rhythm. */
test('“last month” on the first at 8:00 in Tokyo is the month that is over there', async () => {
  const text = readFileSync(new URL('report-month.json', import.meta.url), 'utf8')
  const { request } = JSON.parse(text) as { request: string }
  const zone = 'Asia/Tokyo'
  await server.query('update organizations set time_zone = $2 where id = $1', [orgId, zone])
  const query = Object.fromEntries(new URL(request.split(' ')[1] ?? '', 'http://localhost').searchParams)
  const asked = { query: { ...query, organizationId: orgId } as never }
  const { at, range } = (await admin.call(planReportSchedule, asked)).body
  const clock = Temporal.Instant.from(at).toZonedDateTimeISO(zone)
  expect([clock.day, clock.hour]).toEqual([1, 8])
  const last = clock.toPlainDate().subtract({ days: 1 })
  expect(range).toEqual({ from: last.with({ day: 1 }).toString(), to: last.toString() })
})

test('refuses what the report itself would refuse', async () => {
  const foreign = await server.organization()
  expect((await create(admin, { view: { organizationId: foreign } })).status).toBe(404)
  expect((await create(admin, { view: { videoId: crypto.randomUUID() } })).status).toBe(404)
  const unknown = await create(admin, { view: { sort: 'shoe size' } })
  expect(unknown.problem).toMatchObject({ code: 'validation_failed', fields: { sort: ['invalid'] } })
  const query = { rhythm: 'daily', hour: 7, period: '7d', organizationId: foreign }
  expect((await admin.call(planReportSchedule, { query })).status).toBe(404)
})

test('of two changes, the one that has not seen the other is refused', async () => {
  const { params } = await created(admin)
  const { etag } = (await admin.call(readReportSchedule, { params })).headers
  const headers = { 'if-match': String(etag) }
  const change = { ...body, rhythm: 'daily' as const, hour: 5 }
  const first = await admin.call(updateReportSchedule, { params, body: change, headers })
  expect(first.body).toMatchObject({ rhythm: 'daily', hour: 5 })
  expect(first.body.next?.at).toMatch(/T05:00:00/)
  expect((await admin.call(updateReportSchedule, { params, body, headers })).status).toBe(412)
})

test('pauses, goes on from now, and is removed', async () => {
  const { params } = await created(admin)
  const paused = await admin.call(pauseReportSchedule, { params })
  expect(paused.body).toMatchObject({ pauseReason: 'by_owner', next: null })
  await server.query(`update report_schedules set next_at = now() - interval '1 year'`)
  const resumed = await admin.call(resumeReportSchedule, { params })
  expect(new Date(resumed.body.next?.at ?? 0).getTime()).toBeGreaterThan(Date.now())
  expect((await admin.call(deleteReportSchedule, { params })).status).toBe(200)
  expect((await admin.call(readReportSchedule, { params })).status).toBe(404)
  const written = await server.query<{ action: string; name: string }>(
    `select action, coalesce(after, before) ->> 'name' as name from audit where entity_id = $1 order by at, id`,
    [params.scheduleId],
  )
  expect(written).toEqual(
    ['created', 'paused', 'resumed', 'removed'].map((done) => ({
      action: `report_schedule.${done}`,
      name: 'User Engagement',
    })),
  )
})

test('is its owner’s alone; an administrator may stop it and let it go on', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  const stranger = await server.person('admin', await server.organization())
  const { params } = await created(groupadmin)
  expect((await admin.call(listReportSchedules)).body.items).toEqual([])
  const listed = await admin.call(listReportSchedules, { query: { of: 'others' } })
  expect(listed.body.items.map(({ id, own }) => ({ id, own }))).toEqual([
    { id: params.scheduleId, own: false },
  ])
  expect((await stranger.call(listReportSchedules, { query: { of: 'others' } })).body.items).toEqual([])
  for (const endpoint of [pauseReportSchedule, resumeReportSchedule, readReportSchedule, sendReportSchedule])
    expect((await stranger.call(endpoint, { params })).status).toBe(404)
  expect((await admin.call(updateReportSchedule, { params, body })).status).toBe(404)
  expect((await admin.call(sendReportSchedule, { params })).status).toBe(404)
  expect((await admin.call(deleteReportSchedule, { params })).status).toBe(404)
  await groupadmin.call(pauseReportSchedule, { params })
  expect((await admin.call(resumeReportSchedule, { params })).status).toBe(403)
  await groupadmin.call(resumeReportSchedule, { params })
  expect((await admin.call(pauseReportSchedule, { params })).body).toMatchObject({ pauseReason: 'by_admin' })
  expect((await groupadmin.call(resumeReportSchedule, { params })).status).toBe(403)
  expect((await admin.call(resumeReportSchedule, { params })).body).toMatchObject({ pauseReason: null })
})

test('an administrator sees nothing of what superadmins have sent about their organization', async () => {
  const superadmin = await server.person('superadmin')
  await created(superadmin, { view: { organizationId: orgId } })
  expect((await admin.call(listReportSchedules, { query: { of: 'others' } })).body.items).toEqual([])
})

test('sends one now to its owner, so many an hour, and the others come nevertheless', async () => {
  const { params, schedule } = await created(admin)
  const superadmin = await server.person('superadmin')
  const sent = await admin.call(sendReportSchedule, { params })
  expect(sent.status).toBe(200)
  const [mail] = (await superadmin.call(listOutbox, { query: { q: admin.email } })).body.items
  expect(mail?.text).toContain('You asked for this mail just now.')
  const rows = await server.query<{ type: string; size: number }>(
    'select type, octet_length(content) as size from mail_attachments where mail_id = $1 order by position',
    [mail?.id],
  )
  expect(rows.map(({ type }) => type)).toEqual(['text/csv; charset=utf-8', 'application/pdf'])
  expect((await admin.call(readReportSchedule, { params })).body.next).toEqual(schedule.next)
  await server.query(`update report_schedules set formats = '{}' where id = $1`, [params.scheduleId])
  for (let n = 1; n < mostSentNow; n += 1) await admin.call(sendReportSchedule, { params })
  expect((await admin.call(sendReportSchedule, { params })).status).toBe(429)
})

test('nobody has more than so many', async () => {
  for (let n = 0; n < mostSchedules; n += 1) await created(admin)
  expect((await create(admin)).problem).toMatchObject({ code: 'conflict' })
})

test('stops in one click of the mail program', async () => {
  const { params } = await created(admin)
  const token = server.services.keys.sign('report-schedule', params.scheduleId)
  const post = (secret: string) =>
    server.app.inject({
      method: 'POST',
      url: `/api/report-schedules/${params.scheduleId}/unsubscribe?token=${secret}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    })
  expect((await post('wrong')).statusCode).toBe(410)
  expect((await admin.call(readReportSchedule, { params })).body.pauseReason).toBeNull()
  expect((await post(token)).statusCode).toBe(200)
  expect((await admin.call(readReportSchedule, { params })).body.pauseReason).toBe('unsubscribed')
  expect((await post(token)).statusCode).toBe(200)
})
