import { beforeEach, expect, test } from 'vitest'
import {
  hideAlert,
  readDashboardAlerts,
  readDashboardFigures,
  readDashboardWork,
  readInstallation,
  showAlert,
} from '#contract/dashboard.ts'
import { reportUserActivity } from '#contract/reports/reports.ts'
import { listTraining } from '#contract/matrix/training.ts'
import { addGroup, addPeople } from '../testing/audience.ts'
import { boundary } from '../media/boundary.ts'
import { addPastDelivery, addPastViewing, daysAgo } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { fillTraining } from '../testing/training.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { unique } from '../testing/unique.ts'
import { aServer, anOrganization, setPolicies } from '../testing/worlds.ts'

let organizationId: string

const server = await aServer()

let admin: Person
let groupadmin: Person
let member: string
let other: string
const superadmin = await server.person('superadmin')

beforeEach(async () => {
  // Each test begins with an installation of one organization that is active.
  await query(`update organizations set state = 'archived'`)
  ;({ orgId: organizationId, admin } = await anOrganization(server, 'Acme'))
  groupadmin = await server.person('groupadmin', organizationId)
  ;[member = '', other = ''] = await addPeople(server, organizationId, {
    count: 2,
    prefix: unique(),
  })
  await addGroup(server, organizationId, [member, groupadmin.id])
  await query('update group_members set groupadmin = true where user_id = $1', [groupadmin.id])
})

const query = (text: string, values: unknown[] = []) => server.services.db.system.query(text, values)
const attention = async (by: Person, asked: Record<string, string> = {}) =>
  (await by.call(readDashboardAlerts, { query: asked })).body.items
const kinds = async (by: Person, asked: Record<string, string> = {}) =>
  (await attention(by, asked)).map(({ kind }) => kind)

async function transmission(state: string, orgId = organizationId): Promise<string> {
  const made = await addVideo(server, { organizationId: orgId, title: 'Drill', durationMs: 60_000 })
  const inserted = await query(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, audience_total)
      values ($1, $2, 'About ' || $2::text, 'b', $3, $4, uuidv7(), 'S', '{"userIds":[],"groupIds":[],"everyone":true}', 9) returning id`,
    [orgId, state, made.videoId, made.versionId],
  )
  return (inserted.rows[0] as { id: string }).id
}

async function operation(by: Person, state: string): Promise<void> {
  await query(
    `insert into operations (organization_id, kind, state, params, total, done, created_by, created_by_name, finished_at)
      values ($1, 'users.import', $2, '{"subject":"people.csv"}', 10, 4, $3, 'P', case when $2 = 'failed' then now() end)`,
    [by.organizationId, state, by.id],
  )
}

test('everybody reads the own organization only, and a superadmin one that exists', async () => {
  const reads = [readDashboardFigures, readDashboardWork, readDashboardAlerts]
  const foreign = await server.organization('Foreign')
  for (const endpoint of reads) {
    expect((await server.call(endpoint)).status).toBe(401)
    for (const by of [admin, groupadmin]) {
      expect((await by.call(endpoint)).status).toBe(200)
      expect((await by.call(endpoint, { query: { organizationId } })).status).toBe(200)
      const refused = await by.call(endpoint, { query: { organizationId: foreign } })
      expect(refused.problem?.code).toBe('not_found')
    }
    expect((await superadmin.call(endpoint, { query: { organizationId: foreign } })).status).toBe(200)
    const nowhere = await superadmin.call(endpoint, { query: { organizationId: crypto.randomUUID() } })
    expect(nowhere.problem?.code).toBe('not_found')
  }
  for (const by of [admin, groupadmin])
    expect((await by.call(readInstallation)).problem?.code).toBe('forbidden')
  const body = { organizationId: foreign, days: 7 }
  const refused = await admin.call(hideAlert, { params: { kind: 'failed_mails' }, body })
  expect(refused.problem?.code).toBe('not_found')
})

test('figures are those of the report on people, day by day, and of the own groups', async () => {
  const video = await addVideo(server, { organizationId, title: 'Fire drill', durationMs: 60_000 })
  const old = await addVideo(server, { organizationId, title: 'Old news', durationMs: 60_000 })
  for (const [userId, at, { videoId, versionId }] of [
    [member, daysAgo(2), video],
    [other, daysAgo(2), video],
    [member, daysAgo(40), old],
  ] as const) {
    const facts = { organizationId, videoId, versionId, userId, at }
    const delivery = await addPastDelivery(server, facts)
    await addPastViewing(server, { ...facts, delivery, coveredMs: 60_000, watchMs: 80_000, completed: true })
  }
  const read = async (by: Person) => {
    const { figures, range } = (await by.call(readDashboardFigures)).body
    const { body } = await by.call(reportUserActivity)
    for (const { key, value, before } of figures)
      expect({ key, value, before }).toEqual({ key, ...body[key] })
    expect(range).toEqual({ from: body.range.from, to: body.range.to })
    return Object.fromEntries(figures.map((figure) => [figure.key, figure]))
  }
  const all = await read(admin)
  expect(all['received']).toMatchObject({ value: 2, before: 1 })
  expect(all['received']?.days.map((n, day) => [29 - day, n]).filter(([, n]) => n !== 0)).toEqual([[2, 2]])
  expect(all['watchedMs']?.days).toHaveLength(30)
  expect(all['watchedMs']?.days[27]).toBe(all['watchedMs']?.value)
  expect((await read(groupadmin))['received']).toMatchObject({ value: 1, before: 1 })
  await setPolicies(server, organizationId, { trackingMode: 'completed_only' })
  expect((await read(admin))['watchedMs']).toMatchObject({ value: null, before: null, days: [] })
})

test('work in flight: all of it for a superadmin, of the organization, and what a groupadmin started', async () => {
  const foreign = await server.organization('Foreign')
  const sending = await transmission('sending')
  await transmission('completed')
  await transmission('scheduled', foreign)
  await operation(admin, 'running')
  await operation(groupadmin, 'queued')
  await operation(admin, 'done')
  await query(
    `update videos set state = 'processing', progress = 0.4 where id = (select video_id from transmissions where id = $1)`,
    [sending],
  )
  const work = async (by: Person, asked: Record<string, string> = {}) => {
    const { body } = await by.call(readDashboardWork, { query: asked })
    return body
  }
  const own = await work(admin)
  expect(own.transmissions).toMatchObject({
    total: 1,
    items: [{ id: sending, state: 'sending', organizationId, organizationName: 'Acme' }],
  })
  expect(own.operations).toMatchObject({
    total: 2,
    items: [{ state: 'queued' }, { subject: 'people.csv', total: 10, done: 4 }],
  })
  expect(own.videos).toMatchObject({ total: 1, items: [{ title: 'Drill', progress: 0.4 }] })
  expect(await work(superadmin, { organizationId })).toEqual(own)
  const limited = await work(groupadmin)
  expect([limited.transmissions.total, limited.operations.total, limited.videos.total]).toEqual([0, 1, 0])
  const everywhere = (await work(superadmin)).transmissions.items.map(
    ({ organizationName }) => organizationName,
  )
  expect(everywhere.toSorted((a, b) => a.localeCompare(b))).toEqual(['Acme', 'Foreign'])
})

test('attention tells what waits, failed or stopped, and over all organizations where', async () => {
  await query(`update users set state = 'invited' where id = $1`, [other])
  expect(await kinds(admin)).toEqual([])
  const waiting = await transmission('pending_approval')
  await transmission('held')
  await operation(groupadmin, 'failed')
  await query(
    `update videos set failure = 'not_a_video' where id = (select video_id from transmissions where id = $1)`,
    [waiting],
  )
  const found = ['paused_transmissions', 'pending_approvals', 'failed_videos', 'failed_operations']
  expect(await kinds(admin)).toEqual(found)
  expect(await kinds(superadmin, { organizationId })).toEqual(found)
  expect(await kinds(groupadmin)).toEqual(['failed_operations'])
  const approvals = (await attention(admin)).find(({ kind }) => kind === 'pending_approvals')
  expect(approvals).toMatchObject({
    count: 1,
    samples: [{ id: waiting, name: 'About pending_approval' }],
    organizations: [],
  })

  const second = await server.organization('Second')
  await transmission('pending_approval', second)
  await transmission('pending_approval', second)
  const everywhere = await attention(superadmin)
  expect(everywhere.map(({ kind }) => kind)).toEqual([
    'paused_transmissions',
    'organizations_without_admin',
    'pending_approvals',
    'failed_videos',
    'failed_operations',
  ])
  expect(everywhere.find(({ kind }) => kind === 'pending_approvals')).toMatchObject({
    count: 3,
    samples: [],
    organizations: [
      { id: second, name: 'Second', count: 2 },
      { id: organizationId, name: 'Acme', count: 1 },
    ],
  })
  expect(everywhere.find(({ kind }) => kind === 'organizations_without_admin')).toMatchObject({
    count: 1,
    organizations: [{ id: second }],
  })
  await query(`update organizations set state = 'suspended' where id = $1`, [second])
  expect(await kinds(superadmin)).not.toContain('organizations_without_admin')
})

test('counts the people whom the training matrix calls overdue', async () => {
  await fillTraining((text, values) => query(text, values), { organizationId, people: 60, videos: 8 })
  const matrix = async (by: Person) =>
    (await by.call(listTraining, { params: { orgId: organizationId }, query: { state: 'overdue' } })).body
      .total
  const counted = async (by: Person) =>
    (await attention(by)).find(({ kind }) => kind === 'overdue_people')?.count ?? 0
  const total = await matrix(admin)
  expect(total).toBeGreaterThan(3)
  expect(await counted(admin)).toBe(total)
  expect(await counted(groupadmin)).toBe(0)
  await query(
    `insert into group_members (organization_id, group_id, user_id)
      select $1, (select group_id from group_members where user_id = $2 and groupadmin), id from users
      where organization_id = $1 and email like 'trainee-%' order by id limit 20`,
    [organizationId, groupadmin.id],
  )
  const led = await matrix(groupadmin)
  expect([led > 0, led < total, await counted(groupadmin)]).toEqual([true, true, led])
  // A later day that was set for the same video counts, and who is switched off is not late.
  await query(
    `update transmissions set due_at = now() + interval '1 day' where organization_id = $1
    and id = (select id from transmissions where organization_id = $1 and due_at < now() order by id limit 1)`,
    [organizationId],
  )
  await query(
    `update users set state = 'disabled' where organization_id = $1 and name like 'Trainee 0001%'`,
    [organizationId],
  )
  expect(await counted(admin)).toBe(await matrix(admin))
})

test('a matter that is hidden is so for one person, in one place, for a while, and until there is more of it', async () => {
  await transmission('held')
  const kind = 'paused_transmissions'
  const hidden = async (by: Person, asked: Record<string, string> = {}) =>
    (await attention(by, asked)).find((item) => item.kind === kind)?.hiddenUntil ?? null
  const params = { kind }
  expect((await admin.call(hideAlert, { params, body: { days: 31 } })).status).toBe(422)
  expect((await admin.call(hideAlert, { params, body: { days: 7 } })).status).toBe(200)
  const days = (Date.parse((await hidden(admin)) ?? '') - Date.now()) / 86_400_000
  expect(days).toBeCloseTo(7, 1)
  expect(await hidden(superadmin, { organizationId })).toBeNull()
  await superadmin.call(hideAlert, { params, body: { days: 1 } })
  expect(await hidden(superadmin)).not.toBeNull()
  expect(await hidden(superadmin, { organizationId })).toBeNull()

  await transmission('held')
  expect(await hidden(admin)).toBeNull()
  await admin.call(hideAlert, { params, body: { days: 7 } })
  expect(await hidden(admin)).not.toBeNull()
  await query(`update hidden_attention set until = now() - interval '1 second'`)
  expect(await hidden(admin)).toBeNull()
  await admin.call(hideAlert, { params, body: { days: 7 } })
  expect((await admin.call(showAlert, { params })).status).toBe(200)
  expect(await hidden(admin)).toBeNull()
  const written = await query(
    `select action from audit where actor_id = $1 and action like 'attention.%' order by id`,
    [admin.id],
  )
  expect(written.rows.map((entry: { action: string }) => entry.action)).toEqual([
    'attention.hidden',
    'attention.hidden',
    'attention.hidden',
    'attention.shown',
  ])
})

test('says how the installation is, and which part is late', async () => {
  const { body } = await superadmin.call(readInstallation)
  expect(body).toMatchObject({
    database: { state: 'ok' },
    queue: { state: 'ok', oldestSeconds: null },
    mail: { state: 'warning', hasServer: false },
    audit: { state: 'ok' },
    media: { state: 'ok', waiting: 0 },
    boundary: { state: (await boundary()).kind === 'none' ? 'warning' : 'ok' },
  })
  expect(body.disk.totalBytes).toBeGreaterThan(body.disk.freeBytes ?? Infinity)
  expect(body.database.bytes).toBeGreaterThan(1_000_000)
  await server.services.jobs.wake('video.process', {
    organizationId,
    videoId: crypto.randomUUID(),
    versionId: crypto.randomUUID(),
  })
  await query(
    `update pgboss.job set start_after = now() - interval '5 minutes', created_on = now() - interval '5 minutes'`,
  )
  await query(
    `insert into mails (address, subject, text, state, due_at) values ('a@example.test', 's', 't', 'queued', now() - interval '2 hours')`,
  )
  const late = (await superadmin.call(readInstallation)).body
  expect(late.media).toMatchObject({ state: 'warning', waiting: 1, running: 0 })
  expect(late.media.oldestSeconds).toBeGreaterThan(299)
  expect(late.mail).toMatchObject({ state: 'failing', waiting: 1 })
  expect(late.queue).toMatchObject({ state: 'ok', waiting: 0 })
})
