import pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readDashboardFigures } from '#contract/dashboard.ts'
import * as quizReports from '#contract/reports/report-quizzes.ts'
import * as contract from '#contract/reports/reports.ts'
import { drain } from '../platform/derived/keys.ts'
import { addPeople } from '../testing/audience.ts'
import { addPastViewing, daysAgo } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { unique } from '../testing/unique.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'
import { reportsOfEverybody } from './derived.ts'

/** A report never fails because it is large: what takes too long for a page is left to the worker. */
const server = await aServer()

let admin: Person
let organizationId: string
let people: string[]
beforeEach(async () => {
  ;({ orgId: organizationId, admin } = await anOrganization(server))
  people = await addPeople(server, organizationId, { count: 3, prefix: unique() })
  const video = await addVideo(server, { organizationId, title: 'Fire drill', durationMs: 60_000 })
  for (const userId of people) {
    const facts = { organizationId, ...video, userId, at: daysAgo(2) }
    await addPastViewing(server, { ...facts, coveredMs: 60_000, watchMs: 60_000, completed: true })
  }
})

const work = () => drain(server.services.db, reportsOfEverybody)
const leftToWorker = { status: 409, problem: { code: 'being_worked_out', retryAfter: 10 } }

/** As if it took very long to read them, until the answer is called. */
async function slowDown(...tables: string[]): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: server.ownerUrl })
  await client.connect()
  // The next test must not wait where this one has failed.
  onTestFinished(() => client.end())
  await client.query(`begin; lock table ${tables.join(', ')} in access exclusive mode`)
  return () => client.end()
}

/** Connections that wait for a table. */
async function waiting(): Promise<number[]> {
  const found = await server.query<{ pid: number }>(
    `select pid from pg_locks where not granted and locktype = 'relation'`,
  )
  return found.map(({ pid }) => pid)
}

async function untilWaiting(): Promise<number> {
  for (;;) {
    const [pid] = await waiting()
    if (pid !== undefined) return pid
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const engagement = (more: Record<string, string> = {}, by = admin) =>
  by.call(contract.reportUserEngagement, { query: { period: '12m', ...more } })
const videos = (by = admin) => by.call(contract.listVideoEngagement, { query: { period: '12m' } })

test('what takes too long is worked out by the worker and is then there, whoever asked, also at once', async () => {
  const colleague = await server.person('admin', organizationId)
  const speedUp = await slowDown('viewer_days')
  const asked = await Promise.all([engagement(), engagement({}, colleague), videos()])
  for (const answer of asked) expect(answer).toMatchObject(leftToWorker)
  // What the worker has been asked for is not begun once more: nobody waits for the table.
  const again = Promise.all([engagement(), videos(colleague)])
  expect(await Promise.race([again, untilWaiting()])).toHaveLength(2)
  for (const answer of await again) expect(answer).toMatchObject(leftToWorker)
  await speedUp()
  await work()
  const answer = await engagement()
  expect(answer).toMatchObject({
    status: 200,
    body: { asOf: null, viewers: { value: 3, before: 0 }, completed: { value: 3, before: 0 } },
  })
  expect((await videos()).body).toMatchObject({ total: 1, items: [{ title: 'Fire drill', viewers: 3 }] })
  const stored = await server.services.db.system.query(
    'select from report_figures where organization_id = $1',
    [organizationId],
  )
  expect(stored.rowCount).toBe(2)
})

test('a worker that is killed meanwhile leaves nothing out', async () => {
  const speedUp = await slowDown('viewer_days')
  expect(await engagement()).toMatchObject(leftToWorker)
  const working = work()
  const failed = expect(working).rejects.toThrow('Failed query')
  await server.query('select pg_terminate_backend($1)', [await untilWaiting()])
  expect(await engagement()).toMatchObject(leftToWorker)
  await speedUp()
  await failed
  await work()
  expect(await engagement()).toMatchObject({ status: 200, body: { asOf: null, viewers: { value: 3 } } })
})

test('two processes work at several readings side by side', async () => {
  const speedUp = await slowDown('viewer_days')
  expect(await engagement()).toMatchObject(leftToWorker)
  const [first] = [work(), await untilWaiting()]
  const second = work()
  await expect.poll(async () => (await waiting()).length).toBe(2)
  await speedUp()
  await Promise.all([first, second])
  expect(await engagement()).toMatchObject({ status: 200, body: { asOf: null, viewers: { value: 3 } } })
})

test('every report and the dashboard wait so, each for what it reads', async () => {
  const speedUp = await slowDown('viewer_days', 'quiz_attempts', 'audit')
  const ask = () =>
    Promise.all([
      admin.call(readDashboardFigures),
      admin.call(contract.reportUserActivity),
      admin.call(contract.reportAccountActivity),
      admin.call(quizReports.reportQuizMetrics),
      admin.call(quizReports.listQuizMetrics),
    ])
  const waits = await ask()
  expect(waits.map(({ problem }) => problem?.code)).toEqual(waits.map(() => 'being_worked_out'))
  await speedUp()
  await work()
  expect((await ask()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})

test('a narrowed report waits alike, is about its videos alone, and sees within a minute what has been added to them', async () => {
  const { system } = server.services.db
  const made = await system.query<{ id: string }>(
    `insert into projects (organization_id, name) values ($1, 'Drills') returning id`,
    [organizationId],
  )
  const projectId = made.rows[0]?.id ?? ''
  const addToProject = () =>
    system.query('update videos set project_id = $1 where organization_id = $2', [projectId, organizationId])
  const speedUp = await slowDown('viewer_days')
  expect(await engagement({ projectId })).toMatchObject(leftToWorker)
  expect(await engagement()).toMatchObject(leftToWorker)
  await speedUp()
  await work()
  expect((await engagement()).body).toMatchObject({ viewers: { value: 3 } })
  expect((await engagement({ projectId })).body).toMatchObject({ asOf: null, viewers: { value: 0 } })
  await addToProject()
  await system.query(
    `update report_figures set as_of = as_of - interval '61 s', asked_at = asked_at - interval '61 s'`,
  )
  expect((await engagement({ projectId })).body.asOf).toMatch(/^2/)
  await work()
  expect((await engagement({ projectId })).body).toMatchObject({ asOf: null, viewers: { value: 3 } })
})

test('a file waits until it has been read', async () => {
  const speedUp = await slowDown('viewer_days')
  const file = admin.send('GET', '/api/reports/user-engagement/export?format=csv&period=12m')
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await speedUp()
  const { status, body } = await file
  expect(status).toBe(200)
  expect(body).toContain('Fire drill')
})
