import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeOrganizationState, updateOrganizationSettings } from '#contract/directory/organizations.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import {
  changeTransmission,
  createTransmission,
  deliveryStates,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { openSink, type Sink } from '../../testing/mail/sink.ts'
import { anOrganization } from '../../testing/worlds.ts'
import { startSending, type SendingWorker } from './send.ts'

let server: TestServer
let sink: Sink
let org: string
let admin: Person
let videoId: string
const workers: SendingWorker[] = []

beforeEach(async () => {
  sink = await openSink()
  server = await startTestServer({ SMTP_URL: sink.url, MAIL_FROM: 'Training <training@acme.test>' })
  ;({ orgId: org, admin } = await anOrganization(server))
  videoId = await addVideo(server, org)
})
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop()
  await server.close()
  await sink.close()
})

const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
const work = async () => workers.push(await startSending(server.services))
const read = async (id: string) =>
  (await admin.call(readTransmission, { params: { transmissionId: id } })).body

async function sendTo(count: number): Promise<Transmission> {
  const userIds = await addPeople(server, org, { count })
  const made = await admin.call(createTransmission, {
    body: { body: 'Please watch.', videoId, accountId: org, audience: { userIds } },
  })
  expect(made.status).toBe(201)
  return made.body
}

async function until(id: string, reached: (transmission: Transmission) => boolean): Promise<Transmission> {
  for (const began = Date.now(); Date.now() - began < 20_000; await pause(40)) {
    const transmission = await read(id)
    const sum = deliveryStates.reduce((total, state) => total + transmission.counts[state], 0)
    expect(sum).toBe(transmission.audienceTotal)
    if (reached(transmission)) return transmission
  }
  throw new Error(`not reached: ${JSON.stringify(await read(id))}`)
}
/** For good: a rate with a higher ceiling climbs as soon as a worker starts. */
const limitLane = ({ rate, burst }: { rate: number; burst: number }) =>
  server.services.db.system.query('update send_lanes set rate = $1, ceiling = $1, burst = $2, tokens = $2', [
    rate,
    burst,
  ])
const completed = (transmission: Transmission) => transmission.state === 'completed'

test('hands each mail once to a real mail server, also with two workers', async () => {
  const seen: string[] = []
  const real = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      let raw = ''
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString()))
      stream.on('end', () => {
        seen.push(raw)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => {
    real.listen(0, '127.0.0.1', resolve)
  })
  server.services.env.smtpUrl = `smtp://127.0.0.1:${(real.server.address() as AddressInfo).port}?ignoreTLS=true`
  await work()
  await work()
  const { id } = await sendTo(300)
  const done = await until(id, completed)
  expect(done.counts).toMatchObject({ accepted: 300, unknown: 0, sending: 0 })
  const ids = seen.map((raw) => /^Message-ID: <([0-9a-f-]{36})@acme\.test>/im.exec(raw)?.[1])
  expect(new Set(ids).size).toBe(300)
  expect(seen).toHaveLength(300)
  expect(seen[0]).toMatch(new RegExp(`^X-Delivery-Id: ${ids[0]}`, 'im'))
  expect(seen[0]).toContain('multipart/alternative')
  const attempts = await server.services.db.system.query(
    'select 1 from delivery_attempts where transmission_id = $1',
    [id],
  )
  expect(attempts.rowCount).toBe(300)
  for (const worker of workers.splice(0)) await worker.stop()
  await new Promise<void>((resolve) => {
    real.close(resolve)
  })
})

test('lines that people slip into names, subjects and messages stay what they are: text of one mail', async () => {
  const [id = ''] = await addPeople(server, org, { count: 1 })
  const slip = 'A\r\nBcc: spy@evil.test\r\nX-Slipped: 1\r\n\r\nbody'
  await server.query('update users set name = $2 where id = $1', [id, slip])
  const audience = { userIds: [id] }
  const message = `Watch.\r\n.\r\nMAIL FROM:<spy@evil.test>\r\n${slip}`
  const body = { body: message, videoId, accountId: org, audience }
  const refused = await admin.call(createTransmission, { body: { ...body, subject: slip } })
  expect(refused.problem?.fields).toEqual({ subject: ['hidden_characters'] })
  const made = await admin.call(createTransmission, { body })
  expect(made.status).toBe(201)
  // As if it had come in by a door that nobody thought of.
  await server.query('update transmissions set subject = $2 where id = $1', [made.body.id, slip])
  await work()
  await until(made.body.id, completed)
  const [mail, ...more] = sink.received
  expect([mail?.to, more]).toEqual(['guest-1@example.test', []])
  const [head = ''] = mail?.raw.split('\r\n\r\n') ?? []
  expect(head).toMatch(/^Subject: /m)
  expect(head).not.toMatch(/^(?:Bcc|X-Slipped):/im)
  expect(mail?.raw).not.toMatch(/^\.$/m)
})

test('a pause takes effect at once, resuming loses nobody', async () => {
  sink.options.delayMs = () => 10
  await work()
  const { id } = await sendTo(400)
  const going = await until(id, ({ counts }) => counts.accepted > 20)
  const act = (action: 'pause' | 'resume', version: number) =>
    admin.call(changeTransmission, { params: { transmissionId: id }, body: { action, version } })
  const paused = await act('pause', going.version)
  expect(paused.body.state).toBe('paused')
  await pause(500)
  const still = sink.received.length
  expect(still).toBeLessThan(350)
  await pause(400)
  expect(sink.received).toHaveLength(still)
  expect((await read(id)).counts.sending).toBe(0)
  expect((await act('resume', going.version)).problem).toMatchObject({
    status: 409,
    detail: expect.stringContaining('is “Paused” now'),
  })
  await act('resume', paused.body.version)
  expect((await until(id, completed)).counts.accepted).toBe(400)
  expect(new Set(sink.received.map((mail) => mail.messageId)).size).toBe(400)
  expect(sink.received).toHaveLength(400)
})

test('cancelling stops what has not left, and names everybody', async () => {
  sink.options.delayMs = () => 10
  await work()
  const { id } = await sendTo(300)
  const going = await until(id, ({ counts }) => counts.accepted > 10)
  await admin.call(changeTransmission, {
    params: { transmissionId: id },
    body: { action: 'cancel', version: going.version },
  })
  const ended = await until(id, ({ counts }) => counts.sending + counts.queued === 0)
  expect(ended.state).toBe('cancelled')
  expect(ended.counts.accepted).toBe(sink.received.length)
  expect(ended.counts.cancelled + ended.counts.accepted).toBe(300)
})

test('tells refusals, delays and uncertain ones apart', async () => {
  sink.options.reply = (step, to) => {
    if (step === 'rcpt' && to === 'guest-1@example.test') return '550 5.1.1 no such mailbox'
    if (step === 'rcpt' && to === 'guest-2@example.test') return '451 4.3.0 later'
    if (step === 'body' && to === 'guest-3@example.test') return '554 5.7.1 spam'
    return undefined
  }
  await work()
  const { id } = await sendTo(4)
  const settled = await until(
    id,
    ({ counts }) => counts.rejected === 2 && counts.deferred === 1 && counts.accepted === 1,
  )
  expect(settled.state).toBe('sending')
  const { items } = (await admin.call(listDeliveries, { params: { transmissionId: id } })).body
  expect(items.map((one) => one.state)).toEqual(['rejected', 'deferred', 'rejected', 'accepted'])
  expect(items[0]?.reason).toContain('no such mailbox')
  const { system } = server.services.db
  const suppressed = await system.query('select address from suppressions where organization_id = $1', [org])
  expect(suppressed.rows).toEqual([{ address: 'guest-1@example.test' }])
  const due = await system.query<{ s: number }>(
    `select extract(epoch from due_at - now())::float8 as s from deliveries where state = 'deferred'`,
  )
  expect(due.rows[0]?.s).toBeGreaterThan(40)
  expect(due.rows[0]?.s).toBeLessThan(73)
  await system.query(`update deliveries set due_at = now() where state = 'deferred'`)
  sink.options.reply = () => undefined
  expect((await until(id, completed)).counts).toMatchObject({ accepted: 2, rejected: 2 })
})

test('does not send again what may have arrived', async () => {
  let dropped = 0
  sink.options.drop = (step) => step === 'afterData' && (dropped += 1) <= 2
  await work()
  const { id } = await sendTo(20)
  const done = await until(id, completed)
  expect(done.counts).toMatchObject({ accepted: 18, unknown: 2 })
  expect(sink.received).toHaveLength(20)
})

test('a throttling mail server gets half the rate, and nobody loses an attempt', async () => {
  let refused = 0
  sink.options.reply = (step) => (step === 'mail' && (refused += 1) <= 3 ? '454 4.7.0 too fast' : undefined)
  await work()
  const { id } = await sendTo(30)
  const done = await until(id, completed)
  expect(done.counts.accepted).toBe(30)
  const attempts = await server.query('select distinct n from delivery_attempts where transmission_id = $1', [
    id,
  ])
  expect(attempts).toEqual([{ n: 1 }])
  const lane = await server.query<{ rate: number }>('select rate from send_lanes')
  expect(lane[0]?.rate).toBe(500)
})

test('never sends faster than the lane allows', async () => {
  const [rate, burst, count] = [50, 10, 100]
  await limitLane({ rate, burst })
  await work()
  const { id } = await sendTo(count)
  await until(id, completed)
  // By the clock of the bucket itself: what was not in the bucket at first has flowed in between the first and the last claim.
  const claims = await server.query<{ s: number }>(
    `select extract(epoch from l.refilled_at - t.prepared_at)::float8 as s from send_lanes l, transmissions t where t.id = $1`,
    [id],
  )
  // The instant of a claim is kept in whole milliseconds.
  expect(claims[0]?.s).toBeGreaterThan((count - burst) / rate - 0.05)
})

test('pauses by itself when too many are refused', async () => {
  sink.options.reply = (step) => (step === 'rcpt' ? '550 5.7.1 not from you' : undefined)
  // A claim takes at most 60, and the verdict falls with the batch that brings the 41st refusal: at most 100 are gone by then.
  await limitLane({ rate: 50, burst: 60 })
  await work()
  const { id } = await sendTo(150)
  const paused = await until(id, ({ state, counts }) => state === 'paused' && counts.sending === 0)
  expect(paused.reason).toBe('many_rejected')
  expect(paused.counts.queued).toBeGreaterThan(0)
})

test('asks again at the last moment whether somebody may be written to', async () => {
  const { id } = await sendTo(3)
  await server.query(`update transmissions set scheduled_at = now() + interval '1 hour' where id = $1`, [id])
  await work()
  await server.query(`update transmissions set scheduled_at = now(), state = 'preparing' where id = $1`, [id])
  await until(id, ({ counts }) => counts.accepted === 3)
  await server.query(`update deliveries set state = 'queued' where transmission_id = $1`, [id])
  await server.query(`update users set state = 'disabled' where email = 'guest-1@example.test'`)
  await server.query(`update transmissions set state = 'sending' where id = $1`, [id])
  expect((await until(id, completed)).counts).toMatchObject({ skipped: 1, accepted: 2 })
})

test('a worker that is told to stop hands back what it holds', async () => {
  sink.options.delayMs = () => 30
  await work()
  const { id } = await sendTo(200)
  await until(id, ({ counts }) => counts.accepted > 5)
  for (const worker of workers.splice(0)) await worker.stop()
  const stopped = await read(id)
  expect(stopped.counts).toMatchObject({ sending: 0, unknown: 0 })
  expect(stopped.counts.queued + stopped.counts.accepted).toBe(200)
})

test('writes as whom the organization wants, and sends answers where it wants them', async () => {
  const policies = { senderName: 'Acme Årsmøte', replyTo: 'Training@Acme.example' }
  await admin.call(updateOrganizationSettings, { params: { orgId: org }, body: { name: 'Acme', policies } })
  await work()
  const { id } = await sendTo(1)
  await until(id, completed)
  const raw = sink.received[0]?.raw ?? ''
  expect(raw).toMatch(/^From: =\?UTF-8\?Q\?Acme_=C3=85rsm=C3=B8te\?= <training@acme\.test>\r?$/im)
  expect(raw).toMatch(/^Reply-To: training@acme\.example\r?$/im)
})

test('sends no faster than the organization wants, and others as fast as ever', async () => {
  const slow = { params: { orgId: org }, body: { name: 'Slow', policies: { sendPerMinute: 60 } } }
  expect((await admin.call(updateOrganizationSettings, slow)).status).toBe(200)
  const began = Date.now()
  const { id } = await sendTo(4)
  const { orgId: other, admin: fast } = await anOrganization(server, 'Fast')
  const otherVideo = await addVideo(server, other)
  const userIds = await addPeople(server, other, { count: 30, prefix: 'fast' })
  const made = await fast.call(createTransmission, {
    body: { body: 'Please watch.', videoId: otherVideo, accountId: other, audience: { userIds } },
  })
  await work()
  const state = async () =>
    (await fast.call(readTransmission, { params: { transmissionId: made.body.id } })).body.state
  while ((await state()) !== 'completed') await pause(40)
  expect((await read(id)).state).toBe('sending')
  await until(id, completed)
  expect(Date.now() - began).toBeGreaterThan(2_900)
  const gone = { params: { orgId: org }, body: { name: 'Slow', policies: { sendPerMinute: null } } }
  await admin.call(updateOrganizationSettings, gone)
  const lanes = await server.query('select id from send_lanes')
  expect(lanes).toEqual([{ id: 'default' }])
})

test('stops at once for an organization that is suspended, and goes on only when somebody says so', async () => {
  const superadmin = await server.person('superadmin')
  await limitLane({ rate: 20, burst: 1 })
  await work()
  const { id } = await sendTo(200)
  while (sink.received.length < 3) await pause(20)
  const params = { orgId: org }
  await superadmin.call(changeOrganizationState, { params, body: { state: 'suspended' } })
  const params2 = { transmissionId: id }
  const readBy = async () => (await superadmin.call(readTransmission, { params: params2 })).body
  while ((await readBy()).state !== 'paused') await pause(40)
  const paused = await readBy()
  expect(paused.reason).toBe('organization_closed')
  const left = sink.received.length
  await pause(600)
  expect(sink.received.length).toBeLessThanOrEqual(left + 1)
  expect(sink.received.length).toBeLessThan(200)

  const resume = () =>
    superadmin.call(changeTransmission, {
      params: params2,
      body: { action: 'resume', version: paused.version },
    })
  expect((await resume()).problem?.detail).toContain('suspended or archived')
  const again = { body: 'x', videoId, accountId: org, userId: crypto.randomUUID() }
  expect((await superadmin.call(createTransmission, { body: again })).status).toBe(409)

  await superadmin.call(changeOrganizationState, { params, body: { state: 'active' } })
  await pause(300)
  expect((await readBy()).state).toBe('paused')
  await limitLane({ rate: 1000, burst: 1000 })
  expect((await resume()).status).toBe(200)
  while ((await readBy()).state !== 'completed') await pause(40)
  expect(new Set(sink.received.map((mail) => mail.deliveryId)).size).toBe(200)
})
