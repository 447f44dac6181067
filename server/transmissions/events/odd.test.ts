import { afterAll, beforeAll, expect, test } from 'vitest'
import { listDeliveries } from '#contract/deliveries.ts'
import { readMailEvents } from '#contract/mail-events.ts'
import { readMailReturns, updateMailReturns } from '#contract/mail-returns.ts'
import { createTransmission, readTransmission } from '#contract/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import { imapLogin, openImap, type ImapServer } from '../../testing/imap.ts'
import { startSendingServer, type SendingServer } from '../../testing/sending.ts'
import type { Person } from '../../testing/server.ts'
import { openSink, type Sink } from '../../testing/sink.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'
import { startReturns } from './mailbox.ts'

/** What others write about our mails, with signs in it that no database keeps. */
let sending: SendingServer
let superadmin: Person
let sink: Sink
let imap: ImapServer
let reading: { stop(): Promise<void> }

beforeAll(async () => {
  sink = await openSink()
  imap = await openImap()
  sending = await startSendingServer({ SMTP_URL: sink.url, MAIL_FROM: 'Reel <reel@acme.org>' })
  superadmin = await sending.server.person('superadmin')
  reading = await startReturns(sending.server.services)
})
afterAll(async () => {
  await reading.stop()
  await sending.close()
  await sink.close()
  await imap.close()
})

type Sent = { id: string; returnPath: string; transmissionId: string }

async function sent(count: number): Promise<Sent[]> {
  const { server, org, admin, videoId } = sending
  const userIds = await addPeople(server, org, { count, prefix: unique() })
  const body = { accountId: org, videoId, body: 'x', audience: { userIds } }
  const transmissionId = (await admin.call(createTransmission, { body })).body.id
  const params = { transmissionId }
  await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 20)
  const { items } = (await admin.call(listDeliveries, { params, query: { limit: 100 } })).body
  return items.map(({ id, user: { email } }) => ({
    id,
    transmissionId,
    returnPath: sink.received.find(({ to }) => to === email)?.from ?? '',
  }))
}

async function stateOf({ id, transmissionId }: Sent) {
  const params = { transmissionId }
  const { items } = (await sending.admin.call(listDeliveries, { params, query: { limit: 100 } })).body
  const found = items.find((one) => one.id === id)
  return { state: found?.state, reason: found?.reason ?? '' }
}

/** The fields of a mail that came back, by name. */
const fields = {
  from: 'Mail Delivery System <MAILER-DAEMON@mx.example.net>',
  subject: 'Undelivered Mail Returned to Sender',
  date: 'Thu, 26 Nov 2026 10:00:00 +0000',
  messageId: '<ID@mx.example.net>',
  received: 'from mx.example.net by reel.example; Thu, 26 Nov 2026 10:00:00 +0000',
  outerType: 'multipart/report; report-type=delivery-status; boundary="=_b"',
  words: 'I am sorry to have to tell you.',
  wordsType: 'text/plain; charset=utf-8',
  wordsEncoding: '8bit',
  reportType: 'message/delivery-status',
  reportEncoding: '8bit',
  mta: 'dns; mx.example.net',
  arrival: 'Thu, 26 Nov 2026 10:00:00 +0000',
  recipient: 'rfc822; somebody@example.net',
  action: 'failed',
  status: '5.1.1',
  diagnostic: 'smtp; 550 5.1.1 No such user',
  original: 'A video for you',
}
type Fields = typeof fields

const mailOf = (to: string, change: Partial<Fields>) => {
  const f = { ...fields, messageId: `<${unique()}@mx.example.net>`, ...change }
  const text = `Return-Path: <>
Received: ${f.received}
Delivered-To: bounce@acme.org
From: ${f.from}
To: ${to}
Subject: ${f.subject}
Date: ${f.date}
Message-ID: ${f.messageId}
MIME-Version: 1.0
Content-Type: ${f.outerType}

--=_b
Content-Type: ${f.wordsType}
Content-Transfer-Encoding: ${f.wordsEncoding}

${f.words}

--=_b
Content-Type: ${f.reportType}
Content-Transfer-Encoding: ${f.reportEncoding}

Reporting-MTA: ${f.mta}
Arrival-Date: ${f.arrival}

Final-Recipient: ${f.recipient}
Action: ${f.action}
Status: ${f.status}
Diagnostic-Code: ${f.diagnostic}

--=_b
Content-Type: message/rfc822

From: reel@acme.org
Subject: ${f.original}

x
--=_b--
`
  // Marks of bytes that are no text in any encoding.
  return Buffer.from(text.replaceAll('\n', '\r\n').replaceAll('⟦half⟧', '\u00ED\u00A0\u00BD'), 'utf8')
}

/** What is put in the place of a field, or behind it. */
const signs = [
  '\0',
  '\u0007\u001B[31m\u0085',
  '⟦half⟧',
  '=?utf-16be?B?2D0=?=',
  '=?utf-8?B?7aC9AGEA?=',
  '=?no-such-charset?Q?=00=ED=A0=BD?=',
  '\u202Egnp.exe',
  `${'x'.repeat(149)}😀${'y'.repeat(200)}`,
  `${'x'.repeat(499)}😀${'y'.repeat(500)}`,
  '👩\u200D👧'.repeat(200),
  'x'.repeat(30_000),
  'Mon, 01 Jan 0000 00:00:00 +0000',
  'Thu, 01 Jan 275760 00:00:00 +9999',
  'multipart/report; charset="\0"; boundary=""',
  '',
]

test('nothing that others write into a mail stops the one behind it, whatever field it stands in', async () => {
  await superadmin.call(updateMailReturns, {
    body: {
      address: 'bounce@acme.org',
      host: '127.0.0.1',
      port: imap.port,
      encryption: 'none',
      ...imapLogin,
    },
  })
  const names = Object.keys(fields) as (keyof Fields)[]
  const mails = await sent(names.length + 1)
  const honest = mails.at(-1) as Sent
  for (const [n, name] of names.entries())
    for (const sign of signs)
      for (const value of [sign, `${fields[name]} ${sign}`])
        imap.put(mailOf(mails[n]?.returnPath ?? '', { [name]: value }))
  // Its day is none of the calendar either.
  imap.put(mailOf(mails[0]?.returnPath ?? '', {}), new Date('0000-01-01'))
  imap.put(mailOf(honest.returnPath, {}))
  const count = imap.messages.length
  console.log(`${count} odd mails`)
  await sending.server.services.jobs.wake('mail.returns', {})
  await until(async () => {
    const { mailbox } = (await superadmin.call(readMailReturns)).body
    return (mailbox?.taken ?? 0) + (mailbox?.leftAlone ?? 0) >= count - 1 && mailbox?.fault === null
  }, 60)
  await until(async () => (await stateOf(honest)).state === 'bounced', 20)
  const states = await Promise.all(mails.map(stateOf))
  expect(
    states.filter(({ reason }) => !reason.isWellFormed() || /\p{Cc}|\uFFFD\uFFFD\uFFFD\uFFFD/u.test(reason)),
  ).toEqual([])
}, 120_000)

/** What a provider tells of a mail, with something else in each place in turn. */
function* replaced(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) {
    yield* [
      'a\0b',
      'a\uD83Db',
      '\uDE00',
      `${'x'.repeat(499)}😀`,
      'x'.repeat(5_000),
      '0000-01-01T00:00:00Z',
      '+275760-09-13T00:00:00Z',
      2 ** 63,
      null,
      [],
    ]
    return
  }
  for (const [key, part] of Object.entries(value))
    for (const by of replaced(part))
      yield Array.isArray(value) ? value.with(Number(key), by) : { ...value, [key]: by }
}

test('a report of a provider is kept whatever its words are, and no odd one is a fault of ours', async () => {
  const { secret } = (await superadmin.call(readMailEvents)).body
  const [one, other] = (await sent(2)) as [Sent, Sent]
  const authorization = `Basic ${Buffer.from(`sendreel:${secret}`).toString('base64')}`
  const post = (source: string, body: unknown) =>
    sending.server.app.inject({
      method: 'POST',
      url: `/api/mail-events/${source}`,
      payload: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization },
    })
  const bounce = (deliveryId: string, said: string, at = '2026-11-28T10:00:00Z') => ({
    eventType: 'Bounce',
    mail: { messageId: unique(), headers: [{ name: 'X-Delivery-Id', value: deliveryId }] },
    bounce: {
      bounceType: 'Transient',
      bounceSubType: 'General',
      timestamp: at,
      feedbackId: unique(),
      bouncedRecipients: [{ status: '4.2.2', diagnosticCode: said }],
    },
  })
  const sns = (message: object) => ({ Type: 'Notification', Message: JSON.stringify(message) })
  const postmark = (deliveryId: string, said: string) => ({
    RecordType: 'Bounce',
    ID: Math.floor(Math.random() * 1e9),
    Type: 'HardBounce',
    BouncedAt: '2026-11-28T10:00:00Z',
    Description: 'x',
    Details: said,
    Metadata: { 'delivery-id': deliveryId },
  })
  let asked = 0
  for (const [source, bodies] of [
    ['ses', [...replaced(bounce(one.id, 'x'))].map((body) => sns(body as object))],
    ['ses', [...replaced(sns(bounce(one.id, 'x')))]],
    ['postmark', [...replaced(postmark(one.id, 'x'))]],
  ] as const)
    for (const body of bodies) {
      asked += 1
      const { statusCode } = await post(source, body)
      expect([JSON.stringify(body).slice(0, 300), statusCode]).toEqual([
        JSON.stringify(body).slice(0, 300),
        200,
      ])
    }
  console.log(`${asked} odd reports`)
  // Half a sign, and more words than are kept.
  expect(
    (await post('postmark', postmark(other.id, `550 \0 no \uD83D ${'x'.repeat(470)}😀${'y'.repeat(3_000)}`)))
      .statusCode,
  ).toBe(200)
  const { state, reason } = await stateOf(other)
  expect([
    state,
    reason.startsWith('550 \uFFFD no \uFFFD xxx'),
    reason.isWellFormed(),
    reason.length <= 500,
  ]).toEqual(['bounced', true, true, true])
}, 60_000)
