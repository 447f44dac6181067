import { beforeEach, expect, test } from 'vitest'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { listReportChoices, reportSubjects } from '#contract/reports/report-scope.ts'
import { exportQuizMetrics, listQuizMetrics, reportQuizMetrics } from '#contract/reports/report-quizzes.ts'
import * as reports from '#contract/reports/reports.ts'
import { addGroup, addPeople } from '../testing/audience.ts'
import { addPastDelivery, addPastViewing, dayOf, daysAgo, valuesOf } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { unique } from '../testing/unique.ts'
import { aServer, anOrganization, setPolicies } from '../testing/worlds.ts'

const server = await aServer()
const { query } = server

let admin: Person
let organizationId: string
beforeEach(async () => {
  ;({ orgId: organizationId, admin } = await anOrganization(server, 'Tailspin'))
})

const sums = [
  reports.reportUserActivity,
  reports.reportUserEngagement,
  reports.reportAccountActivity,
  reports.reportMessages,
  reportQuizMetrics,
]
const lists = [
  reports.listUserActivity,
  reports.listVideoEngagement,
  reports.listAccountActivity,
  reports.listMessageReports,
  listQuizMetrics,
]
const exports = [
  reports.exportUserActivity,
  reports.exportVideoEngagement,
  reports.exportAccountActivity,
  reports.exportMessageReports,
  exportQuizMetrics,
]

type Watching = { userId: string; video: { videoId: string; versionId: string }; days: number; ms?: number }

async function watch({ userId, video, days, ms = 30_000 }: Watching) {
  const facts = { organizationId, ...video, userId, at: daysAgo(days) }
  const delivery = await addPastDelivery(server, facts)
  await addPastViewing(server, { ...facts, delivery, coveredMs: ms, watchMs: ms, completed: ms === 60_000 })
  return delivery
}

/** Ann and Ben watched the drill two days ago, Ann also the tour; ten days ago Ben had watched the tour. */
async function history() {
  const [ann = '', ben = ''] = await addPeople(server, organizationId, {
    count: 2,
    prefix: unique(),
  })
  const [drill, tour] = [await video('Fire drill'), await video('Tour')]
  const toAnn = await watch({ userId: ann, video: drill, days: 2, ms: 60_000 })
  await watch({ userId: ben, video: drill, days: 2 })
  await watch({ userId: ann, video: tour, days: 3, ms: 10_000 })
  await watch({ userId: ben, video: tour, days: 10, ms: 20_000 })
  return { ann, ben, drill, tour, toAnn }
}

const video = (title: string) => addVideo(server, { organizationId, title, durationMs: 60_000 })

test('compares with as many days before', async () => {
  await history()
  const { body } = await admin.call(reports.reportUserEngagement, { query: { period: '7d' } })
  expect(body).toMatchObject({
    viewers: { value: 2, before: 1 },
    completed: { value: 1, before: 0 },
    watchedMs: { value: 100_000, before: 20_000 },
    covered: { value: (1 + 0.5 + 1 / 6) / 3, before: 1 / 3 },
  })
  expect(body.range).toEqual({
    from: dayOf(daysAgo(6)),
    to: dayOf(new Date()),
    unit: 'day',
    before: { from: dayOf(daysAgo(13)), to: dayOf(daysAgo(7)) },
  })
  expect(body.steps.map(({ value, before }) => [value, before])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
    [10_000, 20_000],
    [90_000, 0],
    [0, 0],
    [0, 0],
  ])
  const messages = (await admin.call(reports.reportMessages, { query: { period: '7d' } })).body
  expect(messages).toMatchObject({ accepted: { value: 3, before: 1 }, opened: { value: 3, before: 1 } })
  const activity = (await admin.call(reports.reportUserActivity, { query: { period: '7d' } })).body
  expect(activity).toMatchObject({ active: { value: 2, before: 1 }, received: { value: 3, before: 1 } })
})

test('compares twelve months with the same days a year earlier', async () => {
  const [ann = ''] = await addPeople(server, organizationId, { count: 1, prefix: unique() })
  await watch({ userId: ann, video: await video('Fire drill'), days: 366 })
  const { body } = await admin.call(reports.reportUserEngagement, { query: { period: '12m' } })
  expect(body.steps).toHaveLength(12)
  expect(body.watchedMs).toEqual({ value: 0, before: 30_000 })
  expect(body.steps.reduce((sum, { before }) => sum + before, 0)).toBe(30_000)
  const { from, to, before } = body.range
  const days = (a: string, b: string) => (Date.parse(b) - Date.parse(a)) / 86_400_000
  expect(days(before.from, before.to)).toBe(days(from, to))
  expect(before.from.slice(4)).toBe(from.slice(4))
})

test('counts exactly the days that are asked for', async () => {
  await history()
  const on = async (from: number, to: number) =>
    (
      await admin.call(reports.reportUserEngagement, {
        query: { from: dayOf(daysAgo(from)), to: dayOf(daysAgo(to)) },
      })
    ).body
  expect((await on(3, 3)).watchedMs).toEqual({ value: 10_000, before: 0 })
  expect((await on(3, 2)).watchedMs).toEqual({ value: 100_000, before: 0 })
  expect((await on(10, 4)).watchedMs).toEqual({ value: 20_000, before: 0 })
  expect(await on(400, 0)).toMatchObject({ range: { unit: 'month' }, watchedMs: { value: 120_000 } })
  const open = await admin.call(reports.reportUserEngagement, { query: { from: dayOf(daysAgo(2)) } })
  expect(open.body.range.to).toBe(dayOf(new Date()))
})

test('refuses a range that is none, or longer than 24 months', async () => {
  const wrong = [
    { from: '2026-02-01', to: '2026-01-31' },
    { to: '2026-01-31' },
    { from: '2024-01-01', to: '2026-01-01' },
    { from: '2026-02-30', to: '2026-03-01' },
    { from: 'yesterday' },
  ]
  for (const endpoint of [...sums, ...lists, ...exports])
    for (const range of wrong) expect((await admin.call(endpoint, { query: range })).status).toBe(422)
  const longest = { from: '2024-01-01', to: '2025-12-31' }
  for (const endpoint of [...sums, ...lists])
    expect((await admin.call(endpoint, { query: longest })).status).toBe(200)
})

test('narrows to a group, a video, a project and a transmission', async () => {
  const { ann, ben, drill, tour, toAnn } = await history()
  const groupId = await addGroup(server, organizationId, [ben])
  const [parent, child] = await query<{ id: string }>(
    `with parent as (insert into projects (organization_id, name) values ($1, 'Safety') returning id)
      select id from parent union all select uuidv7()`,
    [organizationId],
  )
  await query(`insert into projects (id, organization_id, name, parent_id) values ($1, $2, 'Fire', $3)`, [
    child?.id,
    organizationId,
    parent?.id,
  ])
  await query('update videos set project_id = $2 where id = $1', [drill.videoId, child?.id])
  const asked = { period: '30d' }
  const engagement = async (more: Record<string, string>) =>
    valuesOf((await admin.call(reports.reportUserEngagement, { query: { ...asked, ...more } })).body)
  expect(await engagement({})).toMatchObject({ videos: 2, viewings: 4, viewers: 2, watchedMs: 120_000 })
  expect(await engagement({ groupId })).toMatchObject({
    videos: 2,
    viewers: 1,
    completed: 0,
    watchedMs: 50_000,
  })
  expect(await engagement({ videoId: tour.videoId })).toMatchObject({ viewings: 2, watchedMs: 30_000 })
  const ofProject = { videos: 1, viewers: 2, completed: 1, watchedMs: 90_000 }
  expect(await engagement({ projectId: parent?.id ?? '' })).toMatchObject(ofProject)
  const { transmissionId } = toAnn
  expect(await engagement({ transmissionId })).toMatchObject({ viewers: 1, completed: 1, watchedMs: 60_000 })
  const activity = async (more: Record<string, string>) =>
    (await admin.call(reports.reportUserActivity, { query: { ...asked, ...more } })).body
  expect(valuesOf(await activity({ groupId }))).toMatchObject({ people: 1, active: 1, received: 2 })
  expect(valuesOf(await activity({ videoId: tour.videoId }))).toMatchObject({ active: 2, received: 2 })
  expect(valuesOf(await activity({ transmissionId }))).toMatchObject({ people: 1, active: 1, received: 1 })
  const people = await admin.call(reports.listUserActivity, { query: { ...asked, transmissionId } })
  expect(people.body.items).toMatchObject([{ id: ann, received: 1, completed: 1, watchedMs: 60_000 }])
  const messages = async (more: Record<string, string>) =>
    valuesOf((await admin.call(reports.reportMessages, { query: { ...asked, ...more } })).body)
  expect(await messages({ groupId })).toMatchObject({ transmissions: 2, recipients: 2, completed: 0 })
  expect(await messages({ videoId: drill.videoId })).toMatchObject({ recipients: 2, completed: 1 })
  expect(await messages({ transmissionId })).toMatchObject({ transmissions: 1, recipients: 1 })
  expect((await activity({ groupId, videoId: tour.videoId })).subjects).toMatchObject({
    group: { id: groupId },
    video: { id: tour.videoId, name: 'Tour' },
    project: null,
  })
})

test('knows nothing of what is out of sight, whatever it is narrowed to', async () => {
  const { ann, drill, tour, toAnn } = await history()
  const { orgId: foreign, admin: stranger } = await anOrganization(server)
  const groupId = await addGroup(server, organizationId, [])
  const wanted = { videoId: drill.videoId, transmissionId: toAnn.transmissionId, groupId }
  for (const endpoint of [...sums, ...lists, ...exports])
    for (const [name, id] of Object.entries(wanted))
      expect((await stranger.call(endpoint, { query: { [name]: id } })).status).toBe(404)
  const groupadmin = await server.person('groupadmin', organizationId)
  const own = await addGroup(server, organizationId, [ann, groupadmin.id])
  await query('update group_members set groupadmin = true where group_id = $1 and user_id = $2', [
    own,
    groupadmin.id,
  ])
  const asOwn = async (endpoint: EndpointDefinition, more: Record<string, string>) =>
    (await groupadmin.call(endpoint, { query: more })).status
  expect(await asOwn(reports.reportUserActivity, { groupId })).toBe(404)
  expect(await asOwn(reports.reportUserActivity, { groupId: own, videoId: tour.videoId })).toBe(200)
  const unseen = await addVideo(server, { organizationId, title: 'Secret' })
  expect(await asOwn(reports.reportUserActivity, { videoId: unseen.videoId })).toBe(404)
  const superadmin = await server.person('superadmin')
  // A report on a subject is a report on its organization.
  const alone = await superadmin.call(reports.reportUserActivity, { query: { videoId: tour.videoId } })
  expect(alone.body.organization?.id).toBe(organizationId)
  const mixed = { organizationId: foreign, videoId: tour.videoId }
  expect((await superadmin.call(reports.reportUserActivity, { query: mixed })).status).toBe(404)
})

test('offers what can be chosen, each reader theirs', async () => {
  const { ann, toAnn } = await history()
  const secret = await addVideo(server, { organizationId, title: 'Sécret drill' })
  const choices = async (who: Person, more: Record<string, string>) =>
    (await who.call(listReportChoices, { query: more })).body.items.map(({ name }) => name)
  expect((await choices(admin, { of: 'video' })).toSorted()).toEqual(['Fire drill', 'Sécret drill', 'Tour'])
  expect(await choices(admin, { of: 'video', q: 'secret' })).toEqual(['Sécret drill'])
  expect(await choices(admin, { of: 'transmission' })).toHaveLength(4)
  const groupadmin = await server.person('groupadmin', organizationId)
  await query(
    `with g as (insert into groups (organization_id, name) values ($1, 'Own') returning id)
      insert into group_members (organization_id, group_id, user_id, groupadmin)
        select $1, g.id, p.id, p.id = $3 from g, unnest(array[$2, $3]::uuid[]) p(id)`,
    [organizationId, ann, groupadmin.id],
  )
  await addGroup(server, organizationId, [])
  expect(await choices(groupadmin, { of: 'group' })).toEqual(['Own'])
  expect(await choices(groupadmin, { of: 'video' })).not.toContain('Sécret drill')
  expect(await choices(groupadmin, { of: 'transmission' })).toHaveLength(2)
  const stranger = await server.person('admin', await server.organization())
  for (const of of reportSubjects) expect(await choices(stranger, { of })).toEqual([])
  expect([toAnn.transmissionId, secret.videoId].every(Boolean)).toBe(true)
})

test('tells nothing of how people watched where only completions are recorded', async () => {
  const { drill } = await history()
  await setPolicies(server, organizationId, { trackingMode: 'completed_only' })
  for (const more of [{}, { videoId: drill.videoId }]) {
    const { body } = await admin.call(reports.reportUserEngagement, { query: more })
    const hidden = { value: null, before: null }
    expect(body).toMatchObject({ covered: hidden, rewatched: hidden, finished: hidden, watchedMs: hidden })
    expect([body.quality, body.steps]).toEqual([null, []])
    const activity = (await admin.call(reports.reportUserActivity, { query: more })).body
    expect(activity).toMatchObject({ watchedMs: hidden, active: { value: 0, before: 0 } })
  }
})

const file = async (who: Person, endpoint: EndpointDefinition, more: string) => {
  const { status, body } = await who.send('GET', `/api${endpoint.path}?${more}`)
  expect(status).toBe(200)
  return String(body)
    .replace('\uFEFF', '')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
}

test('writes the same rows into a file, which no spreadsheet runs', async () => {
  const { ann, drill } = await history()
  await query(`update users set name = '=cmd()' where id = $1`, [ann])
  await query(`update videos set title = '@sum' where id = $1`, [drill.videoId])
  const people = await file(admin, reports.exportUserActivity, 'period=7d&sort=-watchedMs')
  expect(people[0]).toEqual([
    'Name',
    'Email',
    'Organization',
    'Last active',
    'Received',
    'Opened',
    'Completed',
    'Watched (s)',
  ])
  expect(people[1]?.[0]).toBe("'=cmd()")
  expect(people[1]?.slice(4)).toEqual(['2', '2', '1', '70'])
  expect(people).toHaveLength(4)
  const only = await file(admin, reports.exportUserActivity, `videoId=${drill.videoId}&sort=-watchedMs`)
  expect(only[1]?.at(-1)).toBe('60')
  const videos = await file(admin, reports.exportVideoEngagement, 'sort=-viewers')
  expect(videos.map(([title = '']) => title).toSorted()).toEqual(["'@sum", 'Tour', 'Video'])
  expect(await file(admin, reports.exportMessageReports, 'period=7d')).toHaveLength(4)
  expect(await file(admin, exportQuizMetrics, '')).toHaveLength(1)
  const entries = await file(admin, reports.exportAccountActivity, 'action=report.exported')
  // The headings, and an entry for each of the files, with this one.
  expect(entries).toHaveLength(1 + 6)
})

test('writes every row of a long report once', async () => {
  await query(
    `insert into users (organization_id, name, email) select $1::uuid, 'Guest', 'g' || n || '-' || $1::uuid || '@example.test' from generate_series(1, 2300) n`,
    [organizationId],
  )
  const lines = await file(admin, reports.exportUserActivity, 'sort=name')
  expect(lines).toHaveLength(2 + 2300)
  expect(new Set(lines.map(([, email]) => email)).size).toBe(2 + 2300)
})
