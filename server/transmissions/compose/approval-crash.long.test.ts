import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Transmission } from '#contract/transmissions/transmissions.ts'
import { carefulOrganization } from '../../testing/approvals.ts'
import { workersOf } from '../../testing/processes/workers.ts'
import { aServer, aSink } from '../../testing/worlds.ts'

let w: Awaited<ReturnType<typeof carefulOrganization>>
const workers = workersOf(
  () => server,
  () => ({ SMTP_URL: sink.url }),
)

const sink = await aSink()
const server = await aServer()
beforeEach(async () => {
  w = await carefulOrganization(server)
})
afterAll(async () => {
  workers.killAll()
})

/** Begins to approve in a server process of its own. */
function approving({ id, version }: Transmission) {
  const body = { version, action: 'approve', recipients: 20 }
  const ask = { token: w.other.token, url: `/api/transmissions/${id}/actions`, body }
  return workers.start('approver.ts', { ASK: JSON.stringify(ask) })
}

/** What is kept of the decision: the state of the approval, and how often the audit log tells of it. */
async function decision(id: string) {
  const [stored] = await w.sql<{ state: string; told: number }>(
    `select a.state, (select count(*)::int from audit u where u.entity_id = $1 and u.action = 'transmission.approved') as told
      from transmission_approvals a where a.transmission_id = $1`,
    [id],
  )
  return stored
}

test('an approver that is killed in the middle has decided nothing, and the next one decides once', async () => {
  sink.options.delayMs = () => Math.random() * 20
  const one = await w.waiting()
  // The transmission is let go already when the decision itself waits for this row.
  const holder = await server.services.db.system.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from transmission_approvals where transmission_id = $1 for update', [one.id])
    const child = await approving(one)
    const waits = `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where not l.granted and a.datname = current_database()`
    for (const began = Date.now(); (await w.sql(waits)).length === 0; await pause(20))
      expect(Date.now() - began).toBeLessThan(60_000)
    await workers.kill(child)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect((await w.approve(w.other, one)).body).toMatchObject({ state: 'scheduled' })
  expect(await decision(one.id)).toEqual({ state: 'approved', told: 1 })
  for (let kills = 0; kills < 3; kills += 1) {
    const sender = await workers.start()
    await pause(Math.random() * 300)
    await workers.kill(sender)
  }
  const last = await workers.start()
  for (const began = Date.now(); (await w.read(one.id)).state !== 'completed'; await pause(100)) {
    await w.sql(`update deliveries set due_at = now() where state = 'deferred'`)
    expect(Date.now() - began).toBeLessThan(120_000)
  }
  await workers.kill(last)
  const { counts } = await w.read(one.id)
  expect(counts.accepted + counts.unknown).toBe(20)
  const arrivals = sink.received.map((mail) => mail.deliveryId)
  expect(new Set(arrivals).size).toBe(arrivals.length)
  expect(arrivals.length).toBeGreaterThanOrEqual(counts.accepted)
})

test('killed at any moment, an approval is there as a whole or not at all', async () => {
  for (let kills = 0; kills < 4; kills += 1) {
    const one = await w.waiting()
    const child = await approving(one)
    await pause(kills * 30)
    await workers.kill(child)
    // Either the first one counts, or this one: what the database was still busy with has ended by then.
    expect([200, 409]).toContain((await w.approve(w.other, one)).status)
    expect(await decision(one.id)).toEqual({ state: 'approved', told: 1 })
    expect(await w.work(one.id)).toMatchObject({ state: 'completed', counts: { accepted: 20 } })
    expect(await w.mails(one.id)).toBe(20)
  }
})
