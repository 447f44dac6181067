import { expect, test } from 'vitest'
import {
  barAddress,
  exportBarredAddresses,
  importBarredAddresses,
  liftBar,
  listBarredAddresses,
} from '#contract/transmissions/barred-addresses.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import {
  createTransmission,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import type { Person } from '../../testing/server.ts'
import { aSendingServer, aSink } from '../../testing/worlds.ts'

const sink = await aSink()
const sending = await aSendingServer({ SMTP_URL: sink.url })
const { server, org, admin } = sending
const params = { orgId: org }

const { query } = server
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
  const nextPage = await admin.send('GET', first.body.next ?? '')
  expect(nextPage.body).toMatchObject({
    items: [{ address: 'p4@example.test' }, { address: 'p5@example.test' }],
  })
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
  await query('delete from suppressions')
})

test('is barred through a day of the organization, which lies ahead', async () => {
  await query(`update organizations set time_zone = 'Pacific/Kiritimati' where id = $1`, [org])
  const dayAt = (days: number) =>
    new Date(Date.now() + 14 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10)
  const today = dayAt(0)
  const ends = `${today}T09:59:59.999Z`
  const address = 'away@example.test'
  const until = (day: string) =>
    admin.call(barAddress, { params, body: { address, reason: 'Away', until: day } })
  expect((await until(dayAt(-1))).problem).toMatchObject({
    code: 'validation_failed',
    fields: { until: ['not_ahead'] },
  })
  for (const day of ['0000-01-01', '2030-02-30', '9999-12-31', 'soon', `${today}T10:00:00Z`])
    expect((await until(day)).problem?.fields, day).toMatchObject({ until: ['invalid_date'] })
  expect((await until(today)).body.until).toBe(ends)
  expect((await until(today)).problem?.code).toBe('already_exists')
  const [entry] = await query(`select after from audit where action = 'address.barred' order by id desc`)
  expect(entry).toMatchObject({ after: { address, until: ends } })
  await query(`update suppressions set expires_at = now() - interval '1 second' where address = $1`, [
    address,
  ])
  const anew = await admin.call(barAddress, { params, body: { address, reason: 'For good', until: null } })
  expect(anew.body).toMatchObject({ reason: 'For good', until: null })
  await query('delete from suppressions')
  await query(`update organizations set time_zone = 'UTC' where id = $1`, [org])
})

test('the list is taken along as CSV, as a workbook and as pages, and that is written down', async () => {
  await query(`update users set name = 'Ada Admin' where id = $1`, [admin.id])
  const add = (address: string, reason: string) =>
    admin.call(barAddress, { params, body: { address, reason, until: '2199-12-31' } })
  await add('+calc@example.test', '=HYPERLINK("https://evil.example")')
  await add('other@elsewhere.test', 'Something else')
  await query(
    `insert into suppressions (organization_id, address, reason, created_at)
      values ($1, 'old@example.test', 'complained', '2026-01-02T03:04:05Z')`,
    [org],
  )
  const take = (who: Person, more: { q?: string; format?: 'csv' | 'xlsx' | 'pdf' } = {}) =>
    who.send(
      'GET',
      `/api/organizations/${org}/barred-addresses/export?${new URLSearchParams(more).toString()}`,
    )
  const csv = await take(admin, { q: 'EXAMPLE.test' })
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(csv.headers['content-disposition']).toMatch(/-barred-addresses-[\d-]+\.csv/)
  const lines = String(csv.body).trim().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toContain('Address,Why,By,Since,Until')
  expect(lines[1]).toContain(`'+calc@example.test,"'=HYPERLINK(""https://evil.example"")",Ada Admin,`)
  expect(lines[1]).toContain(',2199-12-31T23:59:59.999Z')
  expect(lines[2]).toBe(
    'old@example.test,Its reader called a mail unwanted.,Sendreel,2026-01-02T03:04:05.000Z,',
  )
  expect(String((await take(admin, { format: 'xlsx' })).body).slice(0, 2)).toBe('PK')
  expect(String((await take(admin, { format: 'pdf' })).body).slice(0, 4)).toBe('%PDF')
  const log = await query(
    `select after from audit where action = 'addresses.exported' and organization_id = $1 order by id`,
    [org],
  )
  expect(log).toMatchObject([
    { after: { q: 'EXAMPLE.test', format: 'csv' } },
    { after: { format: 'xlsx' } },
    { after: { format: 'pdf' } },
  ])
  const stranger = await server.person('admin', await server.organization())
  expect((await take(stranger)).status).toBe(404)
  const user = await server.person('groupadmin', org)
  expect((await user.call(exportBarredAddresses, { params })).status).toBe(403)
  await query('delete from suppressions')
})

test('a list is barred at once, each address once; what is barred already stays, what is wrong is named', async () => {
  await admin.call(barAddress, { params, body: { address: 'first@example.test', reason: 'Before' } })
  await query(
    `insert into suppressions (organization_id, address, reason, expires_at)
      values ($1, 'over@example.test', 'Was away', now() - interval '1 day')`,
    [org],
  )
  const list = [
    { address: ' New@Example.test ', reason: '=1+1', until: '2199-12-31' },
    { address: 'new@example.test', reason: 'Again' },
    { address: 'FIRST@example.test', reason: 'Another' },
    { address: 'over@example.test', reason: ' ', until: null },
    { address: 'unsubscribed@example.test', reason: 'unsubscribed' },
    { address: 'nobody' },
    { address: `${'x'.repeat(250)}@example.test` },
    { address: 'a@example.test\u0000' },
    { address: 'b@example.test', reason: 'Line\nbreak' },
    { address: 'c@example.test', reason: '\ud800' },
    { address: 'd@example.test', reason: 'x'.repeat(201) },
    { address: 'e@example.test', until: '2020-01-01' },
    { address: 'f@example.test', until: 'soon' },
    { address: `'); drop table suppressions; --@example.test` },
  ]
  const address = `/api/organizations/${org}/barred-addresses/import`
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const post = () => admin.send('POST', address, { headers, body: { addresses: list } })
  const [one, two] = [await post(), await post()]
  expect(one.body).toEqual({
    added: 3,
    already: 1,
    refused: [
      { line: 6, problem: 'invalid_email' },
      { line: 7, problem: 'too_long' },
      { line: 8, problem: 'invalid_email' },
      { line: 9, problem: 'invalid' },
      { line: 10, problem: 'invalid' },
      { line: 11, problem: 'too_long' },
      { line: 12, problem: 'not_ahead' },
      { line: 13, problem: 'invalid_date' },
      { line: 14, problem: 'invalid_email' },
    ],
  })
  expect(two.body).toEqual(one.body)
  const { items } = (await admin.call(listBarredAddresses, { params })).body
  const inOrder = items.toSorted((a, b) => a.address.localeCompare(b.address))
  expect(inOrder.map((item) => [item.address, item.reason, item.until, item.by])).toEqual([
    ['first@example.test', 'Before', null, 'Ada Admin'],
    ['new@example.test', '=1+1', '2199-12-31T23:59:59.999Z', 'Ada Admin'],
    ['over@example.test', 'Came with a list', null, 'Ada Admin'],
    ['unsubscribed@example.test', 'unsubscribed', null, 'Ada Admin'],
  ])
  const log = await query(
    `select after from audit where action = 'addresses.barred' and organization_id = $1`,
    [org],
  )
  expect(log).toEqual([{ after: { added: 3, already: 1 } }])
  await query('delete from suppressions')
})

test('a list holds up to 5,000, two at once both end, and no other organization is touched', async () => {
  const listOf = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ address: `l${n}@example.test` }))
  const give = (who: Person, addresses: { address: string }[]) =>
    who.call(importBarredAddresses, { params, body: { addresses } })
  expect((await give(admin, [])).problem?.fields).toEqual({ addresses: ['required'] })
  expect((await give(admin, listOf(5_001))).problem?.fields).toEqual({ addresses: ['too_long'] })
  const both = await Promise.all([give(admin, listOf(5_000)), give(admin, listOf(5_000).toReversed())])
  expect(both.map(({ body }) => body.added + body.already)).toEqual([5_000, 5_000])
  expect(both[0].body.added + both[1].body.added).toBe(5_000)
  const stranger = await server.person('admin', await server.organization())
  expect((await give(stranger, listOf(1))).status).toBe(404)
  const theirs = { params: { orgId: stranger.organizationId ?? '' }, body: { addresses: listOf(1) } }
  expect((await stranger.call(importBarredAddresses, theirs)).body.added).toBe(1)
  expect((await give(await server.person('groupadmin', org), listOf(1))).status).toBe(403)
  await query('delete from suppressions')
})
