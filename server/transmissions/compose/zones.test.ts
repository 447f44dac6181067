import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  changeTransmission,
  createTransmission,
  editTransmission,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { clockIn } from '#contract/platform/text/time-zones.ts'
import { readWaves } from '#contract/transmissions/waves.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { until } from '../../testing/until.ts'
import { startSending, type SendingWorker } from '../sender/send.ts'

let server: TestServer
let sending: SendingWorker
let orgId: string
let author: Person
let userIds: string[]
let body: { accountId: string; videoId: string; body: string; audience: { userIds: string[] } }

/** Where clocks are ahead of, and behind those of the organization. */
const usual = 'Europe/Berlin'
const east = 'Asia/Tokyo'
const west = 'America/New_York'

beforeAll(async () => {
  server = await startTestServer()
  orgId = await server.organization()
  author = await server.person('admin', orgId)
  userIds = await addPeople(server, orgId, { count: 6 })
  await query('update organizations set time_zone = $2 where id = $1', [orgId, usual])
  await query('update users set time_zone = $2 where id = any($1)', [userIds.slice(0, 2), east])
  await query('update users set time_zone = $2 where id = any($1)', [userIds.slice(2, 5), west])
  body = { accountId: orgId, videoId: await addVideo(server, orgId), body: 'x', audience: { userIds } }
  sending = await startSending(server.services)
})
afterEach(() => query(`update organizations set policies = policies - 'sendWindow' where id = $1`, [orgId]))
afterAll(async () => {
  await sending.stop()
  await server.close()
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await server.services.db.system.query<Row>(text, values)).rows
const read = async (transmissionId: string) =>
  (await author.call(readTransmission, { params: { transmissionId } })).body
const waiting = async (transmissionId: string) =>
  (await author.call(readWaves, { params: { transmissionId } })).body.zones
/** So many minutes from now, as the clock in Berlin shows it then. */
const inMinutes = (minutes: number) => ({
  ...clockIn(usual, new Date(Date.now() + minutes * 60_000).toISOString()),
  inOwnZones: true,
})
const instantOf = ({ day, time }: { day: string; time: string }, zone: string) =>
  Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime(zone).epochMilliseconds
const looked = () => new Promise((resolve) => setTimeout(resolve, 2_500))

test('each gets it at this hour of their own day; where that has passed, at once', async () => {
  const leavesAt = inMinutes(60)
  const counted = await author.call(previewAudience, {
    body: { accountId: orgId, audience: body.audience, leavesAt },
  })
  expect(counted.body.zones.map(({ timeZone, people, isPast }) => [timeZone, people, isPast])).toEqual([
    [east, 2, true],
    [usual, 1, false],
    [west, 3, false],
  ])
  expect(counted.body.zones.map(({ at }) => Date.parse(at))).toEqual(
    [east, usual, west].map((zone) => instantOf(leavesAt, zone)),
  )
  const { id } = (await author.call(createTransmission, { body: { ...body, leavesAt } })).body
  await until(async () => (await read(id)).counts.accepted === 2, 20)
  await looked()
  expect(await read(id)).toMatchObject({
    state: 'sending',
    inOwnZones: true,
    counts: { accepted: 2, queued: 4 },
  })
  expect((await waiting(id)).map(({ timeZone, people, at }) => [timeZone, people, Date.parse(at)])).toEqual([
    [usual, 1, instantOf(leavesAt, usual)],
    [west, 3, instantOf(leavesAt, west)],
  ])
  // The hour comes in Berlin.
  await query('update deliveries set due_at = now() where transmission_id = $1 and time_zone is null', [id])
  await until(async () => (await read(id)).counts.accepted === 3, 20)
  await query('update deliveries set due_at = now() where transmission_id = $1', [id])
  await until(async () => (await read(id)).state === 'completed', 20)
  expect(await waiting(id)).toEqual([])
})

test('it begins with the first zone, is edited with its hour, and sent to all of them at once when somebody wants that', async () => {
  const leavesAt = inMinutes(24 * 60)
  const made = await author.call(createTransmission, { body: { ...body, leavesAt } })
  const { id } = made.body
  expect(Date.parse(made.body.leavesAt ?? '')).toBe(instantOf(leavesAt, east))
  const params = { transmissionId: id }
  const undone = await author.call(changeTransmission, {
    params,
    body: { action: 'undo', version: made.body.version },
  })
  expect(Date.parse(undone.body.leavesAt ?? '')).toBe(instantOf(leavesAt, usual))
  const { accountId: _kept, ...content } = body
  const edited = await author.call(editTransmission, {
    params,
    body: { ...content, leavesAt, version: undone.body.version },
  })
  expect(edited.body).toMatchObject({ inOwnZones: true, state: 'draft' })
  const let_go = await author.call(changeTransmission, {
    params,
    body: { action: 'submit', version: edited.body.version },
  })
  expect(Date.parse(let_go.body.leavesAt ?? '')).toBe(instantOf(leavesAt, east))
  await author.call(changeTransmission, {
    params,
    body: { action: 'send_now', version: let_go.body.version },
  })
  await until(async () => (await read(id)).state === 'completed', 20)
  expect((await read(id)).counts.accepted).toBe(6)
})

test('in waves as well is refused', async () => {
  const waves = { share: 5, waitMinutes: 60, size: null, pauseMinutes: 60 }
  const made = await author.call(createTransmission, { body: { ...body, waves, leavesAt: inMinutes(60) } })
  expect(made.problem?.fields).toEqual({ waves: ['invalid'] })
})

test('the hours of the organization are those of each clock', async () => {
  // Within them in Tokyo alone: from an hour ago there, for two hours, on whatever day; nowhere else is it that late.
  const from = Temporal.Now.zonedDateTimeISO(east)
  const window = {
    days: [1, 2, 3, 4, 5, 6, 7],
    from: from.hour === 0 ? '00:00' : `${String(from.hour - 1).padStart(2, '0')}:00`,
    to: `${String(Math.min(23, from.hour + 1)).padStart(2, '0')}:59`,
  }
  await query(
    `update organizations set policies = policies || jsonb_build_object('sendWindow', $2::jsonb) where id = $1`,
    [orgId, JSON.stringify(window)],
  )
  const { id } = (await author.call(createTransmission, { body })).body
  await until(async () => (await read(id)).counts.accepted === 2, 20)
  await looked()
  const now = await read(id)
  expect(now).toMatchObject({ state: 'sending', goesOnAt: null, counts: { accepted: 2, queued: 4 } })
  const got = await query<{ time_zone: string }>(
    `select distinct time_zone from deliveries where transmission_id = $1 and state = 'accepted'`,
    [id],
  )
  expect(got).toEqual([{ time_zone: east }])
  const outside = { action: 'send_outside' as const, version: now.version }
  await author.call(changeTransmission, { params: { transmissionId: id }, body: outside })
  await until(async () => (await read(id)).state === 'completed', 20)
})

test('a zone that the database does not know is that of the organization', async () => {
  const [userId = ''] = await addPeople(server, orgId, { count: 1, prefix: 'nowhere' })
  await query(`update users set time_zone = 'Europe/Nowhere' where id = $1`, [userId])
  const { id } = (
    await author.call(createTransmission, { body: { ...body, audience: { userIds: [userId] } } })
  ).body
  expect(await until(async () => (await read(id)).counts.accepted === 1, 20)).toBe(true)
})

test('an hour on a clock follows the change of the clocks', async () => {
  const instant = async (clock: string) => {
    const [found] = await query<{ at: Date }>(`select clock_instant($1::timestamp, 'Europe/Berlin') as at`, [
      clock,
    ])
    return found?.at.getTime()
  }
  for (const clock of [
    '2026-03-28T09:00',
    '2026-03-29T02:30',
    '2026-03-29T03:30',
    '2026-10-25T02:30',
    '2026-10-25T03:30',
  ])
    expect([clock, await instant(clock)]).toEqual([
      clock,
      Temporal.PlainDateTime.from(clock).toZonedDateTime('Europe/Berlin').epochMilliseconds,
    ])
})
