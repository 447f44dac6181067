import { afterAll, beforeEach, expect, test } from 'vitest'
import {
  changeBarredAddresses,
  exportBarredAddresses,
  listBarredAddresses,
  previewBarredAddresses,
} from '#contract/transmissions/barred-addresses.ts'
import { listOperationRows, readOperation, undoOperation } from '#contract/operations.ts'
import { startOperations } from '../../operations/run.ts'
import { until } from '../../testing/until.ts'
import { aServer } from '../../testing/worlds.ts'
import { liftingKinds } from './lifting.ts'

const server = await aServer()
const org = await server.organization()
const params = { orgId: org }
const admin = await server.person('admin', org)
const working = await startOperations(server.services, liftingKinds)
afterAll(() => working.stop())
beforeEach(async () => {
  await run('delete from suppressions')
  await run('delete from unsubscriptions')
  await run(
    `insert into suppressions (organization_id, address, reason, created_at, expires_at)
      select $1, 'gone-' || n || '@example.test', 'no_such_mailbox', '2026-11-28T10:00:00Z', now() + interval '20 days' from generate_series(1, 1200) n`,
    [org],
  )
  await run(
    `insert into suppressions (organization_id, address, reason, created_at) values ($1, 'earlier@example.test', 'no_such_mailbox', '2026-11-27T23:30:00Z'),
      ($1, 'unwanted@example.test', 'complained', '2026-11-28T10:00:00Z'), ($1, 'words@example.test', 'Left us', '2026-11-28T10:00:00Z')`,
    [org],
  )
  await run(
    `insert into unsubscriptions (organization_id, address, created_at) values ($1, 'gone-1@example.test', '2026-11-28T10:00:00Z')`,
    [org],
  )
})

const { query: run } = server
const count = async (filter: Record<string, string> = {}) =>
  (await admin.call(listBarredAddresses, { params, query: filter })).body.total
const lift = (selection: object, who = admin, at = params) =>
  who.send('POST', `/api/organizations/${at.orgId}/barred-addresses/bulk`, {
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { selection, do: { action: 'lift' } },
  })
const ended = (operationId: string, state: string) =>
  until(async () => {
    const { body } = await admin.call(readOperation, { params: { operationId } })
    return body.state === state && body
  }, 30)

test('is narrowed by the reason and by the day where the organization is, in the list and in files', async () => {
  expect(await count()).toBe(1204)
  expect(await count({ reason: 'no_such_mailbox' })).toBe(1201)
  expect(await count({ reason: 'no_such_mailbox', day: '2026-11-28' })).toBe(1200)
  expect(await count({ reason: 'unsubscribed' })).toBe(1)
  expect(await count({ reason: 'other' })).toBe(1)
  expect(await count({ day: '2026-11-27' })).toBe(1)
  await run(`update organizations set time_zone = 'Europe/Berlin' where id = $1`, [org])
  expect(await count({ day: '2026-11-27' })).toBe(0)
  await run(`update organizations set time_zone = 'UTC' where id = $1`, [org])
  const file = await admin.send(
    'GET',
    `/api/organizations/${org}/barred-addresses/export?reason=other&format=csv`,
  )
  expect(String(file.body).trim().split('\r\n')).toHaveLength(2)
  expect(exportBarredAddresses.name).toBe('exportBarredAddresses')
})

test('many are lifted at once, by reason and day, each with its entry of the log, and set again', async () => {
  const filter = { reason: 'no_such_mailbox', day: '2026-11-28' } as const
  const body = { selection: { filter, exceptIds: [], expected: 0 }, do: { action: 'lift' as const } }
  expect((await admin.call(previewBarredAddresses, { params, body })).body).toEqual({
    total: 1200,
    changing: 1200,
    names: [1000, 1001, 1002, 1003, 1004].map((n) => `gone-${n}@example.test`),
    staying: [],
  })
  expect((await lift({ filter, exceptIds: [], expected: 1_199 })).status).toBe(409)
  const begun = await lift({ filter, exceptIds: [], expected: 1_200 })
  expect(begun.status).toBe(202)
  const operationId = (begun.body as { id: string }).id
  expect((await ended(operationId, 'done')).counts).toEqual({ removed: 1200 })
  // The will of the person at one of these addresses stays.
  expect([await count(), await count({ q: 'gone-1@example.test' })]).toEqual([4, 1])
  const [log] = await run(
    `select count(*)::int as n from audit where action = 'address.bar_lifted' and organization_id = $1 and before->>'reason' = 'no_such_mailbox'`,
    [org],
  )
  expect(log).toEqual({ n: 1200 })
  // One was barred anew meanwhile, and that stays.
  await run(
    `insert into suppressions (organization_id, address, reason) values ($1, 'gone-2@example.test', 'Anew')`,
    [org],
  )
  expect((await admin.call(undoOperation, { params: { operationId } })).status).toBe(200)
  expect((await ended(operationId, 'undone')).undoCounts).toEqual({ undone: 1199, changed_since: 1 })
  expect([await count(filter), await count({ q: 'gone-2@example.test', reason: 'other' })]).toEqual([1199, 1])
})

test('both kinds are lifted one by one as well, and what is gone by then is told', async () => {
  const all = (await admin.call(listBarredAddresses, { params, query: { q: 'gone-1@' } })).body.items
  expect(all.map(({ kind }) => kind).toSorted()).toEqual(['address', 'person'])
  const person = all.find(({ kind }) => kind === 'person')
  const begun = await lift({ ids: [person?.id] })
  const operationId = (begun.body as { id: string }).id
  await ended(operationId, 'done')
  expect(await count({ q: 'gone-1@' })).toBe(1)
  const { items } = (await admin.call(listOperationRows, { params: { operationId } })).body
  expect(items).toMatchObject([
    { entity: 'barred_address', label: 'gone-1@example.test', outcome: 'removed' },
  ])
  await admin.call(undoOperation, { params: { operationId } })
  await ended(operationId, 'undone')
  expect(await count({ q: 'gone-1@' })).toBe(2)
})

test('two at once lift each bar once, and nobody lifts those of another organization', async () => {
  const filter = { reason: 'no_such_mailbox' } as const
  const wanted = { filter, exceptIds: [], expected: 1_201 }
  const both = await Promise.all([lift(wanted), lift(wanted)])
  const ids = both.flatMap(({ status, body }) => (status === 202 ? [(body as { id: string }).id] : []))
  const done = await Promise.all(ids.map((id) => ended(id, 'done')))
  expect(done.reduce((sum, { counts }) => sum + (counts.removed ?? 0), 0)).toBe(1201)
  expect(await count()).toBe(3)
  const stranger = await server.person('admin', await server.organization())
  const [one] = (await admin.call(listBarredAddresses, { params })).body.items
  const theirs = { orgId: stranger.organizationId ?? '' }
  expect((await lift({ ids: [one?.id] }, stranger)).status).toBe(404)
  expect((await lift({ ids: [one?.id] }, stranger, theirs)).status).toBe(404)
  expect((await lift({ ids: [one?.id] }, await server.person('groupadmin', org))).status).toBe(403)
  expect(await count()).toBe(3)
  expect(changeBarredAddresses.status).toBe(202)
})
