import { afterAll, beforeAll, expect, test } from 'vitest'
import { barAddress, liftBar, listBarredAddresses } from '#contract/barred-addresses.ts'
import { listDeliveries } from '#contract/deliveries.ts'
import { createTransmission, previewAudience, readTransmission } from '#contract/transmissions.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { openSink, type Sink } from '../testing/sink.ts'
import { startSending, type Sending } from './send.ts'

let server: TestServer
let sending: Sending
let sink: Sink
let org: string
let admin: Person
let params: { orgId: string }

beforeAll(async () => {
  sink = await openSink()
  server = await startTestServer({ SMTP_URL: sink.url })
  org = await server.organization()
  params = { orgId: org }
  admin = await server.person('admin', org)
  sending = await startSending(server.services)
})
afterAll(async () => {
  await sending.stop()
  await server.close()
  await sink.close()
})

const query = async <T>(statement: string, values: unknown[] = []) =>
  (await server.services.db.system.query(statement, values)).rows as T[]
const addresses = async (q = '') =>
  (await admin.call(listBarredAddresses, { params, query: { q } })).body.items.map(({ address }) => address)

test('is added with a reason, found, and lifted; all of it stands in the log', async () => {
  const made = await admin.call(barAddress, {
    params,
    body: { address: ' Ada@Example.test ', reason: 'Asked for no more mails' },
  })
  expect(made.body).toMatchObject({
    address: 'ada@example.test',
    by: expect.stringMatching(/^Person \d+$/),
    until: null,
  })
  const again = await admin.call(barAddress, {
    params,
    body: { address: 'ada@example.test', reason: 'Twice' },
  })
  expect(again.problem).toMatchObject({ code: 'already_exists', fields: { address: ['taken'] } })
  expect(await addresses('ADA@')).toEqual(['ada@example.test'])
  expect(await addresses('a%a')).toEqual([])
  expect((await admin.call(liftBar, { params, body: { address: 'ada@example.test' } })).body.lifted).toBe(
    true,
  )
  expect((await admin.call(liftBar, { params, body: { address: 'ada@example.test' } })).body.lifted).toBe(
    false,
  )
  expect(await addresses()).toEqual([])
  const log = await query(
    `select action, before, after from audit where action like 'address.%' and organization_id = $1 order by id`,
    [org],
  )
  expect(log).toMatchObject([
    { action: 'address.barred', after: { address: 'ada@example.test', reason: 'Asked for no more mails' } },
    { action: 'address.bar_lifted', before: { address: 'ada@example.test' } },
  ])
})

test('is listed newest first, page by page, and of the own organization alone', async () => {
  await query(
    `insert into suppressions (organization_id, address, reason, created_at)
      select $1, 'p' || n || '@example.test', 'x', now() - make_interval(mins => n) from generate_series(1, 5) n`,
    [org],
  )
  const first = await admin.call(listBarredAddresses, { params, query: { limit: 3 } })
  expect(first.body).toMatchObject({ total: 5, items: [{ address: 'p1@example.test' }, {}, {}] })
  const rest = await admin.send('GET', first.body.next ?? '')
  expect(rest.body).toMatchObject({ items: [{ address: 'p4@example.test' }, { address: 'p5@example.test' }] })
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(listBarredAddresses, { params })).status).toBe(404)
  const theirs = { params: { orgId: stranger.organizationId ?? '' } }
  expect(
    (await stranger.call(liftBar, { ...theirs, body: { address: 'p1@example.test' } })).body.lifted,
  ).toBe(false)
  expect((await stranger.call(listBarredAddresses, theirs)).body.total).toBe(0)
  await query('delete from suppressions')
})

test('one whose time is over bars nobody, and is set again by a mail server as by a person', async () => {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'gone' })
  const [person] = await query<{ email: string }>('select email from users where id = $1', [userId])
  const address = person?.email ?? ''
  const expire = () =>
    query(
      `insert into suppressions (organization_id, address, reason, expires_at)
        values ($1, $2, 'no_such_mailbox', now() - interval '1 day')
        on conflict (organization_id, address) do update set expires_at = excluded.expires_at`,
      [org, address],
    )
  await expire()
  expect(await addresses()).toEqual([])
  sink.options.reply = (step) => (step === 'rcpt' ? '550 5.1.1 no such user' : undefined)
  const body = { body: 'Hello', videoId: await addVideo(server, org), userId, accountId: org }
  const { body: made } = await admin.call(createTransmission, { body })
  const place = { params: { transmissionId: made.id } }
  await expect
    .poll(async () => (await admin.call(readTransmission, place)).body.state, { timeout: 20_000 })
    .toBe('completed')
  expect((await admin.call(listDeliveries, place)).body.items).toMatchObject([{ state: 'rejected' }])
  expect(await addresses()).toEqual([address])
  const audience = { accountId: org, audience: { userIds: [userId] } }
  expect((await admin.call(previewAudience, { body: audience })).body.skipped).toEqual({ suppressed: 1 })
  await expire()
  expect((await admin.call(barAddress, { params, body: { address, reason: 'By hand' } })).status).toBe(201)
  expect(await addresses()).toEqual([address])
})

test('names the superadmin who barred an address', async () => {
  const superadmin = await server.person('superadmin')
  await query(`update users set name = 'Sue Superadmin' where id = $1`, [superadmin.id])
  const address = 'by-superadmin@example.test'
  const made = await superadmin.call(barAddress, { params, body: { address, reason: 'Told us so' } })
  expect(made.body.by).toBe('Sue Superadmin')
  const shown = await admin.call(listBarredAddresses, { params, query: { q: address } })
  expect(shown.body.items).toMatchObject([{ address, by: 'Sue Superadmin' }])
})
