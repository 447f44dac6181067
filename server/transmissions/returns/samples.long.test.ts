import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, expect, test } from 'vitest'
import { listBarredAddresses } from '#contract/transmissions/barred-addresses.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readMailEvents } from '#contract/transmissions/mail-events.ts'
import { readTransmission } from '#contract/transmissions/transmissions.ts'
import { openImap } from '../../testing/mail/imap.ts'
import { startMailbox, type Sent } from '../../testing/mail/mailbox.ts'
import { unique } from '../../testing/unique.ts'

/**
 * What a report has to give. `nobody`, `complained`: a fact that bars the address. `sender`: the transmission pauses, and nobody is barred.
 * `returned`: told at its delivery, and no more. `nothing`: not even that.
 */
type Gives = 'nobody' | 'complained' | 'sender' | 'returned' | 'suppressed' | 'nothing'

const bounces: Record<string, Gives> = {
  'action-comment.eml': 'nobody',
  'arf-abuse.eml': 'complained',
  'arf-folded.eml': 'complained',
  'arf-mixed.eml': 'complained',
  'arf-notspam.eml': 'nothing',
  'arf-optout.eml': 'nothing',
  'bad-sender-517.eml': 'sender',
  'bad-sender-518.eml': 'sender',
  'delayed-441.eml': 'nothing',
  'exim-500-plain.eml': 'nobody',
  'exim-500.eml': 'nobody',
  'expired-447.eml': 'returned',
  'failed-no-status.eml': 'nobody',
  'full-522.eml': 'returned',
  'global-511.eml': 'nobody',
  'mixed-dsn.eml': 'nobody',
  'no-report-type.eml': 'nobody',
  'null-mx.eml': 'nobody',
  'ooo.eml': 'nothing',
  'qmail.eml': 'nobody',
  'sender-domain-518.eml': 'sender',
  'sender-rejected-510.eml': 'sender',
  'spam-571.eml': 'returned',
  'status-comment.eml': 'nobody',
  'supplementary.eml': 'nobody',
  'user-unknown-511.eml': 'nobody',
  'user-unknown-5110.eml': 'nobody',
}
const webhooks: Record<string, Gives> = {
  'ses-abuse.json': 'complained',
  'ses-complaint-suppressed.json': 'suppressed',
  'ses-mailbox-full.json': 'nothing',
  'ses-no-email.json': 'nobody',
  'ses-ooto-undetermined.json': 'nothing',
  'ses-permanent-general-500.json': 'nobody',
  'ses-permanent-general.json': 'nobody',
  'ses-permanent-sender.json': 'sender',
  'ses-suppressed.json': 'suppressed',
  'ses-transient-general.json': 'nothing',
}

const imap = await openImap()
const world = await startMailbox('reel@sender.example')
const { server, org, admin, superadmin } = world
const { secret } = (await superadmin.call(readMailEvents)).body
await world.name(imap, { address: 'bounces@sender.example' })
afterAll(async () => {
  await world.close()
  await imap.close()
})
afterEach(() => server.services.db.system.query('delete from suppressions'))

const readMailbox = () => world.read(imap.messages.length)

/** One whose mail was taken, while others of its transmission wait; the address to which it comes back. */
async function taken(): Promise<Sent> {
  const [one] = (await world.sent(1)) as [Sent]
  const { transmissionId } = one
  const { system } = server.services.db
  await system.query(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state, due_at)
      select $1, $2, uuidv7(), 'later@example.test', 'queued', now() + interval '1 day'`,
    [transmissionId, org],
  )
  await system.query(`update transmissions set state = 'sending' where id = $1`, [transmissionId])
  return one
}

/** What has become of it, in the words of the tables. */
async function became({ transmissionId, id, email }: Sent): Promise<Gives> {
  const params = { transmissionId }
  const { state, reason } = (await admin.call(readTransmission, { params })).body
  const { items: deliveries } = (await admin.call(listDeliveries, { params, query: { limit: 100 } })).body
  const delivery = deliveries.find((one) => one.id === id)
  const bars = (await admin.call(listBarredAddresses, { params: { orgId: org }, query: { q: email } })).body
    .items
  expect(bars.length).toBeLessThan(2)
  expect(state === 'paused').toBe(reason === 'sender_refused')
  const [bar] = bars
  if (state === 'paused') return bar ? 'nothing' : 'sender'
  if (bar?.reason === 'complained') return 'complained'
  if (bar?.reason === 'no_such_mailbox') return delivery?.state === 'bounced' ? 'nobody' : 'nothing'
  if (delivery?.state !== 'bounced') return 'nothing'
  return delivery.reason === 'provider_suppressed' ? 'suppressed' : 'returned'
}

const sample = (name: string) => readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8')

test.each(Object.entries(bounces))('in the mailbox: %s gives %s', async (name, gives) => {
  const one = await taken()
  const raw = sample(`bounces/${name}`).replaceAll('bounces+VERP@sender.example', one.returnPath)
  imap.put(raw.replaceAll(/(Message-ID: <)/g, `$1${unique()}.`).replaceAll(/\r?\n/g, '\r\n'))
  await readMailbox()
  expect(await became(one)).toBe(gives)
})

test.each(Object.entries(webhooks))('by a provider: %s gives %s', async (name, gives) => {
  const one = await taken()
  const payload = sample(`webhooks/${name}`)
    .replaceAll('01a222d8-5455-7f85-840e-fd8f6df770be', one.id)
    .replaceAll(String.raw`\"f1\"`, String.raw`\"${unique()}\"`)
  const headers = { authorization: `Basic ${Buffer.from(`sendreel:${secret}`).toString('base64')}` }
  const tell = () => server.app.inject({ method: 'POST', url: '/api/mail-events/ses', payload, headers })
  expect((await Promise.all([tell(), tell()])).map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect(await became(one)).toBe(gives)
})

/** A report about several recipients, as where a list stands behind one address; `to`: whom the copy of our mail names. */
const reportOf = (
  groups: readonly string[],
  to: string,
) => `From: Mail Delivery System <mailer-daemon@mx.example>
To: <bounces+VERP@sender.example>
Content-Type: multipart/report; boundary="b1"

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

${groups.join('\n\n')}

--b1
Content-Type: text/rfc822-headers

To: ${to}
Subject: Training

--b1--
`
const failed = (address: string) => `Final-Recipient: rfc822; ${address}\nAction: failed\nStatus: 5.1.1`
const arrived = (address: string) => `Final-Recipient: rfc822; ${address}\nAction: delivered\nStatus: 2.0.0`
const many = (text: string, count: number) => Array.from({ length: count }, () => text)

test.each<[what: string, raw: string, gives: Gives]>([
  [
    'ours of two',
    reportOf([arrived('other@x.example'), failed('Me@x.example')], 'Me <me@x.example>'),
    'nobody',
  ],
  [
    'another of two',
    reportOf([failed('other@x.example'), arrived('me@x.example')], 'me@x.example'),
    'nothing',
  ],
  ['one of a list', reportOf([failed('a@x.example'), arrived('b@x.example')], 'list@y.example'), 'nothing'],
  ['all of a list', reportOf([failed('a@x.example'), failed('b@x.example')], 'list@y.example'), 'nobody'],
  ['far too many', reportOf(many(failed('a@x.example'), 20_000), 'a'.repeat(400_000)), 'nobody'],
  [
    'an address of a machine',
    reportOf([`Action: failed\nDiagnostic-Code: smtp; 5.1.1.1 said 4.97.1 5.1.2027`], 'x@y.example'),
    'nothing',
  ],
])('a report about %s', async (_what, raw, gives) => {
  const one = await taken()
  imap.put(raw.replaceAll('bounces+VERP@sender.example', one.returnPath).replaceAll('\n', '\r\n'))
  await readMailbox()
  expect(await became(one)).toBe(gives)
})

test('words that are made to be slow to read hold nobody up', async () => {
  const one = await taken()
  const slow = [
    'sender '.repeat(1_500),
    'a'.repeat(10_000),
    'user '.repeat(2_000),
    '5.1.'.repeat(2_500),
    '<@'.repeat(5_000),
  ]
  const began = performance.now()
  for (const words of slow)
    imap.put(`From: MAILER-DAEMON@mx.example\r\nTo: ${one.returnPath}\r\nSubject: x\r\n\r\n${words}\r\n`)
  await readMailbox()
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(await became(one)).toBe('nothing')
})

test('the tables name every sample', () => {
  const files = (folder: string) => readdirSync(new URL(`samples/${folder}`, import.meta.url)).toSorted()
  expect(Object.keys(bounces)).toEqual(files('bounces'))
  expect(Object.keys(webhooks)).toEqual(files('webhooks'))
})
