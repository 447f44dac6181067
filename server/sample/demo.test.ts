import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAssignments, remindPeople } from '#contract/assignments.ts'
import { listAudit } from '#contract/audit.ts'
import { listBarredAddresses } from '#contract/barred-addresses.ts'
import { listTemplates } from '#contract/templates.ts'
import { listCertificates } from '#contract/certificates.ts'
import { listDeliveries } from '#contract/deliveries.ts'
import { readEvidence } from '#contract/evidence.ts'
import { reportUserEngagement } from '#contract/reports.ts'
import { readTraining } from '#contract/training.ts'
import { listTransmissions, type Transmission } from '#contract/transmissions.ts'
import { seal } from '../platform/audit/seal.ts'
import { movableClock, resetClock, setClock } from '../testing/clock.ts'
import { deriveAll } from '../testing/derive.ts'
import { planNow, sentAll } from '../testing/planning.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { openSink, type Sink } from '../testing/sink.ts'
import { addVideo } from '../testing/viewing.ts'
import { startSending } from '../transmissions/send.ts'
import { rebuildAll } from '../evidence/rebuild/rebuild.ts'
import { askForApprovals, decide } from './decisions.ts'
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
    for (const { title } of videos) await addVideo(server, { organizationId, title, durationMs: 80_000 })
    orgId ??= organizationId
  }
  await fillDemo(services)
  await deriveAll(services.db)
  await seal(services.db)
  root = await server.person('superadmin')
  const { body } = await root.call(listTransmissions, { query: { organizationId: orgId, limit: 100 } })
  sent = body.items
}, 120_000)
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
  expect(body.counts).toMatchObject({ passed: 45, failed: 30 })
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
  const { items } = (await root.call(listAudit, { query: { organizationId: orgId, limit: 100 } })).body
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
  const filling = { services, organizationId: orgId, by: { id: root.id, name: 'Somebody' } }
  await decide(filling)
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
}, 90_000)

test('its days are assignments without reminders: 30 days later nobody was sent anything for them, unless somebody reminds them', async () => {
  const { services } = server
  await services.db.system.query(
    `update sessions set idle_expires_at = '2100-01-01', expires_at = '2100-01-01'`,
  )
  const { items } = (await root.call(listAssignments, { params: { orgId }, query: { limit: 100 } })).body
  // What waits for an approval asks nobody yet.
  const dated = await services.db.system.query<{ id: string }>(
    `select id from transmissions where organization_id = $1 and due_at is not null and state <> 'pending_approval'`,
    [orgId],
  )
  const asking = items.flatMap(({ transmission }) => transmission?.id ?? [])
  expect(items).toHaveLength(asking.length)
  expect(new Set(asking)).toEqual(new Set(dated.rows.map(({ id }) => id)))
  expect(Math.min(...items.map(({ people }) => people))).toBeGreaterThan(0)
  const sending = await startSending(services)
  try {
    const begun = Date.now()
    for (let ahead = 0; ahead <= 30; ahead += 10) {
      await setClock(server, begun + ahead * 864e5)
      // The machine ran all the time: otherwise it would hold what it finds waiting.
      await services.db.system.query('update sending_guard set spoke_at = now()')
      await planNow(server)
      await sentAll(server)
      expect([ahead, sink.received.map(({ to }) => to)]).toEqual([ahead, []])
    }
    const late = items.find(({ counts }) => counts.overdue > 0)
    const body = { assignmentId: late?.id ?? '' }
    const { reminded } = (await root.call(remindPeople, { params: { orgId }, body })).body
    await sentAll(server)
    expect(reminded).toBeGreaterThan(0)
    expect(sink.received.length).toBeGreaterThan(0)
  } finally {
    await sending.stop()
  }
})
