import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { listBarredAddresses } from '#contract/transmissions/barred-addresses.ts'
import {
  readMailReturns,
  removeMailReturns,
  testMailReturns,
  type MailReturnsInput,
} from '#contract/identity/mail-returns.ts'
import { sendTestMail } from '#contract/identity/mail-server.ts'
import { imapLogin, openImap, type ImapServer } from '../../testing/mail/imap.ts'
import { report, startMailbox, type Sent } from '../../testing/mail/mailbox.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'

const world = await startMailbox()
const { server, admin, superadmin, sink, mailbox, read, sent, stateOf } = world
let imap: ImapServer

afterAll(() => world.close())
beforeEach(async () => {
  await server.query('delete from mail_returns')
  await server.query('delete from attempts')
  imap = await openImap()
  return () => imap.close()
})

const set = (change: Partial<MailReturnsInput> = {}) => world.name(imap, change)

const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const complaint = (returnPath: string, type = 'abuse') =>
  crlf(`From: <feedback@isp.example.net>
To: <abuse@acme.org>
Subject: FW: A video for you
Message-ID: <${unique()}@isp.example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="=_b"

--=_b
Content-Type: text/plain

This is an email abuse report.
--=_b
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <${returnPath}>

--=_b
Content-Type: message/rfc822

From: reel@acme.org
Subject: A video for you

x
--=_b--
`)

test('what comes back is told at its transmission: for good, for now, and as unwanted', async () => {
  await set()
  const mails = await sent(5)
  const [gone, full, later, unwanted, fine] = mails as [Sent, Sent, Sent, Sent, Sent]
  for (const { returnPath } of mails) expect(returnPath).toMatch(/^bounce\+[0-9a-f]{48}@acme\.org$/)
  expect(new Set(mails.map(({ returnPath }) => returnPath)).size).toBe(5)
  imap.put(report(gone.returnPath.toUpperCase()))
  imap.put(report(full.returnPath, { status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 Mailbox full' }))
  imap.put(
    report(later.returnPath, { action: 'delayed', status: '4.4.1', diagnostic: 'smtp; 450 4.4.1 Later' }),
  )
  imap.put(complaint(unwanted.returnPath))
  imap.put(complaint(fine.returnPath, 'not-spam'))
  expect(await read(5)).toMatchObject({ taken: 4, leftAlone: 1, fault: null })
  expect(await Promise.all(mails.map(stateOf))).toEqual([
    ['bounced', 'smtp; 550 5.1.1 No such user here'],
    ['bounced', 'smtp; 552 5.2.2 Mailbox full'],
    ['accepted', ''],
    ['accepted', ''],
    ['accepted', ''],
  ])
  const { items } = (
    await admin.call(listBarredAddresses, { params: { orgId: world.org }, query: { limit: 100 } })
  ).body
  const barred = new Map(items.map(({ address, reason }) => [address, reason]))
  expect(mails.map(({ email }) => barred.get(email))).toEqual([
    'no_such_mailbox',
    undefined,
    undefined,
    'complained',
    undefined,
  ])
  // What was understood is marked as read; nothing is deleted or moved.
  expect(imap.messages.map(({ flags }) => [...flags])).toEqual([
    ['\\Seen'],
    ['\\Seen'],
    ['\\Seen'],
    ['\\Seen'],
    [],
  ])
  expect(imap.said.filter((said) => /EXPUNGE|MOVE|COPY|Deleted|DELETE/.test(said))).toEqual([])
})

test('nobody makes a mail come back that they did not get, and what is not understood is left alone', async () => {
  await set()
  const [one, other] = (await sent(2)) as [Sent, Sent]
  const forged = one.returnPath.replace(/\+(.{32})/, `+${other.id.replaceAll('-', '')}`)
  const answers = crlf(`From: a@example.net
To: ${one.returnPath}
Subject: Out of office
MIME-Version: 1.0
Content-Type: text/plain

Action: failed
Status: 5.1.1
`)
  imap.put(report(forged))
  imap.put(report('bounce@acme.org'))
  imap.put(report(`bounce+${'0'.repeat(48)}@acme.org`))
  imap.put(answers)
  imap.put(report(one.returnPath, { action: 'expanded' }))
  imap.put('')
  expect(await read(6)).toMatchObject({ taken: 0, leftAlone: 6 })
  expect([await stateOf(one), await stateOf(other)]).toEqual([
    ['accepted', ''],
    ['accepted', ''],
  ])
  expect(imap.messages.every(({ flags }) => flags.size === 0)).toBe(true)
})

test('hostile messages are read no further than they may, and do not stop those behind them', async () => {
  await set()
  const [one, large] = (await sent(2)) as [Sent, Sent]
  const nested = Array.from(
    { length: 2_000 },
    (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`,
  )
  imap.put(`To: ${one.returnPath}\r\n${nested.join('')}`)
  imap.put(`To: ${one.returnPath}\r\nX: ${'a'.repeat(400_000)}\r\n\r\nx`)
  imap.put(`To: ${one.returnPath}\r\nContent-Type: multipart/report; boundary=\r\n\r\n--\r\n\0\0`)
  imap.put(Buffer.from(Array.from({ length: 5_000 }, (_, n) => n % 256)))
  imap.put(report(one.returnPath, { status: '9.9.9', diagnostic: `smtp; \u0007${'x'.repeat(5_000)} 5.1.1` }))
  imap.put(`${report(large.returnPath)}${'y'.repeat(3_000_000)}`)
  expect(await read(6)).toMatchObject({ leftAlone: 4, taken: 2, fault: null })
  expect((await stateOf(large))[0]).toBe('bounced')
  expect((await stateOf(one))[0]).toBe('accepted')
  const parts = imap.said.filter((said) => said.startsWith('UID FETCH'))
  expect(parts.every((said) => said.includes('BODY.PEEK[]<0.1000000>'))).toBe(true)
})

test('each message is taken once: after a broken line, and in a folder that was made anew', async () => {
  await set()
  const mails = await sent(3)
  for (const { returnPath } of mails) imap.put(report(returnPath))
  // In the middle of it.
  imap.breakAfter = 7
  await world.wake()
  await until(async () => (await mailbox())?.fault === 'broken_off', 20)
  imap.breakAfter = Infinity
  expect(await read(3)).toMatchObject({ taken: 3, fault: null })
  imap.makeAnew()
  const [first] = mails as [Sent]
  imap.put(report(first.returnPath))
  expect(await read(7)).toMatchObject({ taken: 7 })
  expect((await Promise.all(mails.map(stateOf))).map(([state]) => state)).toEqual([
    'bounced',
    'bounced',
    'bounced',
  ])
  const rows = await server.query(
    `select from delivery_events where source = 'mailbox' and transmission_id = $1`,
    [first.transmissionId],
  )
  expect(rows).toHaveLength(4)
})

test('a test mail has such a return path too, so that a mail server that refuses it is found', async () => {
  await set()
  expect((await superadmin.call(sendTestMail, { body: {} })).body.result).toBe('accepted')
  const mail = sink.received.find(({ to }) => to === superadmin.email)
  expect(mail?.from).toMatch(/^bounce\+[0-9a-f]{48}@acme\.org$/)
  imap.put(report(mail?.from ?? ''))
  expect(await read(1)).toMatchObject({ fault: null })
})

test('messages from before the mailbox was named are not looked at', async () => {
  const [one] = (await sent(1)) as [Sent]
  expect(one.returnPath).toBe('reel@acme.org')
  imap.put(report('bounce@acme.org'), new Date('2020-01-01T00:00:00Z'))
  imap.put(report('bounce@acme.org'))
  await set()
  expect(await read(1)).toMatchObject({ leftAlone: 1 })
})

test('a report that is faster than our own note of the mail waits in the mailbox', async () => {
  await set()
  const [one] = (await sent(1)) as [Sent]
  const { db } = server.services
  const change = (state: string) =>
    db.system.query(
      "update deliveries set state = $2, lease_until = now() + interval '1 hour' where id = $1",
      [one.id, state],
    )
  await db.system.query('update deliveries set lease_token = uuidv7() where id = $1', [one.id])
  imap.put(report(one.returnPath))
  // Held by a worker that is alive: the sender of this test, whose leases nobody takes.
  await db.system.query(`update transmissions set state = 'sending' where id = $1`, [one.transmissionId])
  await change('sending')
  await world.wake()
  await until(async () => imap.said.some((said) => said.startsWith('UID FETCH')), 20)
  await until(async () => (await stateOf(one))[0] !== 'sending', 20)
  expect(await read(1)).toMatchObject({ taken: 1 })
  expect((await stateOf(one))[0]).toBe('bounced')
})

test('a test says in a word why the mailbox cannot be read, and changes nothing in it', async () => {
  imap.put(report('bounce@acme.org'))
  const trial = async () => (await superadmin.call(testMailReturns, { body: {} })).body
  expect((await superadmin.call(testMailReturns, { body: {} })).status).toBe(409)
  await set()
  expect(await trial()).toEqual({ fault: null, messages: 1 })
  await set({ folder: 'Nowhere' })
  expect(await trial()).toEqual({ fault: 'no_folder', messages: null })
  await set({ password: 'wrong' })
  expect(await trial()).toEqual({ fault: 'login_refused', messages: null })
  await set({ encryption: 'starttls' })
  expect((await trial()).fault).toBe('no_encryption')
  await set({ encryption: 'tls' })
  expect((await trial()).fault).toBe('no_encryption')
  const unknown = new SMTPServer({ secure: true })
  unknown.on('error', () => undefined)
  unknown.listen(0, '127.0.0.1')
  await once(unknown.server, 'listening')
  await set({ encryption: 'tls', port: (unknown.server.address() as AddressInfo).port })
  expect((await trial()).fault).toBe('certificate')
  await new Promise<void>((resolve) => {
    unknown.close(() => resolve())
  })
  await set({ port: 1 })
  expect((await trial()).fault).toBe('no_connection')
  await set({ host: 'nowhere.invalid' })
  expect((await trial()).fault).toBe('unknown_host')
  const other = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('SSH-2.0-Secret_9.9\r\n')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  await set({ port: (other.address() as AddressInfo).port })
  const strange = await trial()
  other.close()
  expect(strange.fault).toBe('no_mailbox_server')
  expect(JSON.stringify(strange)).not.toContain('Secret')
  expect(imap.said.filter((said) => /STORE/.test(said))).toEqual([])
})

test('the password is kept sealed, and goes nowhere else than where it was given for', async () => {
  const { body } = await set()
  expect(body.mailbox).toMatchObject({ hasPassword: true, address: 'bounce@acme.org' })
  expect((await set({ password: undefined, folder: 'Returns' })).status).toBe(200)
  for (const elsewhere of [
    { host: 'localhost' },
    { port: 1 },
    { user: 'other' },
    { encryption: 'tls' as const },
  ])
    expect((await set({ password: undefined, ...elsewhere })).problem?.fields).toEqual({
      password: ['required'],
    })
  expect((await set({ address: 'a-name-that-is-too-long@acme.org' })).status).toBe(422)
  const { db } = server.services
  const stored = JSON.stringify([
    (await superadmin.call(readMailReturns)).body,
    (await db.system.query('select mail_returns::text from mail_returns')).rows,
    (await db.system.query(`select before, after from audit where action like 'mail_returns.%'`)).rows,
  ])
  expect(stored).not.toContain(imapLogin.password)
  expect((await admin.call(readMailReturns)).status).toBe(403)
  expect((await superadmin.call(removeMailReturns)).body.mailbox).toBeNull()
  const [one] = (await sent(1)) as [Sent]
  expect(one.returnPath).toBe('reel@acme.org')
})
