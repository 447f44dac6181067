import { afterAll, expect, test } from 'vitest'
import {
  checkMailSigning,
  readMailSigning,
  updateMailSigning,
  type MailSigningInput,
} from '#contract/identity/mail-signing.ts'
import { sendTestMail } from '#contract/identity/mail-server.ts'
import { queueMail, startMailWorker } from '../../platform/jobs/mail.ts'
import { keysOf } from '../../platform/keys.ts'
import { settleSecret } from '../../secret/settle.ts'
import { verifyDkim } from '../../testing/mail/dkim.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { secret, startTestServer } from '../../testing/server.ts'
import { openSink } from '../../testing/mail/sink.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'

const sink = await openSink()
const names = await openNameServer()
const server = await startTestServer({
  SMTP_URL: sink.url,
  MAIL_FROM: 'Reel <reel@news.acme.org>',
  DNS_SERVER: names.address,
})
const superadmin = await server.person('superadmin')
const worker = await startMailWorker(server.services)
afterAll(async () => {
  await worker.stop()
  await server.close()
  await sink.close()
  await names.close()
})

const input: MailSigningInput = { domain: 'acme.org', selector: 'reel1', isOn: true }
const set = (change: Partial<MailSigningInput> = {}) =>
  superadmin.call(updateMailSigning, { body: { ...input, ...change } })

/** The DNS as whoever administers it leaves it: the record as the console shows it. */
async function publish(): Promise<void> {
  const { signing } = (await superadmin.call(readMailSigning)).body
  names.zone = signing ? { [signing.record.name]: [signing.record.value] } : {}
}

async function received(): Promise<string> {
  const address = `${unique()}@example.test`
  const mail = {
    organizationId: null,
    address,
    subject: 'Grüße aus der Schulung, die länger als eine Zeile sind und noch ein wenig weiter gehen',
    text: 'One line  with spaces \n\n.hidden dot\n\n\n',
    html: '<p>One line</p>',
    headers: {
      'List-Unsubscribe': '<https://reel.acme.org/api/report-schedules/1/unsubscribe?token=abc>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
  await server.services.db.as('system', (tx) => queueMail(server.services, tx, mail))
  await until(async () => sink.received.some(({ to }) => to === address), 10)
  // As it was before it left: a dot at the beginning of a line is told twice on its way.
  return (sink.received.find(({ to }) => to === address)?.raw ?? '').replaceAll('\r\n..', '\r\n.')
}

const keyOf = (name: string) => names.zone[name]?.[0]

test('a signed mail is found genuine, also by the two fields with which one unsubscribes', async () => {
  expect((await set()).body.signing).toMatchObject(input)
  await publish()
  const raw = await received()
  expect(verifyDkim(raw, keyOf)).toMatchObject({
    isGenuine: true,
    domain: 'acme.org',
    selector: 'reel1',
    covers: expect.arrayContaining(['from', 'to', 'subject', 'list-unsubscribe', 'list-unsubscribe-post']),
  })
  const forged = [
    raw.replace('token=abc', 'token=abd'),
    raw.replace('One-Click', 'Two-Click'),
    raw.replace('From: Reel', 'From: Peel'),
    raw.replace('<p>One', '<p>Two'),
  ]
  for (const one of forged) {
    expect(one).not.toBe(raw)
    expect(verifyDkim(one, keyOf).isGenuine).toBe(false)
  }
})

test('the test mail is signed too, so that a mailbox elsewhere shows whether all is well', async () => {
  await set()
  await publish()
  expect((await superadmin.call(sendTestMail, { body: {} })).body.result).toBe('accepted')
  const { raw = '' } = sink.received.find(({ to }) => to === superadmin.email) ?? {}
  expect(verifyDkim(raw.replaceAll('\r\n..', '\r\n.'), keyOf)).toMatchObject({
    isGenuine: true,
    domain: 'acme.org',
  })
})

test('whether the record is there is asked now, of the DNS', async () => {
  await set()
  await publish()
  expect((await superadmin.call(checkMailSigning, { body: {} })).body.dkim).toBe('there')
  names.zone = { 'reel1._domainkey.acme.org': ['v=DKIM1; k=rsa; p=AAAA'] }
  expect((await superadmin.call(checkMailSigning, { body: {} })).body.dkim).toBe('other')
  names.zone = {}
  expect((await superadmin.call(checkMailSigning, { body: {} })).body.dkim).toBe('missing')
})

test('another selector is another key; switched off, mails leave unsigned', async () => {
  const one = (await set()).body.signing?.record
  expect((await set({ domain: 'news.acme.org' })).body.signing?.record.value).toBe(one?.value)
  const other = (await set({ selector: 'reel2' })).body.signing?.record
  expect(other?.name).toBe('reel2._domainkey.acme.org')
  expect(other?.value).not.toBe(one?.value)
  await publish()
  expect(verifyDkim(await received(), keyOf)).toMatchObject({ isGenuine: true, selector: 'reel2' })
  await set({ selector: 'reel2', isOn: false })
  expect(await received()).not.toMatch(/DKIM-Signature/i)
})

test('the key is kept sealed, told to nobody, and outlives a change of the secret', async () => {
  await set({ selector: `s${unique()}`.slice(0, 20) })
  await publish()
  const { db } = server.services
  const logged = JSON.stringify([
    (await superadmin.call(readMailSigning)).body,
    (await db.system.query(`select mail_signing::text from mail_signing`)).rows,
    (await db.system.query(`select before, after from audit where action = 'mail_signing.set'`)).rows,
  ])
  expect(logged).not.toContain('PRIVATE KEY')
  const before = keysOf(secret)
  const { keys } = server.services
  try {
    const changed = keysOf('another secret that only tests know', secret)
    await settleSecret(db, changed)
    const sealed = await db.system.query<{ sealed: Buffer }>('select key_sealed as sealed from mail_signing')
    const bytes = sealed.rows[0]?.sealed ?? Buffer.alloc(0)
    expect(() => before.open('mail-signing', bytes, 'mail_signing')).toThrow(
      'not sealed by this installation',
    )
    expect(changed.open('mail-signing', bytes, 'mail_signing')).toContain('PRIVATE KEY')
    await settleSecret(db, keysOf(secret, 'another secret that only tests know'))
  } finally {
    server.services.keys = keys
  }
  expect(verifyDkim(await received(), keyOf).isGenuine).toBe(true)
})

test('takes no name that is none, and of two changes at once the second learns of the first', async () => {
  for (const wrong of [
    { domain: 'acme' },
    { domain: 'acme.org; p=x' },
    { selector: 'a b' },
    { selector: '' },
  ])
    expect((await set(wrong)).status, JSON.stringify(wrong)).toBe(422)
  const etag = String((await superadmin.call(readMailSigning)).headers['etag'])
  const change = (selector: string) =>
    superadmin.call(updateMailSigning, { body: { ...input, selector }, headers: { 'if-match': etag } })
  expect((await change('first')).status).toBe(200)
  expect((await change('second')).problem?.code).toBe('precondition_failed')
})
