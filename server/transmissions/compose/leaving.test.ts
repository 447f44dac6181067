import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  changeTransmission,
  createTransmission,
  editTransmission,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { until } from '../../testing/until.ts'
import { startSending, type SendingWorker } from '../sender/send.ts'

let server: TestServer
let sending: SendingWorker
let orgId: string
let author: Person
let other: Person
let videoId: string
let userIds: string[]

beforeAll(async () => {
  server = await startTestServer({ UNDO_SECONDS: '600' })
  orgId = await server.organization()
  author = await server.person('admin', orgId)
  other = await server.person('admin', orgId)
  videoId = await addVideo(server, orgId)
  userIds = await addPeople(server, orgId, { count: 3 })
  await query(`update organizations set time_zone = 'Europe/Berlin' where id = $1`, [orgId])
  sending = await startSending(server.services)
})
afterAll(async () => {
  await sending.stop()
  await server.close()
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await server.services.db.system.query<Row>(text, values)).rows

const plain = () => ({ accountId: orgId, videoId, body: 'x', audience: { userIds } })
const send = (more: object = {}, by = author) =>
  by.call(createTransmission, { body: { ...plain(), ...more } })
const read = async (transmissionId: string) =>
  (await author.call(readTransmission, { params: { transmissionId } })).body
type Wish = { id: string; version: number }
const act = (by: Person, { id, version }: Wish, action: 'undo' | 'send_now' | 'submit' | 'cancel') =>
  by.call(changeTransmission, { params: { transmissionId: id }, body: { action, version } })

/** The sender has looked at what there is to do at least twice. */
const looked = () => new Promise((resolve) => setTimeout(resolve, 2_500))
const mails = async (id: string) =>
  (
    await query(
      'select 1 from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = $1',
      [id],
    )
  ).length
/** A day ahead, in every time zone. */
const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)

test('what was sent can be taken back until it leaves, by its author, once', async () => {
  const made = (await send()).body
  expect(made.state).toBe('scheduled')
  expect(Date.parse(made.leavesAt ?? '') - Date.parse(made.createdAt)).toBe(600_000)
  await looked()
  expect((await read(made.id)).state).toBe('scheduled')
  expect((await act(other, made, 'undo')).problem?.code).toBe('forbidden')
  const twice = await Promise.all([act(author, made, 'undo'), act(author, made, 'undo')])
  expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const draft = await read(made.id)
  expect(draft).toMatchObject({ state: 'draft', body: 'x', leavesAt: null, releasedAt: null })
  expect((await act(author, draft, 'submit')).body.state).toBe('scheduled')
  expect(await mails(made.id)).toBe(0)
})

test('it need not wait, and what has begun to leave is not taken back', async () => {
  const made = (await send()).body
  const now = await act(other, made, 'send_now')
  expect(now.status).toBe(200)
  await until(async () => (await read(made.id)).state === 'completed', 20)
  expect(await mails(made.id)).toBe(3)
  const late = await act(author, now.body, 'undo')
  expect(late.status).toBe(409)
  expect(late.problem?.detail).toContain('taken back')
  const stranger = await server.person('admin', await server.organization())
  const waiting = (await send()).body
  for (const action of ['undo', 'send_now'] as const)
    expect((await act(stranger, waiting, action)).status).toBe(404)
  expect((await act(author, waiting, 'cancel')).body.state).toBe('cancelled')
})

test('an hour is that of the organization, or of the zone that is named, and can be changed', async () => {
  const at = async (day: string, time: string, timeZone?: string) =>
    (await send({ leavesAt: { day, time, ...(timeZone && { timeZone }) } })).body
  const berlin = await at(soon, '09:00')
  const expected = (zone: string, time: string) =>
    Temporal.PlainDateTime.from(`${soon}T${time}`).toZonedDateTime(zone).toInstant().epochMilliseconds
  expect(Date.parse(berlin.leavesAt ?? '')).toBe(expected('Europe/Berlin', '09:00'))
  expect(berlin.releasedAt).toBe(berlin.leavesAt)
  const tokyo = await at(soon, '09:00', 'Asia/Tokyo')
  expect(Date.parse(tokyo.leavesAt ?? '')).toBe(expected('Asia/Tokyo', '09:00'))
  const draft = (await act(author, tokyo, 'undo')).body
  expect(draft.leavesAt).toBe(tokyo.leavesAt)
  const edited = await author.call(editTransmission, {
    params: { transmissionId: draft.id },
    body: {
      videoId,
      body: 'y',
      audience: { userIds },
      version: draft.version,
      leavesAt: { day: soon, time: '17:30' },
    },
  })
  expect(Date.parse(edited.body.leavesAt ?? '')).toBe(expected('Europe/Berlin', '17:30'))
})

test('clocks that change leave no hour without an instant', async () => {
  // In Berlin the hour from 2:00 to 3:00 does not exist on the last Sunday of March, and exists twice on that of October.
  const changes = { '03': '01:30', '10': '00:30' }
  for (const [month, utc] of Object.entries(changes)) {
    const year = [0, 1].map((more) => new Date().getUTCFullYear() + more)
    const days = year.map((one) => lastSunday(one, Number(month)))
    const ahead = (one: string) => Date.parse(one) - Date.now()
    const day = days.find((one) => ahead(one) > 86_400_000 && ahead(one) < 365 * 86_400_000)
    // One of the two is always less than a year ahead.
    if (day === undefined) continue
    const made = await send({ leavesAt: { day, time: '02:30' } })
    expect(made.body.leavesAt).toBe(`${day}T${utc}:00.000Z`)
  }
})

function lastSunday(year: number, month: number): string {
  const last = new Date(Date.UTC(year, month, 0))
  last.setUTCDate(last.getUTCDate() - last.getUTCDay())
  return last.toISOString().slice(0, 10)
}

test('a draft whose hour has passed is not let go, and what waits for its hour does not say that it waits for its video', async () => {
  const made = (await send({ leavesAt: { day: soon, time: '09:00' } })).body
  const draft = (await act(author, made, 'undo')).body
  await query(`update transmissions set leaves_at = now() - interval '1 minute' where id = $1`, [draft.id])
  expect((await act(author, draft, 'submit')).problem?.fields).toEqual({ leavesAt: ['not_ahead'] })
  const [processing] = await query<{ id: string }>(
    `with v as (insert into videos (organization_id, title, state) values ($1, 'New', 'processing') returning id)
      insert into video_versions (organization_id, video_id, number, file_name, size) select $1, id, 1, 'a.mp4', 1 from v returning video_id as id`,
    [orgId],
  )
  const later = await send({ videoId: processing?.id, leavesAt: { day: soon, time: '09:00' } })
  expect(later.body).toMatchObject({ state: 'scheduled', reason: null })
  expect((await act(author, later.body, 'send_now')).body).toMatchObject({ reason: 'video_not_ready' })
})

test('refuses what is over, too far, or no hour', async () => {
  const refused = async (leavesAt: object) => (await send({ leavesAt })).problem?.fields
  expect(await refused({ day: '2020-01-01', time: '09:00' })).toEqual({ leavesAt: ['not_ahead'] })
  const far = new Date(Date.now() + 400 * 86_400_000).toISOString().slice(0, 10)
  expect(await refused({ day: far, time: '09:00' })).toEqual({ leavesAt: ['too_far'] })
  expect(await refused({ day: soon, time: '09:00', timeZone: 'Mars/Olympus' })).toEqual({
    leavesAt: ['invalid'],
  })
  expect(await refused({ day: soon, time: '24:00' })).toEqual({ 'leavesAt.time': ['invalid'] })
  expect(await refused({ day: '2027-02-30', time: '09:00' })).toBeDefined()
})

test('at its hour it leaves; half an hour later it is held, and leaves when somebody says so', async () => {
  const [punctual, late] = [
    await send({ leavesAt: { day: soon, time: '09:00' } }),
    await send({ leavesAt: { day: soon, time: '09:00' } }),
  ]
  const pass = (id: string, minutes: number) =>
    query(
      `update transmissions set leaves_at = now() - make_interval(mins => $2), scheduled_at = now() - make_interval(mins => $2) where id = $1`,
      [id, minutes],
    )
  await pass(punctual.body.id, 20)
  await pass(late.body.id, 40)
  await until(async () => (await read(punctual.body.id)).state === 'completed', 20)
  await until(async () => (await read(late.body.id)).state === 'held', 20)
  const held = await read(late.body.id)
  expect(held.reason).toBe('time_passed')
  expect(await mails(held.id)).toBe(0)
  const released = await author.call(changeTransmission, {
    params: { transmissionId: held.id },
    body: { action: 'release', version: held.version },
  })
  expect(released.body.state).toBe('scheduled')
  await until(async () => (await read(held.id)).state === 'completed', 20)
  expect(await mails(held.id)).toBe(3)
})
