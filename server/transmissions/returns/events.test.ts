import { createHmac, randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { listBarredAddresses } from '#contract/transmissions/barred-addresses.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readMailEvents, type MailEventSource } from '#contract/transmissions/mail-events.ts'
import { readTransmission } from '#contract/transmissions/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import { unique } from '../../testing/unique.ts'
import { aSendingServer, aSentVideo } from '../../testing/worlds.ts'

const sending = await aSendingServer()
const admin = sending.admin
const superadmin = await sending.server.person('superadmin')
const secret = (await superadmin.call(readMailEvents)).body.secret

type Sent = { transmissionId: string; deliveries: { id: string; email: string }[] }

/** To so many people, all of whose mails were accepted. */
async function sent(count: number): Promise<Sent> {
  const { server, org, videoId } = sending
  const userIds = await addPeople(server, org, { count, prefix: unique() })
  const transmissionId = await aSentVideo(admin, { videoId, audience: { userIds } })
  const params = { transmissionId }
  const { items } = (await admin.call(listDeliveries, { params, query: { limit: 100 } })).body
  return { transmissionId, deliveries: items.map(({ id, user }) => ({ id, email: user.email })) }
}

async function found({ transmissionId }: Sent) {
  const params = { transmissionId }
  const { items } = (await admin.call(listDeliveries, { params, query: { limit: 100 } })).body
  return new Map(items.map(({ id, state, reason }) => [id, { state, reason }]))
}

const post = (source: string, payload: string, headers: Record<string, string>) =>
  sending.server.app.inject({ method: 'POST', url: `/api/mail-events/${source}`, payload, headers })

const basic = (password = secret, user = 'sendreel') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

function signed(payload: string, { at = Date.now(), by = secret } = {}) {
  const seconds = Math.floor(at / 1_000)
  const hmac = createHmac('sha256', by).update(`${seconds}.${payload}`).digest('hex')
  return { 'content-type': 'application/json', 'x-signature': `t=${seconds},v1=${hmac}` }
}

async function tell(events: object[]): Promise<number> {
  const payload = JSON.stringify({ events })
  return (await post('generic', payload, signed(payload))).statusCode
}

const now = () => new Date().toISOString()
const arrived = (deliveryId: string | undefined) => ({
  id: unique(),
  deliveryId,
  kind: 'delivered',
  at: now(),
})
const returned = (deliveryId: string | undefined) => ({
  ...arrived(deliveryId),
  kind: 'returned',
  permanent: true,
  status: '5.1.1',
  detail: '550 5.1.1 No such user',
})

test('a report changes a mail once, and a late one never leads back', async () => {
  const one = await sent(4)
  const [first, second, third, fourth] = one.deliveries
  const event = arrived(first?.id)
  expect(await tell([event, arrived(second?.id), { ...returned(third?.id), permanent: false }])).toBe(200)
  expect((await found(one)).get(first?.id ?? '')).toEqual({ state: 'delivered', reason: null })
  // What comes back later was not delivered after all.
  expect(await tell([returned(second?.id)])).toBe(200)
  expect(await tell([arrived(second?.id)])).toBe(200)
  // The same event once more says nothing, whatever it says.
  expect(await tell([{ ...event, kind: 'returned', permanent: true }])).toBe(200)
  // In whichever order they arrive together.
  expect(await tell([returned(fourth?.id), arrived(fourth?.id)])).toBe(200)
  const states = await found(one)
  expect(one.deliveries.map(({ id }) => states.get(id)?.state)).toEqual([
    'delivered',
    'bounced',
    'accepted',
    'bounced',
  ])
  expect(states.get(second?.id ?? '')?.reason).toBe('550 5.1.1 No such user')
  const { counts } = (await admin.call(readTransmission, { params: { transmissionId: one.transmissionId } }))
    .body
  expect(counts).toMatchObject({ delivered: 1, bounced: 2, accepted: 1 })
})

test('nobody is there, does not want it, or has unsubscribed: the address is barred, with the reason', async () => {
  const one = await sent(4)
  const [gone, unwanted, left, full] = one.deliveries
  await tell([
    returned(gone?.id),
    { ...arrived(unwanted?.id), kind: 'complained' },
    { ...arrived(left?.id), kind: 'unsubscribed' },
    { ...returned(full?.id), status: '5.2.2', detail: 'Mailbox full' },
  ])
  const { items } = (
    await admin.call(listBarredAddresses, { params: { orgId: sending.org }, query: { limit: 100 } })
  ).body
  const barred = new Map(items.map(({ address, reason, until: end }) => [address, [reason, end !== null]]))
  expect(barred.get(gone?.email ?? '')).toEqual(['no_such_mailbox', true])
  expect(barred.get(unwanted?.email ?? '')).toEqual(['complained', false])
  expect(barred.get(left?.email ?? '')).toEqual(['unsubscribed', false])
  expect(barred.has(full?.email ?? '')).toBe(false)
})

/** As Postmark documents it, with what this product puts into the mail. */
const postmark = (deliveryId: string, more: object) => ({
  MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
  Tag: 'Test',
  ServerID: 23,
  MessageStream: 'outbound',
  Metadata: { 'delivery-id': deliveryId },
  ...more,
})
const sesMail = (deliveryId: string) => ({
  timestamp: '2026-01-27T14:59:38.237Z',
  source: 'john@example.com',
  messageId: `00000138111222aa-33322211-cccc-cccc-cccc-${unique()}-000000`,
  destination: ['jane@example.com'],
  headersTruncated: false,
  headers: [
    { name: 'From', value: '"John Doe" <john@example.com>' },
    { name: 'X-Delivery-Id', value: deliveryId },
  ],
})
const sns = (message: object) =>
  JSON.stringify({
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
    Message: JSON.stringify(message),
    Timestamp: '2026-05-02T00:54:06.655Z',
    SignatureVersion: '1',
  })

test('Postmark and Amazon SES report in their own words', async () => {
  const one = await sent(5)
  const ids = one.deliveries.map(({ id }) => id)
  const [a = '', b = '', c = '', d = '', e = ''] = ids
  const plain = { 'content-type': 'text/plain; charset=UTF-8', ...basic() }
  const json = { 'content-type': 'application/json', ...basic() }
  const bodies: [MailEventSource, string][] = [
    [
      'postmark',
      JSON.stringify(
        postmark(a, {
          RecordType: 'Delivery',
          Recipient: 'john@example.com',
          DeliveredAt: '2026-08-01T13:28:10.2735393-04:00',
          Details: 'Test delivery webhook details',
        }),
      ),
    ],
    [
      'postmark',
      JSON.stringify(
        postmark(b, {
          RecordType: 'Bounce',
          ID: 42,
          Type: 'HardBounce',
          TypeCode: 1,
          Name: 'Hard bounce',
          Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
          Details: 'smtp;550 5.1.1 The email account that you tried to reach does not exist',
          Email: 'john@example.com',
          BouncedAt: '2026-08-01T13:28:10.2735393-04:00',
          Inactive: true,
          CanActivate: true,
        }),
      ),
    ],
    ['postmark', JSON.stringify(postmark(c, { RecordType: 'Open', FirstOpen: true }))],
    [
      'ses',
      sns({
        notificationType: 'Delivery',
        mail: sesMail(d),
        delivery: {
          timestamp: '2026-01-27T14:59:38.237Z',
          recipients: ['jane@example.com'],
          processingTimeMillis: 546,
          reportingMTA: 'a8-70.smtp-out.amazonses.com',
          smtpResponse: '250 ok:  Message 64111812 accepted',
        },
      }),
    ],
    [
      'ses',
      sns({
        notificationType: 'Bounce',
        mail: sesMail(e),
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'General',
          reportingMTA: 'dns; email.example.com',
          bouncedRecipients: [
            {
              emailAddress: 'jane@example.com',
              status: '5.1.1',
              action: 'failed',
              diagnosticCode: 'smtp; 550 5.1.1 <jane@example.com>... User',
            },
          ],
          timestamp: '2026-01-27T14:59:38.237Z',
          feedbackId: `00000138111222aa-${unique()}`,
          remoteMtaIp: '127.0.2.0',
        },
      }),
    ],
  ]
  for (const [source, body] of bodies)
    expect((await post(source, body, source === 'ses' ? plain : json)).statusCode, body).toBe(200)
  const states = await found(one)
  expect(ids.map((id) => states.get(id)?.state)).toEqual([
    'delivered',
    'bounced',
    'accepted',
    'delivered',
    'bounced',
  ])
  expect(states.get(e)?.reason).toBe('smtp; 550 5.1.1 <jane@example.com>... User')
  const { sources } = (await superadmin.call(readMailEvents)).body
  expect(
    sources.map(({ source, receivedAt, url }) => [source, receivedAt !== null, url.endsWith(source)]),
  ).toEqual([
    ['postmark', true, true],
    ['ses', true, true],
    ['generic', true, true],
  ])
})

test('a report with a name that no index takes is taken, once', async () => {
  const one = await sent(1)
  const id = one.deliveries[0]?.id ?? ''
  const MessageID = Array.from({ length: 2_000 }, () =>
    String.fromCodePoint(0x4e00 + randomInt(20_000)),
  ).join('')
  const body = JSON.stringify(
    postmark(id, {
      MessageID,
      RecordType: 'Delivery',
      Recipient: 'john@example.com',
      DeliveredAt: '2026-08-01T13:28:10.2735393-04:00',
    }),
  )
  for (const _time of [1, 2])
    expect(
      (await post('postmark', body, { 'content-type': 'application/json', ...basic() })).statusCode,
    ).toBe(200)
  expect((await found(one)).get(id)?.state).toBe('delivered')
})

test('a subscription of Amazon waits for a superadmin, and only one of Amazon', async () => {
  const confirming = async (SubscribeURL: string) => {
    const body = JSON.stringify({
      Type: 'SubscriptionConfirmation',
      MessageId: '1',
      Token: 't',
      SubscribeURL,
    })
    expect((await post('ses', body, basic())).statusCode).toBe(200)
    const { sources } = (await superadmin.call(readMailEvents)).body
    return sources.find(({ source }) => source === 'ses')?.confirmUrl
  }
  const url = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t'
  expect(await confirming(url)).toBe(url)
  expect(await confirming('https://sns.eu-west-1.amazonaws.com.evil.test/')).toBe(url)
  expect(await confirming('javascript:alert(1)')).toBe(url)
})

test('many that come back stop what is still being sent', async () => {
  const one = await sent(40)
  const { db } = sending.server.services
  // As if it were still at work, with far more people.
  await db.system.query(`update transmissions set state = 'sending' where id = $1`, [one.transmissionId])
  await db.system.query(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state, due_at)
      select $1, $2, uuidv7(), 'later@example.test', 'queued', now() + interval '1 day'`,
    [one.transmissionId, sending.org],
  )
  const events = one.deliveries.map(({ id }) => returned(id))
  await tell(events.slice(0, 25))
  const read = async () =>
    (await admin.call(readTransmission, { params: { transmissionId: one.transmissionId } })).body
  expect((await read()).state).toBe('sending')
  await tell(events.slice(25))
  expect(await read()).toMatchObject({ state: 'paused', reason: 'many_returned' })
})

test('a report that is faster than our own note of the mail has to be told again', async () => {
  const one = await sent(1)
  const { db } = sending.server.services
  const made = await db.system.query<{ id: string }>(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state, lease_token, lease_until, handed_at)
      select $1, $2, uuidv7(), 'fast@example.test', 'sending', uuidv7(), now() + interval '1 minute', now() returning id`,
    [one.transmissionId, sending.org],
  )
  expect(await tell([arrived(made.rows[0]?.id)])).toBe(503)
})

test('refuses whoever does not prove the secret, and what is not in the form that it has to be', async () => {
  const [delivery] = (await sent(1)).deliveries
  const body = JSON.stringify({ events: [returned(delivery?.id)] })
  const refused = [
    post('generic', body, {}),
    post('generic', body, basic()),
    post('generic', `${body} `, signed(body)),
    post('generic', body, signed(body, { at: Date.now() - 600_000 })),
    post('generic', body, signed(body, { by: `${secret}x` })),
    post('postmark', body, signed(body)),
    post('postmark', body, basic(`${secret}x`)),
    post('ses', body, basic(secret, 'admin')),
    post('ses', body, { authorization: 'Basic ####' }),
  ]
  expect((await Promise.all(refused)).map(({ statusCode }) => statusCode)).toEqual(refused.map(() => 401))
  const wrong = [
    '',
    '[]',
    '{"events": [{}]}',
    JSON.stringify({ events: [{ ...arrived(delivery?.id), more: 1 }] }),
  ]
  for (const payload of wrong)
    expect((await post('generic', payload, signed(payload))).statusCode, payload).toBe(422)
  expect((await post('elsewhere', body, signed(body))).statusCode).toBe(404)
  const large = 'x'.repeat(1_100_000)
  expect((await post('ses', large, basic())).statusCode).toBe(413)
  for (const payload of ['x', '{"Type": "Notification", "Message": "{"}', 'null'])
    expect((await post('ses', payload, basic())).statusCode, payload).toBe(200)
  // Of a mail that is none of ours.
  expect(await tell([returned(crypto.randomUUID())])).toBe(200)
  expect((await admin.call(readMailEvents)).status).toBe(403)
})
