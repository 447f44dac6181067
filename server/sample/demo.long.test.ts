import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  listAssignments,
  listObligations,
  readAssignment,
  remindPeople,
  type Assignment,
} from '#contract/assignments/assignments.ts'
import { listAudit } from '#contract/platform/audit.ts'
import { listBarredAddresses } from '#contract/transmissions/barred-addresses.ts'
import { listTemplates } from '#contract/transmissions/templates.ts'
import { listCertificates } from '#contract/evidence/certificates.ts'
import { listEventAddresses } from '#contract/events/event-addresses.ts'
import { readDashboardLate } from '#contract/dashboard.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { listInbox } from '#contract/inbox.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { listOperations } from '#contract/operations.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { listQuizMetrics } from '#contract/reports/report-quizzes.ts'
import {
  listAccountActivity,
  listMessageReports,
  listUserActivity,
  listVideoEngagement,
  reportUserEngagement,
} from '#contract/reports/reports.ts'
import { pages, type PagePath, type Role } from '#contract/roles.ts'
import { listTraining, readTraining } from '#contract/matrix/training.ts'
import { listTransmissions, type Transmission } from '#contract/transmissions/transmissions.ts'
import { listUsers } from '#contract/directory/users.ts'
import { listVideos, readVideo } from '#contract/videos/videos.ts'
import { seal } from '../platform/audit/seal.ts'
import { movableClock, resetClock, setClock } from '../testing/clock.ts'
import { deriveAll } from '../testing/derive.ts'
import { planNow, sentAll } from '../testing/planning.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { openSink, type Sink } from '../testing/mail/sink.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { planAnew } from '../assignments/anew.ts'
import { escalateLate } from '../assignments/escalation.ts'
import { startSending } from '../transmissions/sender/send.ts'
import { rebuildAll } from '../evidence/rebuild/rebuild.ts'
import { calendarOf, instant } from './calendar.ts'
import { askForApprovals, decideApprovals } from './decisions.ts'
import { fillDemo } from './demo.ts'
import { startSample } from './fill.ts'
import { demoOrganizations } from './plan.ts'

let server: TestServer
let root: Person
let orgId: string
let sent: Transmission[]
let sink: Sink

/** The videos are there already, as a second start finds them: converting them takes a minute. */
beforeAll(async () => {
  sink = await openSink()
  server = await startTestServer({ SMTP_URL: sink.url }, movableClock)
  const { services } = server
  for (const { name, videos } of demoOrganizations) {
    const organizationId = await server.organization(name)
    await services.db.system.query(
      `update organizations set slug = replace(lower(name), ' ', '-') where id = $1`,
      [organizationId],
    )
    for (const { title, isAssigned } of videos)
      await addVideo(server, { organizationId, title, durationMs: isAssigned ? 60_000 : 80_000 })
    orgId ??= organizationId
  }
  await fillDemo(services)
  await deriveAll(services.db)
  await seal(services.db)
  root = await server.person('superadmin')
  const { body } = await root.call(listTransmissions, { query: { organizationId: orgId, limit: 100 } })
  sent = body.items
})
afterAll(async () => {
  resetClock()
  await server.close()
  await sink.close()
})

const withState = (state: Transmission['state']) => sent.filter((one) => one.state === state)

test('mails were refused, are uncertain, wait to be tried again, were given up, or were not sent to barred addresses', async () => {
  for (const state of [
    'accepted',
    'rejected',
    'unknown',
    'deferred',
    'queued',
    'expired',
    'skipped',
  ] as const)
    expect(sent.filter(({ counts }) => counts[state] > 0).length, state).toBeGreaterThan(0)
  expect(withState('paused')).toMatchObject([{ sender: { name: 'Ada Admin' } }])
  const barred = await root.call(listBarredAddresses, { params: { orgId } })
  expect(barred.body.items.map(({ reason }) => reason)).toContain('no_such_mailbox')
})

test('there are templates to begin a message with', async () => {
  const { items } = (await root.call(listTemplates, { params: { orgId } })).body
  expect(items.map(({ name }) => name)).toEqual(['Training for newcomers', 'Yearly briefing'])
})

test('one transmission waits for the approval of the administrator, one for that of the superadmin', () => {
  const authors = withState('pending_approval').map(
    ({ sender, approval }) => [sender.name, approval?.state] as const,
  )
  expect(Object.fromEntries(authors)).toEqual({ 'Ada Admin': 'waiting', 'Sam Superadmin': 'waiting' })
})

test('people are overdue, waived, have failed and have passed', async () => {
  const { body } = await root.call(readTraining, { params: { orgId } })
  for (const state of ['overdue', 'waived', 'failed', 'passed', 'completed', 'started'] as const)
    expect(body.counts[state], state).toBeGreaterThan(0)
  expect((body.counts.completed ?? 0) + (body.counts.passed ?? 0)).toBeGreaterThan(body.counts.overdue ?? 0)
})

test('answers and grades are the same in every run', async () => {
  const { body } = await root.call(readTraining, { params: { orgId } })
  expect(body.counts).toMatchObject({ passed: 76, failed: 31 })
})

test('evidence is proven, likely, contradicted or lost, and comes from many browsers', async () => {
  const people = []
  for (const state of ['proven', 'likely', 'contradicted', 'delivered'] as const) {
    const found = []
    for (const { id, video } of sent) {
      const query = { evidence: state, limit: 3 }
      const { body } = await root.call(listDeliveries, { params: { transmissionId: id }, query })
      found.push(...body.items.map(({ user }) => ({ userId: user.id, videoId: video?.id ?? '' })))
    }
    expect(found.length, state).toBeGreaterThan(0)
    people.push(...found.slice(0, 6))
  }
  const sessions = []
  for (const place of people) {
    const { body } = await root.call(readEvidence, { params: { orgId, ...place } })
    sessions.push(...body.sessions.items)
  }
  expect(new Set(sessions.map(({ device }) => device)).size).toBeGreaterThan(4)
  const { quality } = (await root.call(reportUserEngagement, { query: { organizationId: orgId } })).body
  expect(quality?.batchesExpected).toBeGreaterThan(quality?.batchesSeen ?? 0)
  expect(quality?.refused).toBeGreaterThan(0)
  expect(quality?.bots).toBeGreaterThan(0)
})

test('the audit log tells of several people over weeks, and leads to certificates', async () => {
  const query = { organizationId: orgId, limit: 100 }
  const newest = await Promise.all(
    [0, 100, 200, 300].map((offset) => root.call(listAudit, { query: { ...query, offset } })),
  )
  const items = newest.flatMap(({ body }) => body.items)
  const authors = new Set(items.flatMap(({ actor }) => actor?.name ?? []))
  expect([...authors]).toEqual(expect.arrayContaining(['Ada Admin', 'Gus Groupadmin', 'Sam Superadmin']))
  expect(new Set(items.map(({ action }) => action)).size).toBeGreaterThan(9)
  const oldest = Math.min(...items.map(({ at }) => Date.parse(at)))
  expect(Date.now() - oldest).toBeGreaterThan(14 * 86_400_000)
  const issued = items.find(({ action }) => action === 'certificate.issue')
  const params = { orgId, userId: issued?.entityId ?? '' }
  expect((await root.call(listCertificates, { params })).body.items).toHaveLength(1)
})

test('its videos take one to three minutes', () => {
  const lengths = sent.map(({ video }) => video?.durationMs ?? 0)
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(60_000)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(180_000)
})

test('every figure is as the raw log has it, and a second start adds nothing', async () => {
  const { services } = server
  const differences: unknown[] = []
  await rebuildAll(services.db, (one) => differences.push(...one.differences))
  expect(differences).toEqual([])
  await fillDemo(services)
  // As after a start that was cut short behind these.
  const by = { id: root.id, name: 'Somebody' }
  const filling = { services, organizationId: orgId, language: 'en' as const, by }
  await decideApprovals(filling)
  await askForApprovals({ ...filling, superadmin: filling.by })
  const query = { organizationId: orgId, limit: 100 }
  expect((await root.call(listTransmissions, { query })).body.items).toHaveLength(sent.length)
})

test('the job of the first set-up fills its organization in the name of the first superadmin', async () => {
  const { services } = server
  const organizationId = await server.organization('Sample')
  for (const { title } of demoOrganizations[1]?.videos ?? [])
    await addVideo(server, { organizationId, title, durationMs: 80_000 })
  await startSample(services)
  await services.db.as('system', (tx) => services.jobs.send(tx, 'sample.fill', { organizationId }))
  const done = `select 1 from pgboss.job where name = 'sample.fill' and state = 'completed'`
  await expect.poll(async () => (await services.db.system.query(done)).rowCount, { timeout: 60_000 }).toBe(1)
  const { body } = await root.call(listTransmissions, { query: { organizationId } })
  expect(body.total).toBeGreaterThan(3)
})

const assigned = async (organizationId: string) =>
  (
    await root.call(listAssignments, { params: { orgId: organizationId }, query: { limit: 100 } })
  ).body.items.filter(({ transmission }) => transmission === null)

async function assignmentNamed(name: string): Promise<Assignment> {
  const found = (await assigned(orgId)).find((one) => one.name === name)
  if (!found) throw new Error(`there is no assignment "${name}"`)
  return found
}

const states = ({ name, counts }: Assignment) => [
  name,
  Object.fromEntries(Object.entries(counts).filter(([, people]) => people > 0)),
]

test('there are assignments of every kind, each with people where they should be', async () => {
  expect(Object.fromEntries((await assigned(orgId)).map(states))).toEqual({
    'Working in the heat, next summer': { assigned: 120 },
    'First week: who helps you': { overdue: 2, done: 2 },
    'First week: working safely': { overdue: 1, done: 4 },
    'First week: finding your way': { overdue: 1, done: 5 },
    'Evacuation of hall 4': { overdue: 28, started: 1, waived: 1, done: 90 },
    'Working in the heat, this summer': { expired: 21, ended: 3 },
    'Forklift licence, every year': { assigned: 4, started: 1, failed: 1, overdue: 12, done: 30, ended: 1 },
  })
  expect((await assignmentNamed('Forklift licence, every year')).escalation?.to).toBe('groupadmins')
  expect((await assignmentNamed('Evacuation of hall 4')).escalation?.to).toBe('manager')
  const { id } = await assignmentNamed('Working in the heat, next summer')
  const { body } = await root.call(readAssignment, { params: { orgId, assignmentId: id } })
  expect(body.held).toMatchObject([{ people: 120, reason: 'audience_grown' }])
  const path = await assignmentNamed('First week: who helps you')
  const last = await root.call(readAssignment, { params: { orgId, assignmentId: path.id } })
  expect(last.body.path.map(({ name }) => name)).toEqual([
    'First week: finding your way',
    'First week: working safely',
    'First week: who helps you',
  ])
  expect(last.body.waiting).toBe(2)
})

test('newcomers owe the licence from their first day on', async () => {
  const { id: assignmentId } = await assignmentNamed('Forklift licence, every year')
  const query = { limit: 100 }
  const { items } = (await root.call(listObligations, { params: { orgId, assignmentId }, query })).body
  const first = items.filter(({ cycle }) => cycle === 1)
  const calendar = await server.services.db.as({ organizationId: orgId }, (tx) => calendarOf(tx, orgId))
  const since = first.map((one) => Date.parse(one.since)).toSorted((a, b) => a - b)
  expect(since).toEqual([instant(calendar, 24), instant(calendar, 3)])
  expect(first.map(({ state }) => state)).toContain('assigned')
})

test('whoever is late has a reason, and some have only the changed seconds to see', async () => {
  const { items } = (await root.call(readDashboardLate, { query: { organizationId: orgId } })).body
  const { id: assignmentId, video } = await assignmentNamed('Evacuation of hall 4')
  const late = items.find(({ id }) => id === video.id)
  expect(late?.late).toBe(28)
  const { replaced } = (await root.call(readVideo, { params: { videoId: video.id } })).body
  expect(late?.replacedAt).toBe(replaced?.at)
  expect(replaced?.parts).toEqual([[24_000, 36_000]])
  expect(items.flatMap(({ people }) => people.map(({ lacks }) => lacks))).not.toContain(null)
  const seen = late?.people.map(({ coverage }) =>
    (coverage ?? []).reduce((sum, [from, to]) => sum + to - from, 0),
  )
  expect(seen).toContain(60_000 - 12_000)
  const query = { limit: 100, state: 'overdue' } as const
  const people = (await root.call(listObligations, { params: { orgId, assignmentId }, query })).body.items
  const changed = people.filter(({ cycle, missingMs }) => cycle === 2 && missingMs === 12_000)
  expect(changed).toHaveLength(10)
  const whose = { orgId, assignmentId, userId: changed[0]?.user.id ?? '' }
  const { messages, cycles } = (await root.call(readObligationHistory, { params: whose })).body
  expect(messages.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['first', 'again', 'reminder']))
  expect(cycles.map(({ state }) => state)).toEqual(['overdue', 'done'])
})

test('some failed the questions, and passed them when they came back', async () => {
  const { id } = (await assignmentNamed('Forklift licence, every year')).video
  const repeated = await server.services.db.system.query(
    `select user_id from quiz_attempts where video_id = $1 group by 1 having bool_or(not passed) and bool_or(passed)`,
    [id],
  )
  expect(repeated.rowCount).toBe(12)
})

test('people have managers, phones and languages; cards were handed over, and mails came back', async () => {
  const { db } = server.services
  const { rows } = await db.system.query<{ managed: number; phones: number; german: number }>(
    `select count(*) filter (where exists (select from users m where m.organization_id = u.organization_id and m.external_id = u.manager))::int as managed,
        count(phone)::int as phones, count(*) filter (where language = 'de')::int as german
      from users u where organization_id = $1 and role is null and deleted_at is null`,
    [orgId],
  )
  expect(rows).toEqual([{ managed: 112, phones: 101, german: 20 }])
  const cards = await db.system.query('select 1 from cards where organization_id = $1', [orgId])
  expect(cards.rowCount).toBe(3)
  const asked = sent.map(({ id }) => ({ params: { transmissionId: id }, query: { limit: 100 } }))
  const listed = await Promise.all(asked.map((one) => root.call(listDeliveries, one)))
  const deliveries = listed.flatMap(({ body }) => body.items)
  const reasons = deliveries.filter(({ state }) => state === 'bounced').map(({ reason }) => reason)
  expect(reasons).toHaveLength(3)
  expect(reasons).toContain('552 5.2.2 The mailbox is full')
})

test('managers and group administrators are told who is late, and the author of whoever has neither', async () => {
  await escalateLate(server.services)
  const { rows } = await server.services.db.system.query(
    `select u.role, count(*)::int as readers from escalation_digests e join users u on u.id = e.reader_id
      where e.organization_id = $1 group by 1 order by 1 nulls first`,
    [orgId],
  )
  expect(rows).toEqual([
    { role: null, readers: 6 },
    { role: 'admin', readers: 1 },
    { role: 'groupadmin', readers: 1 },
  ])
})

test('one organization is German, from its people to what it writes', async () => {
  const { rows } = await server.services.db.system.query<{ id: string; language: string }>(
    `select id, language from organizations where name = 'Backhaus Sonntag'`,
  )
  const id = rows[0]?.id ?? ''
  expect(rows[0]?.language).toBe('de')
  const [duty] = await assigned(id)
  expect(duty && states(duty)).toEqual(['Allergene, alle zwölf Monate', { overdue: 8, done: 20 }])
  expect(duty?.message).toContain('Bitte sieh dir **{{video}}**')
  const { items } = (await root.call(listUsers, { params: { orgId: id } })).body
  expect(items.map(({ name }) => name).join()).toMatch(/[äöüß]/)
})

type Place = { orgId: string; query: { organizationId?: string } }
type Page = (by: Person, place: Place) => Promise<{ body: { total: number } }>

/** What the pages of the menus and of the account list, by their addresses. */
const listed: Partial<Record<PagePath, Page>> = {
  '/organizations': (by) => by.call(listOrganizations),
  '/organizations/$orgId/dashboard': (by, { orgId: of }) => by.call(listUsers, { params: { orgId: of } }),
  '/organizations/$orgId/systems': (by, { orgId: of }) =>
    by.call(listEventAddresses, { params: { orgId: of } }),
  '/content': (by, { query }) => by.call(listVideos, { query }),
  '/transmissions': (by, { query }) => by.call(listTransmissions, { query }),
  '/transmissions/barred-addresses': (by, { orgId: of }) =>
    by.call(listBarredAddresses, { params: { orgId: of } }),
  '/assignments': (by, { orgId: of }) => by.call(listAssignments, { params: { orgId: of } }),
  '/reports/account-user-activity': (by, { query }) => by.call(listUserActivity, { query }),
  '/reports/user-engagement': (by, { query }) => by.call(listVideoEngagement, { query }),
  '/reports/account-activity': (by, { query }) => by.call(listAccountActivity, { query }),
  '/reports/message-analytics': (by, { query }) => by.call(listMessageReports, { query }),
  '/reports/quiz-metrics': (by, { query }) => by.call(listQuizMetrics, { query }),
  '/reports/training-matrix': (by, { orgId: of }) => by.call(listTraining, { params: { orgId: of } }),
  // A superadmin belongs to no organization, and is sent nothing.
  '/messages': (by, { query }) =>
    query.organizationId ? by.call(listOperations, { query }) : by.call(listInbox),
  '/recently-removed': (by, { query }) => by.call(listOperations, { query }),
}

/** With the session of somebody new: the accounts of the demo sign in with a passphrase. */
async function signedIn(email: string, role: Role): Promise<Person> {
  const person = await server.person(role, role === 'superadmin' ? null : orgId)
  await server.services.db.system.query(
    `update sessions set user_id = (select id from users where email = $2) where user_id = $1`,
    [person.id, email],
  )
  await server.services.db.system.query('delete from users where id = $1', [person.id])
  return person
}

test.for([
  ['superadmin@demo.test', 'superadmin'],
  ['admin@demo.test', 'admin'],
  ['groupadmin@demo.test', 'groupadmin'],
] as const)('no item of the menu opens an empty page: %s', async ([email, role]) => {
  const person = await signedIn(email, role)
  const query = role === 'superadmin' ? { organizationId: orgId } : {}
  const open = new Set<string>(pages.filter(({ roles }) => roles.includes(role)).map(({ path }) => path))
  const asked = Object.entries(listed).filter(([path]) => open.has(path))
  const totals = await Promise.all(
    asked.map(async ([path, list]) => [path, (await list(person, { orgId, query })).body.total] as const),
  )
  expect(totals.filter(([, total]) => !(total > 0))).toEqual([])
  expect(totals.length).toBeGreaterThan(7)
  const late = (await person.call(readDashboardLate, { query })).body
  expect(late.people).toBeGreaterThan(0)
})

const plan = async () =>
  (
    await server.services.db.system.query(
      `select id, state, due_at, messages, next_message_on::text from obligations where assignment_id in (select id from assignments where message_id is null)
        order by id`,
    )
  ).rows

test('the product plans the assignments exactly as they stand', async () => {
  const before = await plan()
  await planNow(server)
  expect(await plan()).toEqual(before)
  for (const { id, organizationId } of await assigned(orgId))
    await server.services.db.as({ organizationId }, (tx) =>
      planAnew(tx, { orgId: organizationId, assignmentId: id }, {}),
    )
  expect(await plan()).toEqual(before)
})

/** To how many people each assignment has written since then, in all organizations. */
async function written(since: number): Promise<Record<string, number>> {
  const { rows } = await server.services.db.system.query<{ name: string; n: number }>(
    `select coalesce(a.name, t.subject) as name, count(*)::int as n from deliveries d join transmissions t on t.id = d.transmission_id
        left join assignments a on a.id = t.assignment_id where d.accepted_at > $1 group by 1 order by 1`,
    [new Date(since)],
  )
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

test('30 days later its messages have reminded nobody, and its assignments whom they are to, unless somebody reminds them', async () => {
  const { services } = server
  await services.db.system.query(
    `update sessions set idle_expires_at = '2100-01-01', expires_at = '2100-01-01'`,
  )
  const { items } = (await root.call(listAssignments, { params: { orgId }, query: { limit: 100 } })).body
  // What waits for an approval asks nobody yet.
  const dated = await services.db.system.query<{ id: string }>(
    `select id from transmissions where organization_id = $1 and due_at is not null and assignment_id is null and state <> 'pending_approval'`,
    [orgId],
  )
  const asking = items.flatMap(({ transmission }) => transmission?.id ?? [])
  expect(new Set(asking)).toEqual(new Set(dated.rows.map(({ id }) => id)))
  expect(Math.min(...items.map(({ people }) => people))).toBeGreaterThan(0)
  const sending = await startSending(services)
  try {
    const begun = Date.now()
    const sentUntil: Record<string, unknown> = {}
    for (let ahead = 0; ahead <= 30; ahead += 10) {
      await setClock(server, begun + ahead * 864e5)
      // The machine ran all the time: otherwise it would hold what it finds waiting.
      await services.db.system.query('update sending_guard set spoke_at = now()')
      await planNow(server)
      await sentAll(server)
      const reported = await written(begun)
      sentUntil[ahead] = reported
      expect(Object.values(reported).reduce((sum, people) => sum + people, 0)).toBe(sink.received.length)
    }
    const after10 = {
      'Allergene, alle zwölf Monate': 7,
      'Duty roster: read and understood': 13,
      'Evacuation of hall 4': 28,
      'Forklift licence, every year': 18,
    }
    expect(sentUntil).toEqual({
      0: {},
      10: after10,
      20: { ...after10, 'Evacuation of hall 4': 29, 'Forklift licence, every year': 26 },
      30: { ...after10, 'Evacuation of hall 4': 30, 'Forklift licence, every year': 32 },
    })
    const late = items.find(({ counts, transmission }) => counts.overdue > 0 && transmission !== null)
    const body = { assignmentId: late?.id ?? '' }
    const before = sink.received.length
    const { reminded } = (await root.call(remindPeople, { params: { orgId }, body })).body
    await sentAll(server)
    expect(reminded).toBeGreaterThan(0)
    expect(sink.received.length).toBeGreaterThan(before)
  } finally {
    await sending.stop()
  }
})
