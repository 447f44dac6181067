import { beforeEach, expect, test } from 'vitest'
import {
  changeAssignment,
  changeObligation,
  listAssignments,
  listOwedBy,
  readAssignment,
  type ObligationChange,
} from '#contract/assignments/assignments.ts'
import { countDeliveries, listDeliveries } from '#contract/transmissions/deliveries.ts'
import { setDueDay } from '#contract/duty/due-day.ts'
import {
  createTransmission,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { listTraining, readTraining, readTrainingCell, waiveTraining } from '#contract/matrix/training.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { planNow } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { aSendingServer, anAssignment, watches } from '../testing/worlds.ts'

/** The training matrix tells what assignments ask for. */
const sending = await aSendingServer()
const { server, org: orgId, admin } = sending
const { query } = server

let videoId: string
let people: string[]

beforeEach(async () => {
  videoId = await addVideo(server, orgId)
  people = await addPeople(server, orgId, { count: 2, prefix: unique() })
})

async function oblige(more: object = {}): Promise<string> {
  const id = await anAssignment(admin, {
    name: 'Fire drill',
    videoId,
    audience: { userIds: people },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [300], weekly: false, most: 1 },
    escalation: null,
    ...more,
  })
  await planNow(server)
  return id
}

/** Of both people, by the letters of the matrix. */
async function letters(): Promise<string[]> {
  const asked = { params: { orgId }, query: { videos: 'any', limit: 100 } } as const
  const { items, videoIds } = (await admin.call(listTraining, asked)).body
  const at = videoIds.indexOf(videoId)
  return people.map((id) => items.find((one) => one.id === id)?.cells[at] ?? '-')
}
const column = async () =>
  (await admin.call(readTraining, { params: { orgId } })).body.videos.find(({ id }) => id === videoId)
const cellOf = async (userId = '') =>
  (await admin.call(readTrainingCell, { params: { orgId, userId, videoId } })).body

/** The whole video, so many milliseconds from now. */
const watch = (userId = '', inMs = -600_000) => watches(server, { videoId, userId, at: Date.now() + inMs })

const decide = (assignmentId: string, change: ObligationChange, userId = people[0] ?? '') =>
  admin.call(changeObligation, { params: { orgId, assignmentId, userId }, body: { do: change } })

test('a cell is assigned, overdue by the day of the obligation, done, expired, and owed again', async () => {
  const id = await oblige({ validity: { months: 12, renewDays: 30 } })
  const [first, second] = people
  expect((await letters()).every((letter) => letter === 'a' || letter === 'd')).toBe(true)
  expect(await column()).toMatchObject({ required: 2, done: 0 })
  const own = (set: string, userId = first) =>
    query(`update obligations set ${set} where assignment_id = $1 and user_id = $2`, [id, userId])
  await own(`due_at = now() - interval '1 day', counts_from = now() - interval '1 hour'`)
  expect((await letters())[0]).toBe('o')
  expect(await column()).toMatchObject({ required: 2, overdue: 1 })
  await watch(first)
  expect((await letters())[0]).toBe('c')
  expect(await cellOf(first)).toMatchObject({
    state: 'completed',
    completedAt: expect.any(String),
    obligations: [{ assignment: { id, name: 'Fire drill' }, state: 'completed' }],
  })
  await admin.call(changeAssignment, {
    params: { orgId, assignmentId: id },
    body: { action: 'pause', version: (await versionOf(id)) ?? 0 },
  })
  await own(`valid_until = now() - interval '1 hour'`)
  expect((await letters())[0]).toBe('e')
  expect(await column()).toMatchObject({ required: 2, done: 0, counts: { expired: 1 } })
  await admin.call(changeAssignment, {
    params: { orgId, assignmentId: id },
    body: { action: 'resume', version: (await versionOf(id)) ?? 0 },
  })
  await planNow(server)
  // The next cycle was due when the last one ran out; that it was watched before counts no more.
  expect((await letters())[0]).toBe('o')
  expect(await cellOf(first)).toMatchObject({ state: 'overdue', completedAt: null })
  expect((await letters())[1]).not.toBe('o')
  await watch(first, 1_000)
  // The planning that resuming has begun may still be counting it.
  await expect.poll(async () => (await letters())[0], { timeout: 20_000 }).toBe('c')
  expect((await letters())[1]).toBe((await cellOf(second)).state?.[0])
})
const versionOf = async (assignmentId: string) =>
  (await admin.call(readAssignment, { params: { orgId, assignmentId } })).body.version

test('who was excused, exempted or has left owes nothing by it, and neither does anybody when it ends', async () => {
  const id = await oblige()
  await query(`update obligations set due_at = now() - interval '1 day' where assignment_id = $1`, [id])
  expect(await letters()).toEqual(['o', 'o'])
  await decide(id, { action: 'waive', reason: 'On leave', until: null })
  expect(await letters()).toEqual(['w', 'o'])
  await decide(id, { action: 'unwaive', reason: 'Back' })
  await decide(id, { action: 'exempt', reason: 'Has moved' })
  expect(await letters()).toEqual(['-', 'o'])
  await decide(id, { action: 'oblige', reason: 'Is back' })
  await decide(id, {
    action: 'extend',
    reason: 'Was ill',
    day: new Date(Date.now() + 9e8).toISOString().slice(0, 10),
  })
  expect((await letters())[0]).not.toBe('o')
  await admin.call(changeAssignment, {
    params: { orgId, assignmentId: id },
    body: { action: 'end', version: (await versionOf(id)) ?? 0 },
  })
  expect(await letters()).toEqual(['-', '-'])
})

test('what was watched before somebody was obliged is not completed, although a transmission asked for it', async () => {
  const asked = await admin.call(createTransmission, {
    body: { accountId: orgId, videoId, body: 'x', audience: { userIds: people } },
  })
  const sent = async () =>
    (await admin.call(readTransmission, { params: { transmissionId: asked.body.id } })).body
  await until(async () => (await sent()).state === 'completed', 20)
  await watch(people[0])
  expect((await letters())[0]).toBe('c')
  await oblige()
  expect((await letters())[0]).not.toBe('c')
  expect(await column()).toMatchObject({ required: 2, done: 0 })
})

/** Sent, and watched by the first before that; late by a day. */
async function sendWithDay(): Promise<string> {
  await watch(people[0])
  const dueAt = new Date(Date.now() + 864e5).toISOString()
  const made = await admin.call(createTransmission, {
    body: { accountId: orgId, videoId, body: 'x', audience: { userIds: people }, dueAt },
  })
  const params = { transmissionId: made.body.id }
  await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 20)
  return made.body.id
}
const owedTo = (transmissionId: string) =>
  query<{ userId: string; state: string }>(
    `select user_id as "userId", state from obligations where assignment_id = (select id from assignments where message_id = $1) order by array_position($2::uuid[], user_id)`,
    [transmissionId, people],
  )

test('the day of a transmission is an obligation of its recipients, which follows the day', async () => {
  const [first = '', second = ''] = people
  const transmissionId = await sendWithDay()
  expect(await owedTo(transmissionId)).toEqual([
    { userId: first, state: 'done' },
    { userId: second, state: 'open' },
  ])
  expect(await letters()).toEqual(['c', 'd'])
  const listed = await admin.call(listAssignments, { params: { orgId }, query: { videoId } })
  expect(listed.body.items).toMatchObject([
    { transmission: { id: transmissionId }, grows: false, people: 2, counts: { done: 1, assigned: 1 } },
  ])
  await query(
    `update obligations set due_at = now() - interval '1 hour' where assignment_id = (select id from assignments where message_id = $1)`,
    [transmissionId],
  )
  expect(await letters()).toEqual(['c', 'o'])
  const later = { params: { transmissionId }, body: { dueAt: new Date(Date.now() + 9e8).toISOString() } }
  expect((await admin.call(setDueDay, later)).status).toBe(200)
  expect(await letters()).toEqual(['c', 'd'])
  expect((await cellOf(second)).dueAt).toBe(later.body.dueAt)
  await admin.call(setDueDay, { params: { transmissionId }, body: { dueAt: null } })
  expect((await owedTo(transmissionId)).map(({ state }) => state)).toEqual(['ended', 'ended'])
  expect((await cellOf(second)).dueAt).toBeNull()
  await admin.call(setDueDay, later)
  await watch(second)
  expect((await owedTo(transmissionId)).map(({ state }) => state)).toEqual(['done', 'done'])
  expect(await letters()).toEqual(['c', 'c'])
})

test('the page of a person tells what each asked for, with what became of it', async () => {
  const [first = '', second = ''] = people
  const transmissionId = await sendWithDay()
  const id = await oblige()
  const [ofMessage] = await query<{ id: string }>('select id from assignments where message_id = $1', [
    transmissionId,
  ])
  const dayId = ofMessage?.id
  const owed = async (userId: string) => {
    const { items } = (await admin.call(listOwedBy, { params: { orgId, userId } })).body
    return items.map(({ assignment, state }) => [assignment.id, state])
  }
  expect(await owed(first)).toEqual([
    [id, 'assigned'],
    [dayId, 'done'],
  ])
  expect(await owed(second)).toEqual([
    [id, 'assigned'],
    [dayId, 'assigned'],
  ])
  await query(
    `update obligations set due_at = now() - interval '1 hour' where assignment_id = (select id from assignments where message_id = $1)`,
    [transmissionId],
  )
  expect(await owed(second)).toContainEqual([dayId, 'overdue'])
  await admin.call(waiveTraining, {
    params: { orgId, userId: second, videoId },
    body: { reason: 'On leave' },
  })
  expect(await owed(second)).toContainEqual([dayId, 'waived'])
  await admin.call(setDueDay, { params: { transmissionId }, body: { dueAt: null } })
  expect(await owed(second)).toContainEqual([dayId, 'ended'])
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(listOwedBy, { params: { orgId, userId: first } })).status).toBe(404)
})

test('an assignment decides what counts, whichever was first, and whoever is late by the day of a message stays late', async () => {
  const transmissionId = await sendWithDay()
  await query(`update transmissions set due_at = now() - interval '1 day' where id = $1`, [transmissionId])
  expect(await letters()).toEqual(['c', 'o'])
  await oblige()
  expect(await letters()).toEqual(['d', 'o'])
  expect(await column()).toMatchObject({ required: 2, done: 0, overdue: 1 })
  await admin.call(setDueDay, { params: { transmissionId }, body: { dueAt: null } })
  expect(await letters()).toEqual(['d', 'd'])
})

test('whoever is excused in the matrix gets no message of any assignment', async () => {
  const [first = '', second = ''] = people
  const params = { orgId, userId: first, videoId }
  await admin.call(waiveTraining, { params, body: { reason: 'On leave' } })
  const id = await oblige()
  expect((await letters())[0]).toBe('w')
  const written = await query<{ userId: string }>(
    `select o.user_id as "userId" from obligation_messages m join obligations o on o.id = m.obligation_id where o.assignment_id = $1`,
    [id],
  )
  expect(written).toEqual([{ userId: second }])
})

/** Where the recipients of a message stand, and how many of them are in each of its groups. */
async function recipientsOf(transmissionId: string) {
  const { items } = (await admin.call(listDeliveries, { params: { transmissionId } })).body
  const { all, elsewhere, unfinished, excused } = (
    await admin.call(countDeliveries, { params: { transmissionId } })
  ).body
  return {
    people: people.map((id) => items.find(({ user }) => user.id === id)),
    all,
    elsewhere,
    unfinished,
    excused,
  }
}

test('whoever completed a message another way, or was excused, is told among its recipients, and so is who is asked again', async () => {
  const [first = '', second = ''] = people
  const made = await admin.call(createTransmission, {
    body: {
      accountId: orgId,
      videoId,
      subject: 'Please watch',
      body: 'Hello',
      audience: { userIds: people },
    },
  })
  const { id } = made.body
  const params = { transmissionId: id }
  await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 20)
  const asked = await recipientsOf(id)
  expect(asked).toMatchObject({ all: 0, elsewhere: 0, unfinished: 2, excused: 0 })
  expect(asked.people.map((one) => one?.standing)).toEqual([
    { state: 'delivered', dueAt: null },
    { state: 'delivered', dueAt: null },
  ])
  await watch(first)
  await admin.call(waiveTraining, {
    params: { orgId, userId: second, videoId },
    body: { reason: 'On leave' },
  })
  const done = await recipientsOf(id)
  expect(done).toMatchObject({ all: 1, elsewhere: 1, unfinished: 0, excused: 1 })
  expect(done.people).toMatchObject([
    { standing: { state: 'completed' }, completedElsewhere: true, excused: null },
    { standing: { state: 'waived' }, completedAt: null, excused: { state: 'waived', reason: 'On leave' } },
  ])
  const again = { accountId: orgId, audience: { of: { transmissionId: id, part: 'not_watched' as const } } }
  expect((await admin.call(previewAudience, { body: again })).body.recipients).toBe(0)
  const assignmentId = await oblige()
  const dueAt = (await cellOf(first)).dueAt
  expect((await recipientsOf(id)).people[0]).toMatchObject({
    standing: { state: expect.stringMatching(/^(?:assigned|delivered)$/), dueAt },
    completedAt: expect.any(String),
  })
  await query(
    `update obligations set due_at = now() - interval '1 day', counts_from = now() - interval '1 hour' where assignment_id = $1`,
    [assignmentId],
  )
  expect((await recipientsOf(id)).people[0]?.standing?.state).toBe('overdue')
  expect((await letters())[0]).toBe('o')
})
