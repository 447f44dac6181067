import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { forgotPassword } from '#contract/identity/auth.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { identities } from '../../testing/sign-in/identities.ts'
import { startTestServer } from '../../testing/server.ts'
import { currentMailServer } from './mail-server.ts'
import { queueMail, startMailWorker } from './mail.ts'
import { dial } from './smtp.ts'

type Received = { to: string[]; message: string }
/** What the mail server does with the next message: undefined takes it. */
type Verdict = (to: string) => { code: number; when: 'rcpt' | 'data' } | 'hang up' | undefined

let received: Received[]
let verdict: Verdict

afterAll(async () => {
  await worker.stop()
  await server.close()
  await closed()
})
beforeEach(() => {
  received = []
  verdict = () => undefined
})

const closed = () => new Promise<void>((resolve) => smtp.close(() => resolve()))

const refusal = (code: number) => Object.assign(new Error('not now'), { responseCode: code })

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo: ({ address }, _session, done) => {
    const said = verdict(address)
    done(said !== 'hang up' && said?.when === 'rcpt' ? refusal(said.code) : null)
  },
  onData: receive,
})
smtp.on('error', () => undefined)
smtp.listen(0, '127.0.0.1')
await once(smtp.server, 'listening')
const { port } = smtp.server.address() as AddressInfo
const server = await startTestServer({
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  MAIL_FROM: 'Reel <reel@sender.test>',
})
const worker = await startMailWorker(server.services)

function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  done: (error?: Error | null) => void,
): void {
  const to = session.envelope.rcptTo.map(({ address }) => address)
  const said = verdict(to[0] ?? '')
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => {
    if (said === 'hang up') {
      for (const connection of smtp.connections) connection._socket.destroy()
      return
    }
    if (said) return done(refusal(said.code))
    received.push({ to, message: Buffer.concat(chunks).toString() })
    done()
  })
}

async function queue(address: string): Promise<void> {
  const mail = { organizationId: null, address, subject: 'Grüße', text: 'One line' }
  await server.services.db.as('system', (tx) => queueMail(server.services, tx, mail))
}

type State = { state: string; attempt: number; error: string | null; wait: number }
async function stateOf(address: string): Promise<State | undefined> {
  const found = await server.services.db.system.query<State>(
    `select state, attempt, last_error as error, round(extract(epoch from due_at - now()))::int as wait from mails where address = $1`,
    [address],
  )
  return found.rows[0]
}
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 50 })

test('a mailed code arrives through a mail server', async () => {
  const person = await identities(server).somebody()
  await server.call(forgotPassword, { body: { identifier: person.email } })
  await until(() => expect(received).toHaveLength(1))
  const [mail] = received
  expect(mail?.to).toEqual([person.email])
  expect(mail?.message).toMatch(/^From: Reel <reel@sender\.test>$/m)
  expect(mail?.message).toMatch(/^Auto-Submitted: auto-generated/m)
  expect(mail?.message).toMatch(/^ {4}\d{6}\r?$/m)
  expect(mail?.message).toContain('Content-Type: text/html')
  await until(async () => expect(await stateOf(person.email)).toMatchObject({ state: 'sent', attempt: 1 }))
  const superadmin = await server.person('superadmin')
  expect((await superadmin.call(listOutbox)).body.items).toEqual([])
})

test('files and headers of a mail arrive, and the files are not kept once it has left', async () => {
  const content = Buffer.from('Name,Viewers\r\nFire drill,3\r\n')
  const mail = {
    organizationId: null,
    address: 'files@example.test',
    subject: 'Report',
    text: 'See the file',
    headers: { 'List-Unsubscribe': '<https://reel.test/stop>' },
    attachments: [{ name: 'report.csv', type: 'text/csv; charset=utf-8', content }],
  }
  await server.services.db.as('system', (tx) => queueMail(server.services, tx, mail))
  await until(() => expect(received).toHaveLength(1))
  const message = received[0]?.message ?? ''
  expect(message).toMatch(/^List-Unsubscribe: <https:\/\/reel\.test\/stop>/m)
  expect(message).toMatch(/^Content-Disposition: attachment; filename=report\.csv/m)
  expect(message).toMatch(/Viewers|TmFtZSxWaWV3ZXJz/)
  await until(async () => expect(await stateOf(mail.address)).toMatchObject({ state: 'sent' }))
  const left = await server.services.db.system.query('select 1 from mail_attachments')
  expect(left.rows).toEqual([])
})

test('what has left, or is given up, is not kept; what waits for another try is', async () => {
  const codes: Record<string, number> = { 'refused@example.test': 550, 'waits@example.test': 451 }
  verdict = (to) => (codes[to] === undefined ? undefined : { code: codes[to], when: 'data' })
  const stored = async (address: string) =>
    (
      await server.services.db.system.query<{ state: string; text: string; html: string | null }>(
        'select state, text, html from mails where address = $1',
        [address],
      )
    ).rows
  const html = '<p>One line</p>'
  for (const address of ['left@example.test', ...Object.keys(codes)]) {
    const mail = { organizationId: null, address, subject: 'Grüße', text: 'One line', html }
    await server.services.db.as('system', (tx) => queueMail(server.services, tx, mail))
  }
  const gone = { text: '', html: null }
  await until(async () => expect(await stored('left@example.test')).toEqual([{ state: 'sent', ...gone }]))
  await until(async () =>
    expect(await stored('refused@example.test')).toEqual([{ state: 'failed', ...gone }]),
  )
  await until(async () => expect(await stateOf('waits@example.test')).toMatchObject({ attempt: 1 }))
  const waiting = { state: 'queued', text: 'One line', html }
  await until(async () => expect(await stored('waits@example.test')).toEqual([waiting]))
  // Its next try would come in the middle of another test.
  await server.services.db.system.query(`delete from mails where address = 'waits@example.test'`)
})

test('what the server cannot take now is tried again later, the rest goes out', async () => {
  let busy = true
  verdict = (to) => (busy && to === 'busy@example.test' ? { code: 451, when: 'data' } : undefined)
  await queue('busy@example.test')
  await queue('fine@example.test')
  await until(async () =>
    expect(await stateOf('busy@example.test')).toMatchObject({ state: 'queued', attempt: 1 }),
  )
  expect((await stateOf('busy@example.test'))?.wait).toBeGreaterThan(50)
  await until(() => expect(received.map(({ to }) => to[0])).toEqual(['fine@example.test']))
  busy = false
  await server.services.db.system.query('update mails set due_at = now()')
  await server.services.jobs.wake('mail.send', {})
  await until(async () =>
    expect(await stateOf('busy@example.test')).toMatchObject({ state: 'sent', attempt: 2 }),
  )
})

test('a mail that cannot be put together is given up, and those behind it leave', async () => {
  await server.services.db.system.query(
    `insert into mails (address, subject, text, headers, state, due_at)
      values ('odd@example.test', 's', 't', '{"X-Count": 7}', 'queued', now() - interval '1 minute'), ('fine@example.test', 's', 't', null, 'queued', now())`,
  )
  await server.services.jobs.wake('mail.send', {})
  await until(() => expect(received.map(({ to }) => to[0])).toEqual(['fine@example.test']))
  const error = 'It could not be put together.'
  await until(async () => expect(await stateOf('odd@example.test')).toMatchObject({ state: 'failed', error }))
})

test('what the server refuses for good, or what is a day old, is given up', async () => {
  verdict = (to) => ({ code: to === 'gone@example.test' ? 550 : 450, when: 'rcpt' })
  await queue('gone@example.test')
  await until(async () => expect(await stateOf('gone@example.test')).toMatchObject({ state: 'failed' }))
  await server.services.db.system.query(
    `insert into mails (address, subject, text, state, created_at) values ('old@example.test', 's', 't', 'queued', now() - interval '25 hours')`,
  )
  await server.services.jobs.wake('mail.send', {})
  await until(async () => expect(await stateOf('old@example.test')).toMatchObject({ state: 'failed' }))
})

test('a connection that breaks after the message left means that nobody knows: it is never sent again', async () => {
  verdict = () => 'hang up'
  await queue('maybe@example.test')
  await until(async () => expect(await stateOf('maybe@example.test')).toMatchObject({ state: 'failed' }))
  expect(received).toEqual([])
})

test('a mail that was leaving when its process died is not sent twice', async () => {
  await server.services.db.system.query(
    `insert into mails (address, subject, text, state, due_at) values ('cut@example.test', 's', 't', 'sending', now() - interval '1 second')`,
  )
  await server.services.jobs.wake('mail.send', {})
  await until(async () => expect(await stateOf('cut@example.test')).toMatchObject({ state: 'failed' }))
  expect(received).toEqual([])
})

test('the caller may mark the hand-over before the message counts, and stop it there', async () => {
  const { db, env, keys } = server.services
  const setting = await db.as('system', (tx) => currentMailServer(tx, { env, keys }))
  const mailServer = setting && dial(setting)
  const to = { name: '', address: 'mark@example.test' }
  const mail = { id: 'marked', to, subject: 's', text: 't', html: null }
  const failing = () => Promise.reject(new Error('the mark was not written'))
  expect(await mailServer?.send(mail, failing)).toEqual({ kind: 'withheld' })
  expect(received).toEqual([])
  const marks: number[] = []
  const marking = async () => marks.push(received.length) > 0
  expect(await mailServer?.send(mail, marking)).toMatchObject({ kind: 'accepted' })
  expect([marks, received.length]).toEqual([[0], 1])
  mailServer?.close()
})

test('a mail server that is away keeps everything queued', async () => {
  await closed()
  await queue('later@example.test')
  await until(async () =>
    expect(await stateOf('later@example.test')).toMatchObject({ state: 'queued', attempt: 1 }),
  )
})
