import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import {
  readMailServer,
  removeMailServer,
  sendTestMail,
  updateMailServer,
  type MailServerInput,
} from '#contract/identity/mail-server.ts'
import { forgotPassword } from '#contract/identity/auth.ts'
import { listOutbox, readConfig } from '#contract/platform/system.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { startMailWorker } from '../../platform/jobs/mail.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { identities } from '../../testing/sign-in/identities.ts'
import { aServer } from '../../testing/worlds.ts'
import { startSending, type SendingWorker } from '../../transmissions/sender/send.ts'

const server = await aServer()
const superadmin = await identities(server).somebody('superadmin')
const org = await server.organization()
const admin = await identities(server).somebody('admin', org)
const videoId = await addVideo(server, org)
const sending: SendingWorker = await startSending(server.services)
const running = [sending, await startMailWorker(server.services)]
afterAll(async () => {
  for (const one of running) await one.stop()
})

let received: { to: string; raw: string }[] = []
let servers: (SMTPServer | Server)[] = []
beforeEach(() => {
  received = []
})
afterEach(async () => {
  await server.services.db.system.query('delete from mail_server')
  for (const one of servers.splice(0))
    await new Promise<void>((resolve) => {
      one.close(() => resolve())
    })
})

/** A real mail server that wants this user and this password; its certificate is its own. Answers its port. */
async function mailServer(options: SMTPServerOptions = {}): Promise<number> {
  const smtp = new SMTPServer({
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'reel' && password === 'the right one'
        ? done(null, { user: username })
        : done(new Error('5.7.8 Wrong login')),
    onData(stream, { envelope }, done) {
      let raw = ''
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString()))
      stream.on('end', () => {
        received.push({ to: envelope.rcptTo[0]?.address ?? '', raw })
        done()
      })
    },
    ...options,
  })
  smtp.on('error', () => undefined)
  servers.push(smtp)
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  return (smtp.server.address() as AddressInfo).port
}

const set = (body: Partial<MailServerInput>) =>
  superadmin.call(updateMailServer, {
    body: {
      host: '127.0.0.1',
      port: 25,
      encryption: 'none',
      user: 'reel',
      password: 'the right one',
      senderName: 'Reel',
      senderAddress: 'reel@sender.test',
      ...body,
    },
  })
const trial = async () => (await superadmin.call(sendTestMail, { body: {} })).body

test('requires sign-in, and the role', async () => {
  for (const endpoint of [readMailServer, removeMailServer]) {
    expect((await server.call(endpoint)).status).toBe(401)
    expect((await admin.call(endpoint)).status).toBe(403)
  }
  expect((await admin.call(sendTestMail, { body: {} })).status).toBe(403)
})

test('without one, mails and transmissions rest in the outbox and nothing says that they left', async () => {
  expect((await server.call(readConfig)).body.outbox).toBe(true)
  expect((await superadmin.call(readMailServer)).body).toMatchObject({ setBy: 'nobody', server: null })
  expect(await trial()).toMatchObject({ result: 'no_server' })
  const id = await transmission('before')
  const { body } = await admin.call(readTransmission, { params: { transmissionId: id } })
  expect(body).toMatchObject({ state: 'completed', resting: 1, counts: { accepted: 1 } })
  const list = await admin.call(listDeliveries, { params: { transmissionId: id } })
  expect(list.body.items).toMatchObject([{ state: 'accepted', resting: true }])
})

test('one that is set in the console takes mails and transmissions at once, in processes that run already', async () => {
  const port = await mailServer()
  expect((await set({ port })).body).toMatchObject({ setBy: 'console', server: { port, hasPassword: true } })
  expect((await server.call(readConfig)).body.outbox).toBe(false)
  expect(await trial()).toMatchObject({ result: 'accepted', to: superadmin.email })
  const id = await transmission('after')
  const { body } = await admin.call(readTransmission, { params: { transmissionId: id } })
  expect(body).toMatchObject({ resting: 0, counts: { accepted: 1 } })
  const asked = await server.call(forgotPassword, { body: { identifier: admin.email } })
  expect(asked.body.rests).toBe(false)
  await expect.poll(() => received.map(({ to }) => to)).toContain(admin.email)
  expect(received[0]?.to).toBe(superadmin.email)
  expect(received.every(({ raw }) => /^From: Reel <reel@sender\.test>/m.test(raw))).toBe(true)
  const other = await mailServer()
  await set({ port: other })
  servers.shift()?.close()
  await server.call(forgotPassword, { body: { identifier: superadmin.email } })
  await expect.poll(() => received.filter(({ to }) => to === superadmin.email).length).toBe(2)
  await superadmin.call(removeMailServer)
  const again = await transmission('without')
  expect((await admin.call(readTransmission, { params: { transmissionId: again } })).body.resting).toBe(1)
})

test('says in a word why a test mail did not arrive', async () => {
  await set({ port: await mailServer(), password: 'a wrong one' })
  expect(await trial()).toMatchObject({ result: 'login_refused', answer: expect.stringContaining('535') })
  await set({ port: await mailServer(), encryption: 'starttls' })
  expect(await trial()).toMatchObject({ result: 'certificate' })
  await set({ port: await mailServer({ secure: true }), encryption: 'tls' })
  expect(await trial()).toMatchObject({ result: 'certificate' })
  await set({ port: await mailServer({ disabledCommands: ['STARTTLS'] }), encryption: 'starttls' })
  expect(await trial()).toMatchObject({ result: 'no_encryption' })
  await set({ port: 1 })
  expect(await trial()).toMatchObject({ result: 'no_connection', answer: null })
  await set({ host: 'mail.nowhere.invalid' })
  expect(await trial()).toMatchObject({ result: 'unknown_host' })
  const refuse = (text: string) => Object.assign(new Error(text), { responseCode: 550 })
  await set({ port: await mailServer({ onMailFrom: (_address, _session, done) => done(refuse('Not you')) }) })
  expect(await trial()).toMatchObject({ result: 'sender_refused' })
  await set({ port: await mailServer({ onRcptTo: (_address, _session, done) => done(refuse('Not here')) }) })
  expect(await trial()).toMatchObject({ result: 'recipient_refused' })
  expect(received).toEqual([])
})

test('tells nothing of what answers on a port that is no mail server', async () => {
  const listen = async (greeting: string) => {
    const other = createServer((socket) => {
      socket.on('error', () => undefined)
      if (greeting !== '') socket.end(greeting)
    })
    servers.push(other.listen(0, '127.0.0.1'))
    await once(other, 'listening')
    return (other.address() as AddressInfo).port
  }
  await set({ port: await listen('SSH-2.0-Secret_9.9\r\n') })
  expect(await trial()).toMatchObject({ result: 'no_mail_server', answer: null })
  expect((await set({ host: 'http://127.0.0.1/' })).problem?.fields).toHaveProperty('host')
})

test('keeps the password sealed, and sends it nowhere else than where it was given for', async () => {
  const port = await mailServer()
  const secret = 'the right one'
  await set({ port, password: secret })
  const answers = [await superadmin.call(readMailServer), await set({ port, password: undefined })]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(secret)
  for (const elsewhere of [
    { host: 'localhost' },
    { port: port + 1 },
    { user: 'another' },
    { encryption: 'tls' as const },
  ]) {
    const refused = await set({ port, password: undefined, ...elsewhere })
    expect(refused.problem?.fields).toEqual({ password: ['required'] })
  }
  const stored = await server.services.db.system.query<{ all: string; sealed: Buffer }>(
    `select mail_server::text as all, password_sealed as sealed from mail_server`,
  )
  expect(stored.rows[0]?.all).not.toContain(secret)
  expect(stored.rows[0]?.sealed.includes(secret)).toBe(false)
  const written = await server.services.db.system.query<{ action: string; all: string }>(
    `select action, before::text || after::text as all from audit where action like 'mail_server.%'`,
  )
  expect(written.rows.map(({ action }) => action)).toContain('mail_server.set')
  expect(JSON.stringify(written.rows)).not.toContain(secret)
})

test('the configuration of the installation wins, and is shown without its password', async () => {
  const port = await mailServer()
  const { env } = server.services
  env.smtpUrl = `smtp://reel:the%20right%20one@127.0.0.1:${port}?ignoreTLS=true`
  env.mailFrom = 'Operator <operator@sender.test>'
  try {
    const { body } = await superadmin.call(readMailServer)
    expect(body).toMatchObject({
      setBy: 'operator',
      server: { port, user: 'reel', senderName: 'Operator', senderAddress: 'operator@sender.test' },
    })
    expect(JSON.stringify(body)).not.toContain('right')
    expect((await set({ port: 1 })).status).toBe(409)
    expect(await trial()).toMatchObject({ result: 'accepted' })
  } finally {
    env.smtpUrl = undefined
  }
})

test('of two who set it at once, the second learns of the first', async () => {
  const port = await mailServer()
  const seen = await set({ port })
  const etag = String(seen.headers['etag'])
  const { body } = await superadmin.call(readMailServer)
  const { hasPassword: _known, ...input } = body.server ?? { hasPassword: false }
  const change = (senderName: string) =>
    superadmin.call(updateMailServer, {
      body: { ...(input as MailServerInput), senderName },
      headers: { 'if-match': etag },
    })
  expect((await change('One')).status).toBe(200)
  expect((await change('Two')).problem?.code).toBe('precondition_failed')
  expect((await superadmin.call(listOutbox)).status).toBe(200)
})

async function transmission(prefix: string): Promise<string> {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix })
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: org },
  })
  const params = { transmissionId: made.body.id }
  await expect
    .poll(async () => (await admin.call(readTransmission, { params })).body.state, { timeout: 30_000 })
    .toBe('completed')
  return made.body.id
}
