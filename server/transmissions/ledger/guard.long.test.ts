import { execFile } from 'node:child_process'
import { rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listAudit } from '#contract/platform/audit.ts'
import { readSending, releaseSending } from '#contract/transmissions/sending.ts'
import {
  changeTransmission,
  createTransmission,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { openSink, type Sink } from '../../testing/mail/sink.ts'
import { startSending, type SendingWorker } from '../sender/send.ts'

let server: TestServer
let sink: Sink
let org: string
let admin: Person
let superadmin: Person
let worker: SendingWorker | undefined

beforeAll(async () => {
  sink = await openSink()
  server = await startTestServer({ SMTP_URL: sink.url })
  superadmin = await server.person('superadmin')
})
beforeEach(async () => {
  org = await server.organization()
  admin = await server.person('admin', org)
  sink.received.length = 0
})
/** As new for the next test: nothing is open, and nothing was ever sent from here. */
afterEach(async () => {
  await stop()
  sink.options.delayMs = () => 0
  await system().query(`update transmissions set state = 'cancelled' where state <> 'completed'`)
  await system().query(
    `update sending_guard set batch = 0, marker = null, held_at = null, signs = null, answer = null, spoke_at = now()`,
  )
  await system().query('update send_lanes set rate = 1000, ceiling = 1000, burst = 1000, tokens = 1000')
  await rm(folder(), { recursive: true, force: true })
})
afterAll(async () => {
  await server.close()
  await sink.close()
})

const start = async () => {
  worker = await startSending(server.services)
}
const stop = async () => {
  await worker?.stop()
  worker = undefined
}
const system = () => server.services.db.system
const held = async () => (await superadmin.call(readSending)).body.hold
const read = async (id: string) =>
  (await admin.call(readTransmission, { params: { transmissionId: id } })).body

async function until(what: () => Promise<boolean>): Promise<void> {
  for (const began = Date.now(); !(await what()); await pause(40))
    if (Date.now() - began > 15_000) throw new Error('not reached')
}

async function write(count = 40, prefix = 'guest'): Promise<string> {
  const videoId = await addVideo(server, org)
  const userIds = await addPeople(server, org, { count, prefix })
  const made = await admin.call(createTransmission, {
    body: { body: 'Please watch.', videoId, accountId: org, audience: { userIds } },
  })
  return made.body.id
}

/** Sends some of a transmission, as fast as this allows, and stops in the middle. */
async function sendSome(): Promise<string> {
  await system().query('update send_lanes set rate = 20, ceiling = 20, burst = 5, tokens = 5')
  const id = await write()
  await start()
  await until(async () => (await read(id)).counts.accepted >= 3)
  await stop()
  return id
}

const folder = () => path.join(server.services.env.dataDir, 'sending')
const run = promisify(execFile)

test('goes on without a question after an ordinary stop, however short or long the batch was', async () => {
  const id = await sendSome()
  await start()
  await until(async () => (await read(id)).state === 'completed')
  expect(await held()).toBeNull()
  expect(new Set(sink.received.map((mail) => mail.deliveryId)).size).toBe(40)
  expect(sink.received).toHaveLength(40)
})

describe('nothing leaves', () => {
  /** The signs by which it was noticed; nothing more arrives meanwhile. */
  async function signsAtStart(): Promise<readonly string[] | undefined> {
    const before = sink.received.length
    await start()
    await until(async () => (await held()) !== null)
    await pause(400)
    expect(sink.received).toHaveLength(before)
    const hold = await held()
    expect(hold).toMatchObject({ isEnding: false, transmissions: 1 })
    return hold?.signs
  }

  test('from a folder of data that was copied back over a lost one', async () => {
    await sendSome()
    await run('cp', ['-a', folder(), `${folder()}.copy`])
    await rm(folder(), { recursive: true })
    await run('mv', [`${folder()}.copy`, folder()])
    expect(await signsAtStart()).toEqual(['copied'])
  })

  test('from a folder that was copied into the present one, when something was sent in between', async () => {
    const id = await sendSome()
    await run('cp', ['-a', folder(), `${folder()}.copy`])
    const guard = await system().query('select batch, marker from sending_guard')
    await start()
    await until(async () => (await read(id)).counts.accepted >= 15)
    await stop()
    await run('cp', ['-a', `${folder()}.copy/.`, folder()])
    await system().query('update sending_guard set batch = $1, marker = $2', [
      guard.rows[0].batch,
      guard.rows[0].marker,
    ])
    expect(await signsAtStart()).toEqual(['copied'])
  })

  test('from a database of one batch earlier', async () => {
    const id = await sendSome()
    const guard = await system().query('select batch, marker from sending_guard')
    await start()
    await until(
      async () =>
        Number((await system().query('select batch from sending_guard')).rows[0].batch) >
        Number(guard.rows[0].batch),
    )
    await stop()
    expect((await read(id)).state).toBe('sending')
    await system().query('update sending_guard set batch = $1, marker = $2', [
      guard.rows[0].batch,
      guard.rows[0].marker,
    ])
    expect(await signsAtStart()).toEqual(['apart'])
  })

  test('from a database without its folder', async () => {
    await sendSome()
    await rm(folder(), { recursive: true })
    expect(await signsAtStart()).toEqual(['copied'])
  })

  test('while the file of the batch cannot be looked at; as soon as it can be, sending goes on by itself', async () => {
    const id = await sendSome()
    const { rows } = await system().query('select batch from sending_guard')
    const file = path.join(folder(), String(rows[0].batch))
    await rename(file, `${file}.was`)
    await symlink(path.basename(file), file)
    const before = sink.received.length
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    worker = await startSending({ ...server.services, log })
    await until(async () => lines.filter((line) => line.includes('ELOOP')).length > 1)
    expect(await held()).toBeNull()
    expect(sink.received).toHaveLength(before)
    await rename(`${file}.was`, file)
    await until(async () => (await read(id)).state === 'completed')
    expect(new Set(sink.received.map((mail) => mail.deliveryId)).size).toBe(sink.received.length)
  })

  test('from a machine whose whole disk was set back: only the clock tells', async () => {
    await sendSome()
    await system().query(`update sending_guard set spoke_at = spoke_at - interval '31 minutes'`)
    expect(await signsAtStart()).toEqual(['silent'])
  })

  test('while a machine slept in the middle of a batch and woke up again', async () => {
    sink.options.delayMs = () => 20
    const id = await write(100)
    await start()
    await until(async () => (await read(id)).counts.accepted >= 5)
    await system().query(`update sending_guard set spoke_at = spoke_at - interval '31 minutes'`)
    await until(async () => (await held()) !== null)
    await pause(300)
    const left = sink.received.length
    expect(left).toBeLessThan(100)
    await pause(500)
    expect(sink.received).toHaveLength(left)
  })
})

test('a clock that is set back by ten minutes holds nothing up', async () => {
  sink.options.reply = (step, to) =>
    step === 'rcpt' && to === 'guest-1@example.test' ? '451 4.3.0 later' : undefined
  await system().query('update send_lanes set rate = 20, ceiling = 20, burst = 5, tokens = 5')
  const id = await write(20)
  await start()
  await until(async () => (await read(id)).counts.deferred === 1)
  await stop()
  sink.options.reply = () => undefined
  await write(3, 'later')
  await system().query(`update send_lanes set refilled_at = refilled_at + interval '10 minutes', tokens = 0,
    rate = 1000, ceiling = 1000, backoff_until = now() + interval '10 minutes'`)
  await system().query(`update sending_guard set spoke_at = spoke_at + interval '10 minutes'`)
  await system().query(`update transmissions set scheduled_at = scheduled_at + interval '10 minutes',
    released_at = released_at + interval '10 minutes', updated_at = updated_at + interval '10 minutes'`)
  await system().query(
    `update deliveries set due_at = due_at + interval '10 minutes', updated_at = updated_at + interval '10 minutes'`,
  )
  await start()
  await until(async () => sink.received.length === 23)
  await until(async () => (await read(id)).state === 'completed')
  expect((await read(id)).counts.accepted).toBe(20)
})

test('half an hour of silence is no sign where nothing waits', async () => {
  const id = await write(3)
  await start()
  await until(async () => (await read(id)).state === 'completed')
  await stop()
  await system().query(`update sending_guard set spoke_at = spoke_at - interval '3 days'`)
  await start()
  await pause(600)
  expect(await held()).toBeNull()
})

test('a copy of an installation that never sent anything may send: it is a template', async () => {
  await start()
  await pause(300)
  await stop()
  await rm(folder(), { recursive: true, force: true })
  const id = await write(3)
  await start()
  await until(async () => (await read(id)).state === 'completed')
  expect(await held()).toBeNull()
})

describe('a superadmin says which it was', () => {
  async function hold(): Promise<string> {
    const id = await sendSome()
    await rm(folder(), { recursive: true })
    await system().query('update send_lanes set rate = 1000, ceiling = 1000, burst = 1000, tokens = 1000')
    await start()
    await until(async () => (await held()) !== null)
    return id
  }

  test('only off: it goes on where it was, and an ordinary restart asks nothing more', async () => {
    const id = await hold()
    expect((await admin.call(releaseSending, { body: { answer: 'only_off' } })).status).toBe(403)
    const answered = await superadmin.call(releaseSending, { body: { answer: 'only_off' } })
    expect(answered.body.hold).toBeNull()
    await until(async () => (await read(id)).state === 'completed')
    expect((await read(id)).counts).toMatchObject({ accepted: 40, unknown: 0 })
    expect(sink.received).toHaveLength(40)
    await stop()
    await start()
    await pause(400)
    expect(await held()).toBeNull()
    const again = await superadmin.call(releaseSending, { body: { answer: 'restored' } })
    expect(again.status).toBe(409)
    const { items } = (await superadmin.call(listAudit, { query: { limit: 50 } })).body
    const actions = items.map(({ action }) => action).filter((action) => action.startsWith('sending.'))
    expect(actions.slice(0, 2)).toEqual(['sending.released', 'sending.held'])
  })

  test('restored: whatever is open becomes uncertain, what has no list yet is held, and new ones leave', async () => {
    const id = await hold()
    const before = sink.received.length
    const waiting = await write(2, 'later')
    expect((await admin.call(readSending)).body.hold).toMatchObject({ transmissions: 2 })
    await superadmin.call(releaseSending, { body: { answer: 'restored' } })
    await until(async () => (await held()) === null)
    await until(async () => (await read(id)).state === 'completed')
    const { counts } = await read(id)
    expect(counts.accepted + counts.unknown).toBe(40)
    expect(counts.unknown).toBe(40 - before)
    expect(sink.received).toHaveLength(before)
    const other = await read(waiting)
    expect(other).toMatchObject({ state: 'held', reason: 'restored' })
    await admin.call(changeTransmission, {
      params: { transmissionId: waiting },
      body: { action: 'release', version: other.version },
    })
    await until(async () => (await read(waiting)).state === 'completed')
    expect(sink.received).toHaveLength(before + 2)
  })
})
