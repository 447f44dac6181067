import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import {
  importBarredAddresses,
  liftBar,
  listBarredAddresses,
} from '#contract/transmissions/barred-addresses.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readMailEvents, type MailEventSource } from '#contract/transmissions/mail-events.ts'
import { createTransmission, previewAudience } from '#contract/transmissions/transmissions.ts'
import { createUser, deleteUser, updateUser } from '#contract/directory/users.ts'
import { sentAll } from '../../testing/planning.ts'
import { unique } from '../../testing/unique.ts'
import { aSendingServer } from '../../testing/worlds.ts'

const sending = await aSendingServer()
const params = { orgId: sending.org }
const superadmin = await sending.server.person('superadmin')
const secret = (await superadmin.call(readMailEvents)).body.secret

beforeEach(async () => {
  await run('delete from suppressions')
  await run('delete from unsubscriptions')
})

const { query: run } = sending.server

type Reader = { userId: string; email: string; deliveryId: string; transmissionId: string; name: string }

/** Somebody who has got a message. */
async function reader(): Promise<Reader> {
  const { admin, org, videoId, server } = sending
  const [name, email] = [`Reader ${unique()}`, `${unique()}@example.test`]
  const { id: userId } = (await admin.call(createUser, { params, body: { name, email } })).body
  const body = { accountId: org, videoId, body: 'x', userId }
  const transmissionId = (await admin.call(createTransmission, { body })).body.id
  await sentAll(server)
  const { items } = (await admin.call(listDeliveries, { params: { transmissionId } })).body
  return { userId, email, name, transmissionId, deliveryId: items[0]?.id ?? '' }
}

const post = (source: MailEventSource, body: object, headers: Record<string, string>) =>
  sending.server.app.inject({
    method: 'POST',
    url: `/api/mail-events/${source}`,
    payload: JSON.stringify(body),
    headers,
  })
const basic = () => ({ authorization: `Basic ${Buffer.from(`sendreel:${secret}`).toString('base64')}` })
const now = () => new Date().toISOString()

async function tell(deliveryId: string, kind: string, more: object = {}) {
  const body = { events: [{ id: unique(), deliveryId, kind, at: now(), ...more }] }
  const seconds = Math.floor(Date.now() / 1_000)
  const hmac = createHmac('sha256', secret)
    .update(`${seconds}.${JSON.stringify(body)}`)
    .digest('hex')
  const answer = await post('generic', body, { 'x-signature': `t=${seconds},v1=${hmac}` })
  expect(answer.statusCode).toBe(200)
}
const gone = { permanent: true, status: '5.1.1' }

const bars = async (q = '') =>
  (await sending.admin.call(listBarredAddresses, { params, query: { q } })).body.items
    .map(({ address, kind, reason }) => `${kind} ${reason} ${address}`)
    .toSorted()
const lift = (address: string, kind: 'address' | 'person') =>
  sending.admin.call(liftBar, { params, body: { address, kind } })

/** Whether somebody gets a message that they do not owe, and one that they do. */
async function reaches(userId: string) {
  const count = async (isDuty: boolean) =>
    (
      await sending.admin.call(previewAudience, {
        body: { accountId: sending.org, audience: { userIds: [userId] }, isDuty },
      })
    ).body.recipients === 1
  return [await count(false), await count(true)]
}

test.each([
  ['unsubscribed', 'complained'],
  ['complained', 'unsubscribed'],
  ['unsubscribed', 'returned'],
  ['returned', 'unsubscribed'],
])(
  'a fact and a will stand beside each other: %s, then %s; lifting one leaves the other',
  async (one, other) => {
    const { userId, email, deliveryId } = await reader()
    const fact = [one, other].includes('complained') ? 'complained' : 'no_such_mailbox'
    for (const kind of [one, other, one]) await tell(deliveryId, kind, kind === 'returned' ? gone : {})
    expect(await bars()).toEqual([`address ${fact} ${email}`, `person unsubscribed ${email}`])
    expect(await reaches(userId)).toEqual([false, false])
    expect((await lift(email, 'address')).body.lifted).toBe(true)
    expect((await lift(email, 'address')).body.lifted).toBe(false)
    expect(await bars()).toEqual([`person unsubscribed ${email}`])
    expect(await reaches(userId)).toEqual([false, true])
    await tell(deliveryId, 'complained')
    await lift(email, 'person')
    expect(await bars()).toEqual([`address complained ${email}`])
    expect(await reaches(userId)).toEqual([false, false])
    await lift(email, 'address')
    expect(await reaches(userId)).toEqual([true, true])
  },
)

test('reports of both kinds at once, repeated, end as they would one after another', async () => {
  const many = await Promise.all([reader(), reader(), reader()])
  await Promise.all(
    many.flatMap(({ deliveryId }) => [
      tell(deliveryId, 'unsubscribed'),
      tell(deliveryId, 'complained'),
      tell(deliveryId, 'unsubscribed'),
      tell(deliveryId, 'returned', gone),
      tell(deliveryId, 'complained'),
    ]),
  )
  const expected = many.flatMap(({ email }) => [
    `address complained ${email}`,
    `person unsubscribed ${email}`,
  ])
  expect(await bars()).toEqual(expected.toSorted())
})

test('the will follows its person to another address, and not whoever gets the old one', async () => {
  const { userId, email, name, deliveryId } = await reader()
  await tell(deliveryId, 'complained')
  await tell(deliveryId, 'unsubscribed')
  const moved = `moved-${unique()}@example.test`
  const { admin } = sending
  const change = await admin.call(updateUser, { params: { ...params, userId }, body: { name, email: moved } })
  expect(change.status).toBe(200)
  expect(await bars()).toEqual([`address complained ${email}`, `person unsubscribed ${moved}`])
  expect(await reaches(userId)).toEqual([false, true])
  await lift(email, 'address')
  const heir = await admin.call(createUser, { params, body: { name: 'Heir', email } })
  expect(await reaches(heir.body.id)).toEqual([true, true])
  // Whoever is removed and comes back is still the same person.
  await admin.call(deleteUser, { params: { ...params, userId } })
  const back = await admin.call(createUser, { params, body: { name, email: moved } })
  expect(await reaches(back.body.id)).toEqual([false, true])
  await lift(moved, 'person')
  expect([await bars(), await reaches(back.body.id)]).toEqual([[], [true, true]])
})

test('what a list says in our own words means the same, also of somebody who comes later', async () => {
  const { userId, email } = await reader()
  const later = `${unique()}@example.test`
  const addresses = [
    { address: email, reason: 'Its reader unsubscribed. What they owe is sent all the same.' },
    { address: later, reason: 'unsubscribed' },
    { address: 'unwanted@example.test', reason: 'Its reader called a mail unwanted.' },
    { address: 'nobody@example.test', reason: 'The mail server says that there is no such mailbox.' },
    { address: 'words@example.test', reason: 'Left us' },
  ]
  const give = () => sending.admin.call(importBarredAddresses, { params, body: { addresses } })
  expect((await give()).body).toMatchObject({ added: 5, already: 0, refused: [] })
  expect((await give()).body).toMatchObject({ added: 0, already: 5 })
  expect(await bars()).toEqual(
    [
      `address Left us words@example.test`,
      `address complained unwanted@example.test`,
      `address no_such_mailbox nobody@example.test`,
      `person unsubscribed ${email}`,
      `person unsubscribed ${later}`,
    ].toSorted(),
  )
  expect(await reaches(userId)).toEqual([false, true])
  const { id } = (await sending.admin.call(createUser, { params, body: { name: 'Later', email: later } }))
    .body
  expect(await reaches(id)).toEqual([false, true])
  const ends = await run('select address from suppressions where expires_at is not null')
  expect(ends).toEqual([{ address: 'nobody@example.test' }])
})

test('each kind of report means the same by whatever provider it comes', async () => {
  const readers = await Promise.all(Array.from({ length: 7 }, reader))
  const [a, b, c, d, e, f, g] = readers.map(({ deliveryId }) => deliveryId)
  const postmark = (deliveryId: string | undefined, more: object) =>
    post('postmark', { MessageID: unique(), Metadata: { 'delivery-id': deliveryId }, ...more }, basic())
  const bounced = (deliveryId: string | undefined, Type: string, Details = '') =>
    postmark(deliveryId, {
      RecordType: 'Bounce',
      ID: Math.ceil(Math.random() * 1e9),
      Type,
      Details,
      BouncedAt: now(),
    })
  const changed = (
    deliveryId: string | undefined,
    Origin: string,
    SuppressionReason = 'ManualSuppression',
  ) => {
    const change = { ChangedAt: now(), SuppressSending: true, SuppressionReason, Origin }
    return postmark(deliveryId, { RecordType: 'SubscriptionChange', ...change })
  }
  const mail = (deliveryId: string | undefined) => ({
    messageId: unique(),
    headers: [{ name: 'X-Delivery-ID', value: deliveryId }],
  })
  const ses = (message: object) =>
    post('ses', { Type: 'Notification', Message: JSON.stringify(message) }, basic())
  const answers = await Promise.all([
    bounced(a, 'Unsubscribe'),
    changed(b, 'Recipient'),
    changed(c, 'Admin'),
    changed(c, 'Recipient', 'HardBounce'),
    bounced(d, 'ManuallyDeactivated'),
    bounced(e, 'HardBounce', 'smtp;550 5.1.8 Access denied, bad outbound sender'),
    ses({
      eventType: 'Subscription',
      mail: mail(f),
      subscription: { timestamp: now(), newTopicPreferences: { unsubscribeAll: true } },
    }),
    ses({
      eventType: 'Complaint',
      mail: mail(g),
      complaint: { timestamp: now(), feedbackId: unique(), complaintFeedbackType: 'not-spam' },
    }),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))
  const unwilling = [0, 1, 5].map((n) => `person unsubscribed ${readers[n]?.email}`)
  expect(await bars()).toEqual(unwilling.toSorted())
  const reasons = await run(
    `select reason from deliveries where id = any($1) and state = 'bounced' order by reason`,
    [[d, e]],
  )
  expect(reasons).toEqual([
    { reason: 'provider_suppressed' },
    { reason: 'smtp;550 5.1.8 Access denied, bad outbound sender' },
  ])
})

test('nobody speaks for people of another organization', async () => {
  const { email, deliveryId } = await reader()
  const stranger = await sending.server.person('admin', await sending.server.organization())
  const theirs = { orgId: stranger.organizationId ?? '' }
  await tell(deliveryId, 'unsubscribed')
  await tell(deliveryId, 'complained')
  for (const kind of ['address', 'person'] as const) {
    const body = { address: email, kind }
    expect((await stranger.call(liftBar, { params: theirs, body })).body.lifted).toBe(false)
    expect((await stranger.call(liftBar, { params, body })).status).toBe(404)
  }
  const namesake = await stranger.call(createUser, { params: theirs, body: { name: 'Namesake', email } })
  expect(namesake.status).toBe(201)
  const found = await stranger.call(previewAudience, {
    body: { accountId: theirs.orgId, audience: { userIds: [namesake.body.id] } },
  })
  expect(found.body.recipients).toBe(1)
  expect((await stranger.call(listBarredAddresses, { params: theirs })).body.total).toBe(0)
  expect(await bars()).toHaveLength(2)
})

test('an installation of before keeps what was meant, and lifts what was misread', async () => {
  const readers = await Promise.all(Array.from({ length: 5 }, reader))
  const [left, hidden, sender, answered, nobody] = readers as [Reader, Reader, Reader, Reader, Reader]
  const owner = new pg.Client({ connectionString: sending.server.ownerUrl })
  await owner.connect()
  await owner.query(
    'drop table unsubscriptions; drop function unsubscriptions_follow cascade; alter table delivery_events drop column about',
  )
  const bar = (email: string, reason: string, more = 'null') =>
    `insert into suppressions (organization_id, address, reason, expires_at) values ('${sending.org}', '${email}', '${reason}', ${more})`
  const event = ({ deliveryId, transmissionId }: Reader, kind: string, status = 'null') =>
    `insert into delivery_events (source, event_id, organization_id, transmission_id, delivery_id, kind, is_permanent, status, at)
      values ('generic', '${unique()}', '${sending.org}', '${transmissionId}', '${deliveryId}', '${kind}', true, ${status}, now())`
  const tried = ({ deliveryId, transmissionId }: Reader, response: string) =>
    `insert into delivery_attempts (delivery_id, n, organization_id, transmission_id, ended_at, outcome, code, response)
      values ('${deliveryId}', 9, '${sending.org}', '${transmissionId}', now(), 'rejected', 550, '${response}')`
  const before = [
    [event(left, 'unsubscribed'), bar(left.email, 'unsubscribed')],
    [event(hidden, 'unsubscribed'), bar(hidden.email, 'unsubscribed')],
    [event(hidden, 'complained')],
    [
      event(sender, 'returned', `'5.1.8'`),
      bar(sender.email, 'no_such_mailbox', `now() + interval '30 days'`),
    ],
    [
      tried(answered, 'Mail command failed: 550 5.1.0 no'),
      bar(answered.email, 'no_such_mailbox', `now() + interval '30 days'`),
    ],
    [
      tried(nobody, 'recipients were rejected: 550 5.1.1 <x@sender.example> unknown'),
      bar(nobody.email, 'no_such_mailbox', `now() + interval '30 days'`),
    ],
  ]
  for (const together of before) await owner.query(together.join(';'))
  const moved = `moved-${unique()}@example.test`
  await owner.query('update users set email = $1 where id = $2', [moved, left.userId])
  const name = '0034_what_mail_servers_say.sql'
  await owner.query(readFileSync(new URL(`../../platform/db/migrations/${name}`, import.meta.url), 'utf8'))
  await owner.end()
  expect(await bars()).toEqual(
    [
      `person unsubscribed ${moved}`,
      `address complained ${hidden.email}`,
      `person unsubscribed ${hidden.email}`,
      `address no_such_mailbox ${nobody.email}`,
    ].toSorted(),
  )
  expect(await reaches(left.userId)).toEqual([false, true])
})
