import { afterAll, expect, test } from 'vitest'
import { readMailEvents } from '#contract/transmissions/mail-events.ts'
import { openImap } from '../../testing/mail/imap.ts'
import { fieldsOfReport, report, startMailbox, type Sent } from '../../testing/mail/mailbox.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'

/** What others write about our mails, with signs in it that no database keeps. */
const imap = await openImap()
const world = await startMailbox()
const { superadmin, sent, stateOf } = world
afterAll(async () => {
  await world.close()
  await imap.close()
})

// Marks of bytes that are no text in any encoding.
const mailOf = (to: string, change: Partial<typeof fieldsOfReport>) =>
  report(to, change).replaceAll('⟦half⟧', '\u00ED\u00A0\u00BD')

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
  await world.name(imap)
  const names = Object.keys(fieldsOfReport) as (keyof typeof fieldsOfReport)[]
  const mails = await sent(names.length + 1)
  const honest = mails.at(-1) as Sent
  for (const [n, name] of names.entries())
    for (const sign of signs)
      for (const value of [sign, `${fieldsOfReport[name]} ${sign}`])
        imap.put(mailOf(mails[n]?.returnPath ?? '', { [name]: value }))
  // Its day is none of the calendar either.
  imap.put(mailOf(mails[0]?.returnPath ?? '', {}), new Date('0000-01-01'))
  imap.put(mailOf(honest.returnPath, {}))
  const count = imap.messages.length
  console.log(`${count} odd mails`)
  await world.read(count - 1, 60)
  await until(async () => (await stateOf(honest))[0] === 'bounced', 20)
  const reasons = await Promise.all(mails.map(async (one) => (await stateOf(one))[1]))
  expect(
    reasons.filter((said) => !said.isWellFormed() || /\p{Cc}|\uFFFD\uFFFD\uFFFD\uFFFD/u.test(said)),
  ).toEqual([])
})

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
    world.server.app.inject({
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
  const [state, reason] = await stateOf(other)
  expect([
    state,
    reason.startsWith('550 \uFFFD no \uFFFD xxx'),
    reason.isWellFormed(),
    reason.length <= 500,
  ]).toEqual(['bounced', true, true, true])
})
