import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createTransmission,
  deliveryStates,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { mailConnections } from '../../platform/jobs/smtp.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { startTestServer, type TestServer } from '../../testing/server.ts'
import { openSink, type Sink } from '../../testing/mail/sink.ts'
import { workersOf } from '../../testing/processes/workers.ts'

let server: TestServer
let sink: Sink
const workers = workersOf(
  () => server,
  () => ({ SMTP_URL: sink.url }),
)

beforeAll(async () => {
  sink = await openSink()
  server = await startTestServer()
})
afterAll(async () => {
  workers.killAll()
  await server.close()
  await sink.close()
})

test('loses nobody and sends nothing twice, however often a worker is killed and wherever the line breaks', async () => {
  const org = await server.organization()
  const admin = await server.person('admin', org)
  const videoId = await addVideo(server, org)
  const count = 700
  await addPeople(server, org, { count })
  sink.options.delayMs = () => Math.random() * 20
  sink.options.drop = () => Math.random() < 0.01
  const made = await admin.call(createTransmission, {
    body: { body: 'x', videoId, accountId: org, audience: { everyone: true } },
  })
  /** The present state, after making due what would wait for a minute. */
  const read = async () => {
    await server.services.db.system.query(`update deliveries set due_at = now() where state = 'deferred'`)
    const { body } = await admin.call(readTransmission, { params: { transmissionId: made.body.id } })
    expect(deliveryStates.reduce((total, one) => total + body.counts[one], 0)).toBe(body.audienceTotal)
    return body
  }
  /** Mails of one dead worker that were let go, and of which nobody knows: the most of any. They become `unknown`. */
  const uncertainOfOne = async () => {
    const { rows } = await server.services.db.system.query<{ n: number }>(
      `select count(*)::int as n from deliveries where state = 'sending' and handed_at is not null
        group by lease_token order by n desc limit 1`,
    )
    return rows[0]?.n ?? 0
  }
  for (let kills = 0; kills < 10; kills += 1) {
    expect((await read()).state).not.toBe('completed')
    const child = await workers.start()
    await pause(Math.random() * 500)
    await workers.kill(child)
    expect(await uncertainOfOne()).toBeLessThanOrEqual(mailConnections)
  }
  const last = await workers.start()
  for (const began = Date.now(); (await read()).state !== 'completed'; await pause(200))
    expect(Date.now() - began).toBeLessThan(120_000)
  await workers.kill(last)
  const done = await read()
  expect(done.audienceTotal).toBe(count + 1)
  expect(done.counts.accepted + done.counts.unknown).toBe(count + 1)
  const arrivals = sink.received.map((mail) => mail.deliveryId)
  expect(new Set(arrivals).size).toBe(arrivals.length)
  const ledger = await server.services.db.system.query<{ id: string; state: string }>(
    'select id, state from deliveries where transmission_id = $1',
    [done.id],
  )
  const arrived = new Set(arrivals)
  const accepted = ledger.rows.filter((one) => one.state === 'accepted')
  expect(accepted.filter((one) => !arrived.has(one.id))).toEqual([])
  const uncertain = ledger.rows.filter((one) => one.state === 'unknown')
  expect(accepted.length + uncertain.length).toBe(ledger.rows.length)
  expect(arrivals.length).toBeGreaterThanOrEqual(accepted.length)
})
