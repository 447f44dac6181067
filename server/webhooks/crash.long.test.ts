import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createTransmission,
  deliveryStates,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { updateWebhook } from '#contract/transmissions/webhooks.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { openNameServer, type NameServer } from '../testing/mail/name-server.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'
import { openReceiver, type Receiver } from '../testing/mail/webhooks.ts'
import { workersOf } from '../testing/processes/workers.ts'

const host = 'hook.acme.test'
let server: TestServer
let names: NameServer
let receiver: Receiver
const settings = () => ({
  DNS_SERVER: names.address,
  WEBHOOK_HOSTS: `${host}:${receiver.port}`,
  WEBHOOK_CA_FILE: receiver.ca,
})
const workers = workersOf(() => server, settings)

beforeAll(async () => {
  names = await openNameServer()
  names.addressesOf = (name) => (name === host ? ['127.0.0.1'] : [])
  receiver = await openReceiver([host])
  server = await startTestServer(settings())
})
afterAll(async () => {
  workers.killAll()
  await server.close()
  await receiver.close()
  await names.close()
})

test('nobody gets it twice and nobody is lost, however often a worker is killed and whatever the receiver does', async () => {
  const org = await server.organization()
  const admin = await server.person('admin', org)
  const videoId = await addVideo(server, org)
  await admin.call(updateWebhook, {
    params: { orgId: org },
    body: { url: `https://${host}:${receiver.port}/` },
  })
  const count = 300
  await addPeople(server, org, { count })
  /** What the receiver has kept; of what it answered with a refusal it keeps nothing. */
  const taken: string[] = []
  receiver.behave = ({ data }, answer, socket) => {
    const luck = Math.random()
    if (luck < 0.02) return void answer.writeHead(500).end()
    if (luck < 0.03) return void answer.writeHead(429).end()
    taken.push(data.deliveryId)
    if (luck < 0.04) return void socket.destroy()
    return void setTimeout(() => answer.end(), Math.random() * 20)
  }
  const made = await admin.call(createTransmission, {
    body: { body: 'x', videoId, accountId: org, audience: { channel: 'webhook', everyone: true } },
  })
  const change = (text: string) => server.services.db.system.query(text)
  /** The present state, after making due what would wait for a while. */
  const read = async () => {
    await change(`update webhooks set rests_until = null`)
    await change(`update deliveries set due_at = now() where state = 'deferred'`)
    const { body } = await admin.call(readTransmission, { params: { transmissionId: made.body.id } })
    expect(deliveryStates.reduce((total, one) => total + body.counts[one], 0)).toBe(body.audienceTotal)
    return body
  }
  for (let kills = 0; kills < 8 && (await read()).state !== 'completed'; kills += 1) {
    const child = await workers.start()
    await pause(200 + Math.random() * 400)
    await workers.kill(child)
  }
  const last = await workers.start()
  for (const began = Date.now(); (await read()).state !== 'completed'; await pause(50))
    expect(Date.now() - began).toBeLessThan(120_000)
  await workers.kill(last)
  const done = await read()
  expect(done.audienceTotal).toBe(count + 1)
  expect(done.counts.accepted + done.counts.unknown).toBe(count + 1)
  expect(new Set(taken).size).toBe(taken.length)
  const accepted = await server.services.db.system.query<{ id: string }>(
    `select id from deliveries where transmission_id = $1 and state = 'accepted'`,
    [done.id],
  )
  const stored = new Set(taken)
  expect(accepted.rows.filter(({ id }) => !stored.has(id))).toEqual([])
})
