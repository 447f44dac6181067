import { randomUUID } from 'node:crypto'
import { addPeople, addVideo } from '#server/testing/audience.ts'
import { startTestServer, type TestServer } from '#server/testing/server.ts'
import { setup } from '#server/testing/setup.ts'
import { claim as take, release, type Lease } from '#server/transmissions/ledger/claim.ts'
import { prepareChunk } from '#server/transmissions/recipients/prepare.ts'
import { recordOutcomes } from '#server/transmissions/ledger/outcomes.ts'
import type { Key } from '#server/transmissions/ledger/states.ts'
import type { Figure } from './figures.ts'
import { floorLedger, type Ledger } from './floors/floor-claim.ts'
import { startBenchDatabase } from './database.ts'
import { cpuSeconds } from './program.ts'

/** As many as the product takes at once. */
const batch = 200
/** What one side does before it is the other's turn. */
const turns = { prepare: { calls: 1, rows: 10_000 }, recordOutcomes: { calls: 25, rows: batch } }
/** Settling ends after this, and its rate is that of what was done so far. */
const patienceMs = 45_000

/** From the audience to a settled ledger, with everything but the hand-over of the mails. */
export async function claim(recipients = 100_000): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    process.env['TEST_DATABASE_URL'] = database.ownerUrl
    const tearDown = await setup()
    const server = await startTestServer()
    try {
      return await measure({ server, recipients, databasePid: database.pid })
    } finally {
      await server.close()
      await tearDown()
    }
  } finally {
    await database.close()
  }
}

type Course = { server: TestServer; recipients: number; databasePid: number }

async function measure(course: Course): Promise<Figure[]> {
  const { server, recipients, databasePid } = course
  const key = await announce(course)
  const { organizationId } = key
  const floor = await floorLedger({ url: server.ownerUrl, organizationId, batch })
  const sides = { floor, ours: ourLedger(server, key) }
  const prepared = await race(sides, 'prepare', databasePid)
  // The last call finds nobody left.
  for (const side of Object.values(prepared)) side.rows = recipients
  const settled = await race(sides, 'recordOutcomes', databasePid)
  await floor.close()
  const ended = await server.services.db.system.query<{ accepted: number; state: string }>(
    `select t.state, (select count(*)::int from deliveries d where d.transmission_id = t.id and d.state = 'accepted') as accepted
      from transmissions t where t.id = $1`,
    [key.id],
  )
  const [end] = ended.rows
  if (end?.accepted !== settled.ours.rows || (end.accepted === recipients) !== (end.state === 'completed'))
    throw new Error(`not everybody was served: ${JSON.stringify(end)}`)
  return [
    ...rates(`prepare an audience of ${recipients.toLocaleString('en-US')}`, prepared, {
      least: 1_000_000 / 120,
      most: 2.5,
    }),
    ...rates(`claim and settle, ${batch} at a time`, settled, { least: 300, most: 2.5 }),
  ]
}

function ourLedger({ services }: TestServer, key: Key): Ledger {
  const { db } = services
  const lease: Lease = { key, token: randomUUID(), channel: 'email' }
  return {
    prepare: () => prepareChunk(services, key),
    async recordOutcomes() {
      const taken = await take(db, lease, batch)
      if (taken.length === 0) return false
      const settled = await recordOutcomes(
        db,
        lease,
        taken.map((delivery) => ({ delivery, outcome: { kind: 'accepted', reply: '250 2.0.0 Ok' } })),
      )
      if (settled < taken.length) await release(db, lease)
      return true
    },
  }
}

type Spent = { rows: number; seconds: number; cpu: number }
type Sides = { floor: Ledger; ours: Ledger }

/** Both sides by turns, until neither has anything left or time is up. CPU of this process and of the database. */
async function race(
  sides: Sides,
  work: keyof typeof turns,
  databasePid: number,
): Promise<Record<keyof Sides, Spent>> {
  const cpu = () => cpuSeconds(databasePid) + cpuOfThis()
  const spent = { floor: { rows: 0, seconds: 0, cpu: 0 }, ours: { rows: 0, seconds: 0, cpu: 0 } }
  const left = new Set<keyof Sides>(['floor', 'ours'])
  const { calls, rows } = turns[work]
  const end = work === 'recordOutcomes' ? performance.now() + patienceMs : Infinity
  while (left.size > 0 && performance.now() < end) {
    for (const name of left) {
      const [before, began] = [cpu(), performance.now()]
      let done = 0
      while (done < calls && (await sides[name][work]())) done += 1
      spent[name].rows += done * rows
      spent[name].seconds += (performance.now() - began) / 1000
      spent[name].cpu += cpu() - before
      if (done < calls) left.delete(name)
    }
  }
  return spent
}

function cpuOfThis(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** A transmission to everybody, ready to be prepared, on a lane without a limit. */
async function announce({ server, recipients }: Course): Promise<Key> {
  const { system } = server.services.db
  const organizationId = await server.organization()
  const videoId = await addVideo(server, organizationId)
  await addPeople(server, organizationId, { count: recipients })
  const made = await system.query<{ id: string }>(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
      select $1, 'preparing', 'Please watch', 'Hello', v.id, v.current_version_id, u.id, u.name, $3
      from videos v, (select id, name from users where organization_id = $1 limit 1) u where v.id = $2 returning id`,
    [organizationId, videoId, JSON.stringify({ everyone: true, userIds: [], groupIds: [] })],
  )
  await system.query('update send_lanes set rate = 1e9, ceiling = 1e9, burst = 1e9, tokens = 1e9')
  return { id: made.rows[0]?.id ?? '', organizationId }
}

/** `least`: rows each second. */
type Bounds = { least: number; most: number }

function rates(what: string, { floor, ours }: Record<keyof Sides, Spent>, bounds: Bounds): Figure[] {
  const { least, most } = bounds
  const workload = 'claim'
  return [
    {
      workload,
      what,
      unit: 'rows/s',
      ours: ours.rows / ours.seconds,
      floor: floor.rows / floor.seconds,
      target: { of: 'figure', least },
    },
    {
      workload,
      what: `${what}, CPU`,
      unit: 'CPU s / 1,000',
      ours: (ours.cpu * 1000) / ours.rows,
      floor: (floor.cpu * 1000) / floor.rows,
      target: { of: 'ratio', most },
    },
  ]
}
