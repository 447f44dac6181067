import { expect, test } from 'vitest'
import { drain } from '../platform/derived/keys.ts'
import { addAudience } from '../testing/viewing/evidence.ts'
import { aggregateOnce } from '../testing/viewing/aggregate.ts'
import { aServer } from '../testing/worlds.ts'
import { reportsOfEverybody } from './derived.ts'
import { accountEntryCounts } from './account-activity.ts'
import { engagement } from './engagement.ts'
import { scopeOf } from './scope.ts'
import { readOrCached } from './cached.ts'
import { quizzes } from './quiz-metrics.ts'
import { activity } from './user-activity.ts'

/** Figures that take long to read are kept, and told as of an instant once something has changed. */
const server = await aServer()
const orgId = await server.organization()

/** What has changed, and then the readings in which it has. */
async function emptyQueue() {
  await drain(server.services.db, reportsOfEverybody)
  await drain(server.services.db, reportsOfEverybody)
}

/** As if it took long, whatever it takes here; and as it is read from its sources. */
async function readBoth(organizationId: string | undefined, period: '30d' | '12m' = '30d') {
  const caller = { organizationId: null, role: 'superadmin' as const, groupIds: [] }
  return server.services.db.as('system', async (tx) => {
    const scope = await scopeOf(tx, caller, { organizationId, period })
    const both = []
    for (const reading of [engagement, activity, quizzes, accountEntryCounts])
      both.push({
        ...(await readOrCached<unknown>(tx, scope, { ...reading, keepsAfter: -1 })),
        truth: await reading.read(tx, scope),
      })
    return both
  })
}

/** Whatever the order of rows and of their columns. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(plain(one))).toSorted()
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]) => [name, plain(one)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function expectCurrent(organizationId: string | undefined) {
  for (const { found, truth, asOf } of await readBoth(organizationId)) {
    expect(asOf).toBeNull()
    expect(plain(found)).toEqual(plain(truth))
  }
}

test('are those of the sources as soon as nothing waits, and say as of when until then', async () => {
  for (const whose of [orgId, undefined]) await expectCurrent(whose)
  await emptyQueue()
  expect(
    await server.services.db.system.query('select 1 from report_figures where figures is null'),
  ).toMatchObject({
    rows: [],
  })
  for (const whose of [orgId, undefined]) await expectCurrent(whose)
  await addAudience(server, orgId, { seed: 41, hoursAgo: [30, 50] })
  while ((await aggregateOnce(server.services.db)) > 0);
  for (const whose of [orgId, undefined]) {
    const [read] = await readBoth(whose)
    expect(read?.asOf).toMatch(/^\d{4}-/)
    expect(plain(read?.found)).not.toEqual(plain(read?.truth))
  }
  await Promise.all([emptyQueue(), emptyQueue()])
  await emptyQueue()
  for (const whose of [orgId, undefined]) await expectCurrent(whose)
})

test('that nobody has asked for within the hour are read again when somebody does', async () => {
  const { system } = server.services.db
  await system.query(`update report_figures set asked_at = now() - interval '2 hours'`)
  await addAudience(server, orgId, { seed: 42, hoursAgo: [40] })
  while ((await aggregateOnce(server.services.db)) > 0);
  await emptyQueue()
  expect((await readBoth(orgId))[0]?.asOf).toMatch(/^\d{4}-/)
  await emptyQueue()
  await expectCurrent(orgId)
})

test('of twelve months go on from day to day: what was kept yesterday is told as of then, and read again', async () => {
  const { system } = server.services.db
  await readBoth(orgId, '12m')
  await emptyQueue()
  for (const { found, truth, asOf } of await readBoth(orgId, '12m')) {
    expect(asOf).toBeNull()
    expect(plain(found)).toEqual(plain(truth))
  }
  const today = new Date().toISOString().slice(0, 10)
  const { rows: stored } = await system.query<{ asked: string }>(
    `update report_figures set as_of = as_of - interval '1 day', asked_at = asked_at - interval '1 day',
        figures = case when asked like '["engagementByDay"%' then jsonb_set(figures, '{viewers}', '999999') else figures end
      where organization_id = $1 and asked not like '%"unit"%' returning asked`,
    [orgId],
  )
  expect(stored).toHaveLength(4)
  for (const { asked } of stored) expect(asked).not.toContain(today)
  const [behind] = await readBoth(orgId, '12m')
  expect(Date.parse(behind?.asOf ?? '')).toBeLessThan(Date.now() - 80_000_000)
  expect(behind?.found).toMatchObject({ viewers: 999_999 })
  await emptyQueue()
  for (const { found, truth, asOf } of await readBoth(orgId, '12m')) {
    expect(asOf).toBeNull()
    expect(plain(found)).toEqual(plain(truth))
  }
})

test('that an earlier version kept in another form are not told, and go as soon as something changes', async () => {
  const { system } = server.services.db
  const { rowCount } = await system.query(
    `update report_figures set asked = replace(asked, '"engagementByDay"', '"engagement"'), figures = '{}', asked_at = now()
      where organization_id = $1 and asked like '["engagementByDay"%'`,
    [orgId],
  )
  expect(rowCount).toBeGreaterThan(0)
  await expectCurrent(orgId)
  await addAudience(server, orgId, { seed: 43, hoursAgo: [20] })
  while ((await aggregateOnce(server.services.db)) > 0);
  await emptyQueue()
  const left = await system.query(`select from report_figures where asked like '["engagement"%'`)
  expect(left.rowCount).toBe(0)
  await expectCurrent(orgId)
})
