import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readSending } from '#contract/transmissions/sending.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { openSink, type Sink } from '../../testing/mail/sink.ts'
import { startSending, type SendingWorker } from '../sender/send.ts'

let server: TestServer
let sink: Sink
let org: string
let admin: Person
let worker: SendingWorker

beforeAll(async () => {
  sink = await openSink()
  server = await startTestServer({ SMTP_URL: sink.url })
})
beforeEach(async () => {
  org = await server.organization()
  admin = await server.person('admin', org)
  sink.received.length = 0
  worker = await startSending(server.services)
})
afterEach(async () => {
  await worker.stop()
  sink.options.drop = () => false
  sink.options.delayMs = () => 0
  await server.services.db.system.query(
    'update send_lanes set failures = 0, failing_since = null, backoff_until = null',
  )
})
afterAll(async () => {
  await server.close()
  await sink.close()
})

const read = async (id: string) =>
  (await admin.call(readTransmission, { params: { transmissionId: id } })).body

async function until(what: () => Promise<boolean>): Promise<void> {
  for (const began = Date.now(); !(await what()); await pause(40))
    if (Date.now() - began > 20_000) throw new Error('not reached')
}

async function sendTo(count: number): Promise<string> {
  const videoId = await addVideo(server, org)
  const userIds = await addPeople(server, org, { count })
  const made = await admin.call(createTransmission, {
    body: { body: 'Please watch.', videoId, accountId: org, audience: { userIds } },
  })
  return made.body.id
}

test('a mail server that restarts pauses nothing: sending goes on by itself, and nobody lost a try', async () => {
  sink.options.delayMs = () => 5
  const id = await sendTo(120)
  await until(async () => (await read(id)).counts.accepted > 10)
  const superadmin = await server.person('superadmin')
  const failingSince = async () => (await superadmin.call(readSending)).body.mailServerFailingSince
  await sink.stop()
  while ((await failingSince()) === null) await pause(40)
  await pause(1_500)
  const down = await read(id)
  expect(down).toMatchObject({ state: 'sending', reason: null })
  expect(down.counts.unknown).toBeLessThanOrEqual(8)
  await sink.start()
  await until(async () => (await read(id)).state === 'completed')
  const done = await read(id)
  expect(await failingSince()).toBeNull()
  expect(done.counts.accepted + done.counts.unknown).toBe(120)
  // Each has been accepted at the first try: a server that is away uses none up.
  const tries = await server.services.db.system.query(
    `select distinct n from delivery_attempts where transmission_id = $1 and outcome = 'accepted'`,
    [id],
  )
  expect(tries.rows).toEqual([{ n: 1 }])
  expect(new Set(sink.received.map((mail) => mail.deliveryId)).size).toBe(sink.received.length)
})

test.each(['connect', 'ehlo', 'mail', 'rcpt', 'data', 'dot'] as const)(
  'a line that breaks at %s, before the mail was whole, leaves nothing uncertain',
  async (at) => {
    let dropped = 0
    sink.options.drop = (step) => step === at && (dropped += 1) <= 3
    const id = await sendTo(10)
    await until(async () => {
      await server.services.db.system.query(
        `update deliveries set due_at = now(), updated_at = now() where state = 'deferred'`,
      )
      return (await read(id)).state === 'completed'
    })
    expect(dropped).toBeGreaterThan(3)
    expect((await read(id)).counts).toMatchObject({ accepted: 10, unknown: 0 })
    expect(sink.received).toHaveLength(10)
  },
)
