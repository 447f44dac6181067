import { beforeEach, expect, test } from 'vitest'
import {
  listMessageReports,
  listUserActivity,
  listVideoEngagement,
  reportMessages,
  reportUserActivity,
  reportUserEngagement,
} from '#contract/reports/reports.ts'
import { addGroup, addPeople } from '../testing/audience.ts'
import { addPastDelivery, addPastViewing, dayOf, daysAgo, valuesOf } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { unique } from '../testing/unique.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let admin: Person
let organizationId: string
let ann: string
let ben: string
let video: { videoId: string; versionId: string }
beforeEach(async () => {
  ;({ orgId: organizationId, admin } = await anOrganization(server, 'Tailspin'))
  const prefix = unique()
  ;[ann = '', ben = ''] = await addPeople(server, organizationId, { count: 2, prefix })
  video = await addVideo(server, { organizationId, title: 'Fire drill', durationMs: 60_000 })
})

const reports = [reportUserActivity, reportUserEngagement, reportMessages]
const lists = [listUserActivity, listVideoEngagement, listMessageReports]

/**
 * Both got the video two days ago: Ann saw all of it, a third of it twice, Ben half of it. Forty days ago Ann got and
 * completed another one.
 */
async function history() {
  const facts = { organizationId, ...video }
  const at = daysAgo(2)
  const toAnn = await addPastDelivery(server, { ...facts, userId: ann, at })
  const toBen = await addPastDelivery(server, { ...facts, userId: ben, at })
  const whole = { coveredMs: 60_000, watchMs: 80_000, completed: true }
  await addPastViewing(server, { ...facts, userId: ann, at, delivery: toAnn, ...whole })
  const half = { coveredMs: 30_000, watchMs: 30_000 }
  await addPastViewing(server, { ...facts, userId: ben, at: daysAgo(1), delivery: toBen, ...half })
  const other = { organizationId, ...(await addVideo(server, { organizationId, title: 'Old news' })) }
  const before = { ...other, userId: ann, at: daysAgo(40) }
  const delivery = await addPastDelivery(server, before)
  await addPastViewing(server, { ...before, delivery, coveredMs: 60_000, watchMs: 60_000, completed: true })
  return { toAnn, toBen }
}

test('requires sign-in', async () => {
  for (const endpoint of [...reports, ...lists]) expect((await server.call(endpoint)).status).toBe(401)
})

test('requires role', async () => {
  const recipient = await server.person(null, organizationId)
  for (const endpoint of [...reports, ...lists]) expect((await recipient.call(endpoint)).status).toBe(401)
})

test('tells who was active, and what became of their messages', async () => {
  await history()
  const { body } = await admin.call(reportUserActivity)
  const expected = { people: 3, active: 2, received: 2, opened: 2, completed: 1, watchedMs: 110_000 }
  expect(body.organization).toEqual({ id: organizationId, name: 'Tailspin' })
  expect(valuesOf(body)).toMatchObject(expected)
  expect(body.steps).toHaveLength(30)
  expect(body.steps.filter(({ value }) => value > 0)).toMatchObject([
    { day: dayOf(daysAgo(2)), value: 1 },
    { day: dayOf(daysAgo(1)), value: 1 },
  ])
  const { items, total } = (await admin.call(listUserActivity, { query: { sort: '-watchedMs' } })).body
  expect([total, ...items.map(({ id }) => id)]).toEqual([3, ann, ben, admin.id])
  expect(items[0]).toMatchObject({ received: 1, opened: 1, completed: 1, watchedMs: 80_000 })
  expect(dayOf(new Date(items[0]?.lastActiveAt ?? ''))).toBe(dayOf(daysAgo(2)))
  // The fixture's administrator has never signed in.
  expect(items[2]).toMatchObject({ received: 0, watchedMs: 0, lastActiveAt: null })
})

test('takes a sign-in and a change in the console for activity', async () => {
  await server.query(
    `insert into audit (organization_id, actor_id, action, entity, at)
      values ($1, $2, 'auth.sign_in', 'user', $3), ($1, $2, 'group.created', 'group', $4)`,
    [organizationId, admin.id, daysAgo(3), daysAgo(1)],
  )
  const { body } = await admin.call(reportUserActivity, { query: { period: '7d' } })
  expect(body.active).toEqual({ value: 1, before: 0 })
  expect(body.steps.map(({ value }) => value)).toEqual([0, 0, 0, 1, 0, 1, 0])
})

test('reaches back as far as it is told, by months over a year', async () => {
  await history()
  const year = (await admin.call(reportUserActivity, { query: { period: '12m' } })).body
  expect(valuesOf(year)).toMatchObject({ received: 3, completed: 2, watchedMs: 170_000 })
  expect(year.steps).toHaveLength(12)
  expect(year.steps.every(({ day }) => day.endsWith('-01'))).toBe(true)
  expect(year.steps.at(-1)?.day.slice(0, 7)).toBe(dayOf(new Date()).slice(0, 7))
  expect((await admin.call(reportUserActivity, { query: { period: '90d' } })).body.received.value).toBe(3)
  expect((await admin.call(reportUserActivity, { query: { period: '7d' } })).body.steps).toHaveLength(7)
})

test('measures how much of each video was seen, completed and repeated', async () => {
  await history()
  const { body } = await admin.call(reportUserEngagement)
  expect(valuesOf(body)).toMatchObject({
    videos: 1,
    viewers: 2,
    covered: 0.75,
    completed: 1,
    watchedMs: 110_000,
  })
  expect(body.rewatched.value).toBeCloseTo(20 / 110, 6)
  expect(body.steps.find(({ day }) => day === dayOf(daysAgo(1)))?.value).toBe(30_000)
  const { items } = (await admin.call(listVideoEngagement, { query: { period: '90d', sort: 'title' } })).body
  const all = (await admin.call(reportUserEngagement, { query: { period: '90d' } })).body
  expect(valuesOf(all)).toMatchObject({ videos: 2, viewings: 3, viewers: 2, completed: 2 })
  expect(items.map(({ title, viewers, covered, completed }) => [title, viewers, covered, completed])).toEqual(
    [
      ['Fire drill', 2, 0.75, 1],
      ['Old news', 1, 1, 1],
    ],
  )
})

test('follows each transmission from the mail to the last second', async () => {
  const { toAnn, toBen } = await history()
  await server.query(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state)
      select $1, $2, id, 'x-' || id, state from unnest($3::uuid[], $4::text[]) p(id, state)`,
    [
      toBen.transmissionId,
      organizationId,
      [ann, crypto.randomUUID(), crypto.randomUUID()],
      ['rejected', 'unknown', 'skipped'],
    ],
  )
  const { body } = await admin.call(reportMessages)
  const viewing = { opened: 2, started: 2, completed: 1 }
  expect(valuesOf(body)).toMatchObject({
    transmissions: 2,
    recipients: 4,
    accepted: 2,
    resting: 0,
    failed: 1,
    unknown: 1,
    ...viewing,
  })
  expect(body.steps.find(({ day }) => day === dayOf(daysAgo(2)))?.value).toBe(2)
  const { items } = (await admin.call(listMessageReports, { query: { sort: '-recipients' } })).body
  expect(items.map(({ id }) => id)).toEqual([toBen.transmissionId, toAnn.transmissionId])
  expect(items[0]).toMatchObject({
    recipients: 3,
    accepted: 1,
    failed: 1,
    unknown: 1,
    opened: 1,
    completed: 0,
  })
})

test('shows a groupadmin the members of their groups, and no others', async () => {
  const { toAnn } = await history()
  const groupadmin = await server.person('groupadmin', organizationId)
  const group = await addGroup(server, organizationId, [ann, groupadmin.id])
  await server.query('update group_members set groupadmin = true where group_id = $1 and user_id = $2', [
    group,
    groupadmin.id,
  ])
  const activity = (await groupadmin.call(reportUserActivity)).body
  expect(valuesOf(activity)).toMatchObject({
    people: 2,
    active: 1,
    received: 1,
    completed: 1,
    watchedMs: 80_000,
  })
  const people = (await groupadmin.call(listUserActivity)).body
  expect(people.items.map(({ id }) => id).toSorted()).toEqual([ann, groupadmin.id].toSorted())
  const engagement = (await groupadmin.call(reportUserEngagement)).body
  expect(valuesOf(engagement)).toMatchObject({ viewers: 1, covered: 1, completed: 1, watchedMs: 80_000 })
  expect((await groupadmin.call(listVideoEngagement)).body.items).toMatchObject([{ viewers: 1 }])
  const messages = (await groupadmin.call(reportMessages)).body
  expect(valuesOf(messages)).toMatchObject({
    transmissions: 1,
    recipients: 1,
    accepted: 1,
    opened: 1,
    completed: 1,
  })
  const sent = (await groupadmin.call(listMessageReports)).body
  expect(sent).toMatchObject({ total: 1, items: [{ id: toAnn.transmissionId, recipients: 1 }] })
  const nobody = await server.person('groupadmin', organizationId)
  const none = valuesOf((await nobody.call(reportUserActivity)).body)
  expect(none).toMatchObject({ people: 0, active: 0, received: 0, watchedMs: 0 })
  expect((await nobody.call(listMessageReports)).body).toMatchObject({ total: 0, items: [] })
})

test('shows nothing of another organization, and a superadmin each or all', async () => {
  await history()
  const { admin: stranger } = await anOrganization(server, 'Elsewhere')
  expect(valuesOf((await stranger.call(reportUserActivity)).body)).toMatchObject({ people: 1, received: 0 })
  const unwatched = valuesOf((await stranger.call(reportUserEngagement)).body)
  expect(unwatched).toMatchObject({ videos: 0, covered: null })
  for (const endpoint of [...reports, ...lists])
    expect((await stranger.call(endpoint, { query: { organizationId } })).status).toBe(404)
  const superadmin = await server.person('superadmin')
  const one = (await superadmin.call(reportMessages, { query: { organizationId } })).body
  expect(valuesOf(one)).toMatchObject({ organization: { name: 'Tailspin' }, transmissions: 2 })
  const every = (await superadmin.call(reportMessages)).body
  expect(every.organization).toBeNull()
  expect(every.transmissions.value).toBeGreaterThan(2)
  const unknown = { organizationId: crypto.randomUUID() }
  for (const endpoint of [...reports, ...lists])
    expect((await superadmin.call(endpoint, { query: unknown })).status).toBe(404)
})

test('goes through all rows once, whatever they are sorted by', async () => {
  await history()
  for (const sort of ['name', '-lastActiveAt', 'received', '-watchedMs']) {
    const whole = (await admin.call(listUserActivity, { query: { sort } })).body.items.map(({ id }) => id)
    const found: string[] = []
    let url: string | null = `/api${listUserActivity.path}?limit=1&sort=${sort}`
    while (url !== null) {
      const { status, body } = await admin.send('GET', url)
      expect(status).toBe(200)
      const page = listUserActivity.reply.parse(body)
      found.push(...page.items.map(({ id }) => id))
      url = page.next
    }
    expect(found).toEqual(whole)
  }
})
