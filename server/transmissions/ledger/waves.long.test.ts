import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSending, releaseSending } from '#contract/transmissions/sending.ts'
import { resolveDeliveries } from '#contract/transmissions/deliveries.ts'
import {
  createTransmission,
  deliveryStates,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { readWaves } from '#contract/transmissions/waves.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { openSink, type Sink } from '../../testing/mail/sink.ts'
import { until } from '../../testing/until.ts'
import { workersOf } from '../../testing/processes/workers.ts'

const count = 300
let server: TestServer
let sink: Sink
let admin: Person
let org: string
const workers = workersOf(
  () => server,
  () => ({ SMTP_URL: sink.url }),
)

beforeAll(async () => {
  sink = await openSink()
  server = await startTestServer()
  org = await server.organization()
  admin = await server.person('admin', org)
  await addPeople(server, org, { count })
})
afterAll(async () => {
  workers.killAll()
  await server.close()
  await sink.close()
})

const plan = { share: 10, waitMinutes: 60, size: 50, pauseMinutes: 60 }
async function send(): Promise<string> {
  const videoId = await addVideo(server, org)
  const audience = { everyone: true, exceptUserIds: [admin.id] }
  const body = { body: 'x', videoId, accountId: org, audience, waves: plan }
  return (await admin.call(createTransmission, { body })).body.id
}
const waves = async (transmissionId: string) =>
  (await admin.call(readWaves, { params: { transmissionId } })).body
/** The present state: always everybody, and never more than the waves have let go. */
async function read(transmissionId: string) {
  const { body } = await admin.call(readTransmission, { params: { transmissionId } })
  expect(deliveryStates.reduce((total, one) => total + body.counts[one], 0)).toBe(body.audienceTotal)
  return body
}
/** The pause of a wave that has left is over, and what would wait for another try is due. */
const goOn = async (id: string) => {
  await server.services.db.system.query(`update deliveries set due_at = now() where state = 'deferred'`)
  await server.services.db.system.query(
    'update transmission_waves set next_at = now() where transmission_id = $1 and next_at is not null',
    [id],
  )
}

test('loses nobody, sends nothing twice and lets nobody go early, however often a worker is killed', async () => {
  const id = await send()
  sink.options.delayMs = () => Math.random() * 20
  for (let kills = 0; kills < 12 && (await read(id)).state !== 'completed'; kills += 1) {
    const child = await workers.start()
    await pause(300 + Math.random() * 900)
    await workers.kill(child)
    const now = await waves(id)
    expect(now.waves.map(({ people }) => people)).toEqual(
      [30, 50, 50, 50, 50, 50, 20].slice(0, now.waves.length),
    )
    const gone = now.waves.reduce((sum, { people }) => sum + people, 0)
    expect(sink.received.length).toBeLessThanOrEqual(gone)
    // Somebody has looked at what the kills made uncertain.
    await server.services.db.system.query('update transmission_waves set is_troubled = true')
    await goOn(id)
  }
  const last = await workers.start()
  await until(async () => {
    await goOn(id)
    await server.services.db.system.query('update transmission_waves set is_troubled = true')
    return (await read(id)).state === 'completed'
  }, 60)
  await workers.kill(last)
  const { counts, audienceTotal } = await read(id)
  expect([audienceTotal, counts.accepted + counts.unknown]).toEqual([count, count])
  const arrivals = sink.received.map((mail) => mail.deliveryId)
  expect(new Set(arrivals).size).toBe(arrivals.length)
  expect((await waves(id)).waves.map(({ people }) => people)).toEqual([30, 50, 50, 50, 50, 50, 20])
})

test('after a restore, whoever no wave had let go waits for one again', async () => {
  const superadmin = await server.person('superadmin')
  const id = await send()
  sink.options.delayMs = () => 0
  const child = await workers.start()
  await until(async () => (await waves(id)).nextAt !== null, 30)
  await server.services.db.system.query(
    `update sending_guard set held_at = now(), signs = array['copied'], answer = null`,
  )
  expect((await superadmin.call(releaseSending, { body: { answer: 'restored' } })).status).toBe(200)
  await until(async () => (await superadmin.call(readSending)).body.hold === null, 30)
  expect((await read(id)).counts.unknown).toBe(count - 30)
  const decision = {
    decision: 'send_again' as const,
    expected: count - 30,
    filter: { state: 'unknown' as const },
  }
  const params = { transmissionId: id }
  expect((await admin.call(resolveDeliveries, { params, body: decision })).status).toBe(200)
  const { waiting, waves: begun } = await waves(id)
  expect([waiting, begun.length]).toEqual([count - 30, 1])
  await until(async () => {
    await goOn(id)
    return (await read(id)).state === 'completed'
  }, 60)
  expect((await read(id)).counts.accepted).toBe(count)
  await workers.kill(child)
})
