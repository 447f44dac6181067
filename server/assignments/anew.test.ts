import { beforeEach, expect, test } from 'vitest'
import {
  changeObligation,
  editAssignment,
  listObligations,
  readAssignment,
} from '#contract/assignments/assignments.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import { planNow } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { aggregate, watched } from '../testing/viewing/watching.ts'
import { aSendingServer, anAssignment, assignmentOf } from '../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org: orgId, admin } = sending
const { query } = server

let people: string[]
let assignmentId: string
await query(`update organizations set time_zone = 'Pacific/Auckland' where id = $1`, [orgId])

const reminders = { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 }
const plan = async () =>
  assignmentOf({
    videoId: await addVideo(server, orgId),
    audience: { groupIds: [await addGroup(server, orgId, people)] },
  })
let content: Awaited<ReturnType<typeof plan>>

beforeEach(async () => {
  people = await addPeople(server, orgId, { count: 8, prefix: unique() })
  content = await plan()
  assignmentId = await anAssignment(admin, content)
  await planNow(server)
})

async function edit(change: object): Promise<void> {
  const params = { orgId, assignmentId }
  const { version } = (await admin.call(readAssignment, { params })).body
  const body = { ...content, ...change, version }
  expect((await admin.call(editAssignment, { params, body })).status).toBe(200)
}

const owed = async (at: number) =>
  (await admin.call(listObligations, { params: { orgId, assignmentId } })).body.items.find(
    ({ user }) => user.id === people[at],
  )

/** They became obliged at that moment, had their first message, and the next one is planned for a day far ahead. */
const stand = (at: number, since: string) =>
  query(
    `update obligations set since = $3, messages = 1, next_message_on = '2040-01-01' where assignment_id = $1 and user_id = $2`,
    [assignmentId, people[at], since],
  )

/** Day by day, as a person counts them on a calendar. */
function workingDay(from: string, n: number): string {
  let day = Temporal.PlainDate.from(from)
  for (let left = n; left > 0;) {
    day = day.add({ days: 1 })
    if (day.dayOfWeek < 6) left -= 1
  }
  return day.toString()
}

test.each([1, 5, 8, 730])(
  'the working day number %i is that of a calendar, whatever day it begins',
  async (days) => {
    const week = Array.from({ length: 7 }, (_, n) => `2031-06-0${n + 2}`)
    // Noon in Auckland.
    for (const [at, day] of week.entries()) await stand(at, `${day}T00:00Z`)
    await edit({ due: { kind: 'after', days, working: true } })
    for (const [at, day] of week.entries()) {
      const due = Temporal.Instant.from((await owed(at))?.dueAt ?? '').toZonedDateTimeISO('Pacific/Auckland')
      expect([day, due.toPlainDate().toString()]).toEqual([day, workingDay(day, days)])
    }
  },
)

test('another due day moves the days and the next messages of all but those with a day of their own', async () => {
  await stand(0, '2031-06-02T00:00Z')
  await stand(1, '2031-06-10T00:00Z')
  await stand(2, '2031-06-02T00:00Z')
  await stand(3, '2031-06-02T00:00Z')
  const params = { orgId, assignmentId }
  const decide = (at: number, change: object) =>
    admin.call(changeObligation, {
      params: { ...params, userId: people[at] ?? '' },
      body: { do: { reason: 'On leave', ...change } as never },
    })
  await decide(2, { action: 'extend', day: '2035-01-31' })
  await decide(3, { action: 'waive', until: null })
  await edit({ due: { kind: 'after', days: 20, working: false } })
  // Three days before it, at the end of the day in Auckland.
  expect(await owed(0)).toMatchObject({ dueAt: '2031-06-22T11:59:59.999Z', nextMessageOn: '2031-06-19' })
  expect(await owed(1)).toMatchObject({ dueAt: '2031-06-30T11:59:59.999Z', nextMessageOn: '2031-06-27' })
  expect(await owed(2)).toMatchObject({ dueAt: '2035-01-31T10:59:59.999Z', nextMessageOn: '2035-01-28' })
  expect(await owed(3)).toMatchObject({ dueAt: '2031-06-22T11:59:59.999Z', state: 'waived' })
  expect(await owed(4)).toMatchObject({ state: 'assigned' })
  await edit({ due: { kind: 'none' } })
  expect(await owed(0)).toMatchObject({ dueAt: null, nextMessageOn: '2031-06-04' })
  expect(await owed(2)).toMatchObject({ dueAt: '2035-01-31T10:59:59.999Z', nextMessageOn: '2035-01-28' })
})

test('what somebody has watched while they were not in the audience counts when they come back', async () => {
  const [groupId] = content.audience.groupIds
  await query('delete from group_members where group_id = $1', [groupId])
  await planNow(server)
  const { videoId } = content
  const [version] = await query<{ id: string }>('select id from video_versions where video_id = $1', [
    videoId,
  ])
  const play = {
    org: orgId,
    video: videoId,
    version: version?.id ?? '',
    durMs: 60_000,
    maxRate: 2,
    theta: 0.95,
  }
  const who = { kind: 'recipient' as const, userId: people[0] ?? '' }
  await aggregate(server, [
    watched(server, { play: { ...play, ...who }, at: Date.now() + 1_000, part: [0, 60_000] }),
  ])
  expect(await owed(0)).toMatchObject({ state: 'ended' })
  await query(
    'insert into group_members (organization_id, group_id, user_id) select $1, $2, unnest($3::uuid[])',
    [orgId, groupId, people],
  )
  await planNow(server)
  expect(await owed(0)).toMatchObject({ state: 'done' })
  expect(await owed(1)).toMatchObject({ state: 'assigned' })
  // Whether it left before they did is a matter of luck; that it was planned is not.
  expect(
    await query(
      'select last_message_at is not null as planned from obligations where assignment_id = $1 and user_id = $2',
      [assignmentId, people[1]],
    ),
  ).toEqual([{ planned: true }])
})

test('other reminders move the next message, another name moves nothing', async () => {
  await stand(0, '2031-06-02T00:00Z')
  await edit({ name: 'Fire drill of the night shift' })
  expect(await owed(0)).toMatchObject({ nextMessageOn: '2040-01-01' })
  await edit({ due: { kind: 'day', day: '2031-07-01' } })
  await edit({ due: { kind: 'day', day: '2031-07-01' }, reminders: { ...reminders, daysBefore: [7] } })
  expect(await owed(0)).toMatchObject({ dueAt: '2031-07-01T11:59:59.999Z', nextMessageOn: '2031-06-24' })
  await edit({ due: { kind: 'day', day: '2031-07-01' }, reminders: { ...reminders, most: 0 } })
  expect(await owed(0)).toMatchObject({ nextMessageOn: null })
})
