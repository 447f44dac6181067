import { afterAll, expect, test } from 'vitest'
import { editAssignment, readAssignment, listObligations } from '#contract/assignments/assignments.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { movableClock, resetClock, setClock } from '../testing/clock.ts'
import { planNow } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { aSendingServer, anAssignment, assignmentOf, watches } from '../testing/worlds.ts'

const sending = await aSendingServer({}, movableClock)
const { query } = sending.server
await query(`update sessions set idle_expires_at = '2100-01-01', expires_at = '2100-01-01'`)
afterAll(async () => {
  resetClock()
})

type Standing = { orgId: string; assignmentId: string; userId: string; videoId: string; zone: string }

const content = (videoId: string, userId: string) =>
  assignmentOf({
    videoId,
    audience: { userIds: [userId] },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 0 },
  })

async function oblige(zone: string, validity: object): Promise<Standing> {
  const { server, org: orgId, admin } = sending
  await query('update organizations set time_zone = $2 where id = $1', [orgId, zone])
  const videoId = await addVideo(server, orgId)
  const [userId = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  const assignmentId = await anAssignment(admin, { ...content(videoId, userId), validity })
  return { orgId, assignmentId, userId, videoId, zone }
}

const at = (day: string, zone: string, hour = 9) =>
  Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: { hour } }).epochMilliseconds

const present = async ({ orgId, assignmentId }: Standing) =>
  (await sending.admin.call(listObligations, { params: { orgId, assignmentId } })).body.items[0]

/** The last day on which it is valid, where it is watched at nine that day; the organization plans before and after it. */
async function doneOn(standing: Standing, day: string): Promise<string> {
  const { userId, videoId, zone } = standing
  const { server } = sending
  await setClock(server, at(day, zone))
  await planNow(server)
  await watches(server, { videoId, userId, at: at(day, zone) + 60_000 })
  const end = Temporal.Instant.from((await present(standing))?.validUntil ?? '').toZonedDateTimeISO(zone)
  expect([end.hour, end.minute, end.millisecond]).toEqual([23, 59, 999])
  return end.toPlainDate().toString()
}

const fromEnd = (months: number, renewDays = 0) => ({ months, renewDays, from: 'last_end' })
const yearly = fromEnd(12, 40)

/** On which days it is done, and to which day it is valid then. */
const courses: { what: string; zone?: string; validity: object; course: Record<string, string> }[] = [
  {
    what: 'done early, and on the last day',
    validity: yearly,
    course: {
      '2031-03-10': '2032-03-10',
      '2032-02-05': '2033-03-10',
      '2033-03-10': '2034-03-10',
      '2034-03-01': '2035-03-10',
    },
  },
  {
    what: 'run out, and so from the day on which it was done',
    validity: yearly,
    course: { '2041-03-10': '2042-03-10', '2042-04-02': '2043-04-02', '2043-03-01': '2044-04-02' },
  },
  {
    what: 'from the last day of a month',
    validity: fromEnd(1, 9),
    course: {
      '2051-01-31': '2051-02-28',
      '2051-02-25': '2051-03-31',
      '2051-03-25': '2051-04-30',
      '2051-04-26': '2051-05-31',
      '2051-05-29': '2051-06-30',
    },
  },
  {
    what: 'from the 29th of February',
    validity: yearly,
    course: {
      '2056-02-29': '2057-02-28',
      '2057-02-01': '2058-02-28',
      '2058-02-27': '2059-02-28',
      '2059-02-28': '2060-02-29',
      '2060-02-29': '2061-02-28',
    },
  },
  {
    what: 'where the clocks change in between',
    zone: 'Pacific/Auckland',
    validity: fromEnd(6, 20),
    course: { '2065-03-31': '2065-09-30', '2065-09-29': '2066-03-31', '2066-03-12': '2066-09-30' },
  },
]

test.each(courses)(
  'counted from the end of the last time: $what',
  async ({ zone = 'UTC', validity, course }) => {
    const [first = ''] = Object.keys(course)
    await setClock(sending.server, at(first, zone, 7))
    const standing = await oblige(zone, validity)
    const ends: Record<string, string> = {}
    for (const day of Object.keys(course)) ends[day] = await doneOn(standing, day)
    expect(ends).toEqual(course)
    expect((await present(standing))?.cycle).toBe(Object.keys(course).length)
  },
  60_000,
)

test('counted from the day on which it was done it wanders, as it did before; and it stays so where nothing is said', async () => {
  await setClock(sending.server, at('2071-01-31', 'UTC', 7))
  const standing = await oblige('UTC', { months: 1, renewDays: 9 })
  expect(await doneOn(standing, '2071-01-31')).toBe('2071-02-28')
  expect(await doneOn(standing, '2071-02-22')).toBe('2071-03-22')
  const params = { orgId: standing.orgId, assignmentId: standing.assignmentId }
  const read = async () => (await sending.admin.call(readAssignment, { params })).body
  const { validity, version } = await read()
  expect(validity).toEqual({ months: 1, renewDays: 9, from: 'done' })
  const body = { ...content(standing.videoId, standing.userId), validity: fromEnd(1, 9), version } as never
  expect((await sending.admin.call(editAssignment, { params, body })).status).toBe(200)
  expect((await read()).validity).toEqual(fromEnd(1, 9))
  expect(await doneOn(standing, '2071-03-15')).toBe('2071-04-22')
  const [entry] = await query<{ validity: object }>(
    `select after->'validity' as validity from audit where entity_id = $1 and action = 'assignment.changed'`,
    [standing.assignmentId],
  )
  expect(entry?.validity).toEqual(fromEnd(1, 9))
}, 60_000)
