import { beforeEach, expect, test } from 'vitest'
import { changeOrganizationState } from '#contract/directory/organizations.ts'
import {
  createReportSchedule,
  listReportSchedules,
  pauseReportSchedule,
  readReportSchedule,
  updateReportSchedule,
} from '#contract/reports/report-schedules.ts'
import { listOutbox, type OutboxMail } from '#contract/platform/system.ts'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import { addPastViewing } from '../../testing/viewing/past.ts'
import type { Person } from '../../testing/server.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'
import { aggregate, by, videoToWatch, watched } from '../../testing/viewing/watching.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { rangeOf } from './rhythm.ts'
import { sendDueReports } from './send.ts'

const server = await aServer({ PRODUCT_NAME: 'Reel' })
const { query: sql } = server

let orgId: string
let admin: Person
let groupId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Acme'))
  groupId = (
    await sql<{ id: string }>(
      `insert into groups (organization_id, name) values ($1, 'Sales') returning id`,
      [orgId],
    )
  )[0]!.id
})

const daily = { rhythm: 'daily', hour: 7, period: '7d', formats: [] } as const

async function schedule(person: Person, more: object = {}): Promise<string> {
  const body = { report: 'user-engagement', view: {}, ...daily, ...more }
  const answer = await person.call(createReportSchedule, { body: body as never })
  expect([answer.status, answer.problem]).toEqual([201, undefined])
  return answer.body.id
}

/** As if its time had come so many minutes ago; gives this instant. */
async function fallDue(id: string, minutes = 0): Promise<Date> {
  const [due] = await sql<{ at: string }>(
    `update report_schedules set next_at = date_trunc('milliseconds', now()) - make_interval(mins => $2), retry_at = null
      where id = $1 returning to_json(next_at) as at`,
    [id, minutes],
  )
  return new Date(due?.at ?? '')
}

const run = () => sendDueReports(server.services, new AbortController().signal)

async function mailsTo({ email }: Person): Promise<OutboxMail[]> {
  const superadmin = await server.person('superadmin')
  return (await superadmin.call(listOutbox, { query: { q: email } })).body.items
}

const found = async (person: Person, scheduleId: string) =>
  (await person.call(readReportSchedule, { params: { scheduleId } })).body

test('sends what is due once, with its figures, and moves on to the next', async () => {
  const { videoId, versionId } = await addVideo(server, { organizationId: orgId })
  const person = await server.person(null, orgId)
  const at = new Date(Date.now() - 2 * 86_400_000)
  const seen = { organizationId: orgId, videoId, versionId, userId: person.id, at }
  await addPastViewing(server, { ...seen, coveredMs: 30_000, watchMs: 45_000, completed: true })
  const id = await schedule(admin, { view: { videoId, sort: '-viewers' }, formats: ['csv'] })
  await run()
  expect(await mailsTo(admin)).toEqual([])
  const due = await fallDue(id)
  await Promise.all([run(), run(), run()])
  await run()
  const [mail, ...others] = await mailsTo(admin)
  expect(others).toEqual([])
  const { from, to } = rangeOf('7d', due, 'UTC')
  expect(mail?.subject).toMatch(/^User Engagement, .+ to .+ – Acme$/)
  expect(mail?.text).toContain('Viewers: 1 (None before)')
  expect(mail?.text).toContain('Time watched: 45 s (None before)')
  expect(mail?.text).toContain('Completed: 1')
  expect(mail?.text).toContain('Only video “')
  expect(mail?.text).toContain('every day at 07:00, time of Acme (UTC)')
  expect(mail?.text).toContain('http://localhost:3000/reports/schedules')
  const link = new URL(/^http\S+\/reports\/user-engagement\S+$/m.exec(mail?.text ?? '')?.[0] ?? '')
  expect(Object.fromEntries(link.searchParams)).toEqual({ from, to, video: videoId, sort: '-viewers' })
  expect(mail?.html).toContain('<th scope="row"')
  const files = await sql<{ name: string; text: string }>(
    `select name, convert_from(content, 'UTF8') as text from mail_attachments where mail_id = $1`,
    [mail?.id],
  )
  expect(files.map(({ name }) => name)).toEqual([`user-engagement-${from}-to-${to}.csv`])
  expect(files[0]?.text).toMatch(/Viewers/)
  const after = await found(admin, id)
  expect(after).toMatchObject({ pauseReason: null, fault: null })
  expect(new Date(after.next?.at ?? 0).getTime()).toBeGreaterThan(Date.now())
  const sentAt = Date.parse(after.lastSentAt ?? '')
  expect(sentAt).toBeGreaterThanOrEqual(due.getTime())
  expect(sentAt).toBeLessThanOrEqual(Date.now())
  const written = await sql(`select action from audit where entity_id = $1 order by at, id`, [id])
  expect(written).toEqual([{ action: 'report_schedule.created' }, { action: 'report_schedule.sent' }])
})

/** Where it is noon now, and so another day for some hours of each day; its names count hours the other way round. */
function zoneAtNoon(): { timeZone: string; midnight: number } {
  const ahead = 12 - new Date().getUTCHours()
  const hours = Math.abs(ahead) < 3 ? ahead + 6 : ahead
  const timeZone = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
  return { timeZone, midnight: Temporal.Now.zonedDateTimeISO(timeZone).startOfDay().epochMilliseconds }
}

test('counts the days of the zone in which its hour was chosen, to the minute', async () => {
  const { timeZone, midnight } = zoneAtNoon()
  await sql('update organizations set time_zone = $2 where id = $1', [orgId, timeZone])
  const play = await videoToWatch(server, { organizationId: orgId })
  const minute = 60_000
  const yesterday = midnight - 24 * 60 * minute
  const begun = [
    yesterday - 30 * minute,
    yesterday + 30 * minute,
    midnight - 30 * minute,
    midnight + 30 * minute,
  ]
  for (const at of begun) {
    const person = await server.person(null, orgId)
    await aggregate(server, [watched(server, { play: by(play, person), at, part: [0, 10_000] })])
  }
  const view = { videoId: play.video }
  const mail = async (report: string) => {
    const id = await schedule(admin, { report, view, period: 'day', formats: ['xlsx'] })
    await fallDue(id)
    await run()

    return (await mailsTo(admin))[0]
  }
  const engagement = await mail('user-engagement')
  const day = new Date(yesterday + 12 * 60 * minute).toLocaleDateString('en-US', {
    timeZone,
    month: 'short',
    day: 'numeric',
  })
  expect(engagement?.subject).toContain(day)
  expect(engagement?.text).toContain(`in days of ${zoneText(timeZone)}.`)
  expect(engagement?.text).toContain('Viewers: 2 (Up 100% from 1)')
  expect(engagement?.text).toContain('Time watched: 20 s')
  const activity = await mail('account-user-activity')
  expect(activity?.text).toContain('Active people: 2')
})

test('after days without a server, one mail comes and not ten', async () => {
  const id = await schedule(admin)
  await sql(`update report_schedules set next_at = next_at - interval '10 days' where id = $1`, [id])
  await run()
  const [mail, ...others] = await mailsTo(admin)
  expect(others).toEqual([])
  expect(mail?.text).toContain('\n9 mails before this one could not be sent')
})

test('nothing is sent while it is paused', async () => {
  const id = await schedule(admin)
  await admin.call(pauseReportSchedule, { params: { scheduleId: id } })
  await fallDue(id)
  await run()
  expect(await mailsTo(admin)).toEqual([])
})

test.each([
  ['disabled', (id: string) => sql(`update users set state = 'disabled' where id = $1`, [id])],
  ['removed', (id: string) => sql(`update users set deleted_at = now() where id = $1`, [id])],
  ['without a role', (id: string) => sql('update users set role = null where id = $1', [id])],
  [
    'of a suspended organization',
    (id: string) =>
      sql(
        `update organizations set state = 'suspended' where id = (select organization_id from users where id = $1)`,
        [id],
      ),
  ],
  [
    'of an archived organization',
    (id: string) =>
      sql(
        `update organizations set state = 'archived' where id = (select organization_id from users where id = $1)`,
        [id],
      ),
  ],
])('who is %s gets nothing, and the schedule stops', async (_what, become) => {
  const id = await schedule(admin)
  await become(admin.id)
  await fallDue(id)
  await run()
  expect(await mailsTo(admin)).toEqual([])
  expect(await sql('select state, pause_reason as reason from report_schedules where id = $1', [id])).toEqual(
    [{ state: 'paused', reason: 'no_access' }],
  )
})

test('who may not open the report any more sees why it stopped', async () => {
  const id = await schedule(admin, { report: 'account-activity' })
  await sql(`update users set role = 'groupadmin' where id = $1`, [admin.id])
  await fallDue(id)
  await run()
  expect(await mailsTo(admin)).toEqual([])
  expect(await found(admin, id)).toMatchObject({ pauseReason: 'no_access', next: null })
})

test('a groupadmin gets the figures of the groups that are theirs at that moment', async () => {
  const { videoId, versionId } = await addVideo(server, { organizationId: orgId })
  const [member, other] = [await server.person(null, orgId), await server.person(null, orgId)]
  for (const { id: userId } of [member, other]) {
    const at = new Date(Date.now() - 86_400_000)
    const facts = { organizationId: orgId, videoId, versionId, userId, at }
    await addPastViewing(server, { ...facts, coveredMs: 10_000, watchMs: 10_000 })
  }
  const groupadmin = await server.person('groupadmin', orgId)
  const join = (userId: string, isAdmin: boolean) =>
    sql(
      'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, $4)',
      [orgId, groupId, userId, isAdmin],
    )
  await join(groupadmin.id, true)
  await join(member.id, false)
  const id = await schedule(groupadmin)
  await fallDue(id)
  await run()
  await join(other.id, false)
  await fallDue(id)
  await run()
  const texts = (await mailsTo(groupadmin)).map(({ text }) => /Viewers: \d+/.exec(text)?.[0])
  expect(texts).toEqual(['Viewers: 2', 'Viewers: 1'])
  const narrowed = await schedule(groupadmin, { view: { groupId } })
  await sql('update group_members set groupadmin = false where user_id = $1', [groupadmin.id])
  await fallDue(narrowed)
  await run()
  expect(await found(groupadmin, narrowed)).toMatchObject({
    pauseReason: 'not_in_sight',
    subjects: { group: null },
  })
  expect(await mailsTo(groupadmin)).toHaveLength(2)
})

test('a superadmin gets those of all organizations, in UTC, and none of one that is gone', async () => {
  const superadmin = await server.person('superadmin')
  const all = await schedule(superadmin)
  const one = await schedule(superadmin, { view: { organizationId: orgId } })
  await fallDue(all)
  await fallDue(one)
  await run()
  const subjects = (await mailsTo(superadmin)).map(({ subject }) => subject.replace(/.* – /, ''))
  expect(subjects.sort()).toEqual(['Acme', 'Reel'])
  await sql('update organizations set deleted_at = now() where id = $1', [orgId])
  await fallDue(one)
  await run()
  expect(await found(superadmin, one)).toMatchObject({ pauseReason: 'not_in_sight' })
})

test('what cannot be worked out is tried again, then given up until the next time', async () => {
  const id = await schedule(admin)
  // No report knows this order any more.
  await sql(`update report_schedules set view = '{"sort":"gone"}' where id = $1`, [id])
  await fallDue(id)
  for (let n = 0; n < 5; n += 1) {
    await run()
    await sql(`update report_schedules set retry_at = now() where id = $1 and retry_at is not null`, [id])
  }
  await run()
  const after = await found(admin, id)
  expect(after).toMatchObject({ pauseReason: null, fault: { kind: 'not_made' } })
  expect(new Date(after.next?.at ?? 0).getTime()).toBeGreaterThan(Date.now())
  expect(await mailsTo(admin)).toEqual([])
})

test('follows its organization into another time zone', async () => {
  const id = await schedule(admin)
  await sql(`update organizations set time_zone = 'Asia/Tokyo' where id = $1`, [orgId])
  await run()
  const after = await found(admin, id)
  expect(after.timeZone).toBe('Asia/Tokyo')
  expect(after.next?.at).toMatch(/T22:00:00/)
})

test('a change while the report is worked out wins', async () => {
  const id = await schedule(admin)
  await fallDue(id)
  await sql(`update users set name = $2 where id = $1`, [admin.id, 'Ada'])
  const change = admin.call(updateReportSchedule, {
    params: { scheduleId: id },
    body: { ...daily, formats: [], hour: 8 },
  })
  await Promise.all([change, run()])
  const mails = await mailsTo(admin)
  expect(mails.length).toBeLessThanOrEqual(1)
  expect((await found(admin, id)).next?.at).toMatch(/T08:00:00/)
})

test('an organization that is switched on again goes on when its people say so', async () => {
  const superadmin = await server.person('superadmin')
  const id = await schedule(admin)
  const state = (to: 'active' | 'suspended') =>
    superadmin.call(changeOrganizationState, { params: { orgId }, body: { state: to } })
  await state('suspended')
  await fallDue(id)
  await run()
  await state('active')
  await run()
  expect(await mailsTo(admin)).toEqual([])
  const rows = await server.query('select pause_reason from report_schedules where id = $1', [id])
  expect(rows).toEqual([{ pause_reason: 'no_access' }])
  const again = await server.person('admin', orgId)
  expect((await again.call(listReportSchedules, { query: { of: 'others' } })).body.items).toMatchObject([
    { id, own: false, pauseReason: 'no_access' },
  ])
})
