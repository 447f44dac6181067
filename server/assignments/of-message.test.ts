import { beforeEach, expect, test } from 'vitest'
import {
  changeAssignment,
  changeObligation,
  editAssignment,
  listAssignments,
  listObligations,
  readAssignment,
  remindPeople,
} from '#contract/assignments/assignments.ts'
import {
  countDeliveries,
  listDeliveries,
  watchedStates,
  type WatchedState,
} from '#contract/transmissions/deliveries.ts'
import { setDueDay } from '#contract/duty/due-day.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import {
  changeTransmission,
  createTransmission,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { planNow, sentAll } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { aGroupOf, aSendingServer, aSentVideo, mailsTo, watches } from '../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org: orgId, admin } = sending
const { query } = server

let videoId: string
let people: string[]
let groupId: string

beforeEach(async () => {
  videoId = await addVideo(server, orgId)
  ;({ people, groupId } = await aGroupOf(server, orgId, 3))
})

const dayAhead = (days: number) => new Date(Date.now() + days * 864e5).toISOString().slice(0, 10)
const reminders = { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: false, most: 3 }

/** To the group, until its mails have left. */
const send = (more: object = {}) =>
  aSentVideo(admin, {
    videoId,
    subject: 'Before the end of next week',
    body: 'Please watch this before the end of next week.',
    audience: { groupIds: [groupId] },
    dueAt: dayAhead(10),
    ...more,
  })
const read = async (transmissionId: string) =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body
const dutyOf = async (transmissionId: string) => {
  const assignmentId = (await read(transmissionId)).duty?.id ?? ''
  return (await admin.call(readAssignment, { params: { orgId, assignmentId } })).body
}
const peopleOf = async (assignmentId: string) =>
  (await admin.call(listObligations, { params: { orgId, assignmentId } })).body.items
const one = async (assignmentId: string, userId = '') =>
  (await peopleOf(assignmentId)).find(({ user }) => user.id === userId)

const watch = (userId = '', part?: [number, number]) =>
  watches(server, { videoId, userId, part, at: Date.now() - 600_000 })

const mailsOf = (userId = '') => mailsTo(server, userId)
const yesterday = () =>
  query(
    `update obligations set last_message_at = now() - interval '2 days' where last_message_at is not null`,
  )

test('reminders are refused where there is no day', async () => {
  const made = await admin.call(createTransmission, {
    body: { accountId: orgId, videoId, body: 'x', audience: { groupIds: [groupId] }, reminders },
  })
  expect(made.problem).toMatchObject({ code: 'validation_failed', fields: { reminders: ['invalid'] } })
})

test('what has a day is an assignment of its recipients, who are reminded only where its author wanted that', async () => {
  await watch(people[0])
  const plain = await dutyOf(await send())
  expect(plain).toMatchObject({
    state: 'active',
    grows: false,
    due: { kind: 'day', day: dayAhead(10) },
    reminders: { most: 0 },
    transmission: { subject: 'Before the end of next week', state: 'completed' },
    people: 3,
    counts: { done: 1, assigned: 2 },
  })
  const asked = await dutyOf(await send({ reminders }))
  expect(asked.reminders).toEqual(reminders)
  await planNow(server)
  expect((await peopleOf(plain.id)).map(({ nextMessageOn }) => nextMessageOn)).toEqual([null, null, null])
  expect(await one(asked.id, people[0])).toMatchObject({ state: 'done', nextMessageOn: null })
  expect(await one(asked.id, people[1])).toMatchObject({
    state: 'assigned',
    // There is no mail server, so that it rests in the outbox.
    lastMessageAt: null,
    unsent: 'outbox',
    nextMessageOn: dayAhead(7),
  })
  const listed = await admin.call(listAssignments, { params: { orgId }, query: { videoId } })
  expect(listed.body.items.map(({ id }) => id)).toEqual(expect.arrayContaining([plain.id, asked.id]))
  const params = { orgId, assignmentId: asked.id, userId: people[1] ?? '' }
  const history = (await admin.call(readObligationHistory, { params })).body
  expect(history.messages).toMatchObject([{ kind: 'first', state: 'accepted' }])
  // A month later nothing was sent for the one without reminders.
  await query(
    `update obligations set due_at = due_at - interval '30 days', since = since - interval '30 days' where assignment_id = $1`,
    [plain.id],
  )
  await planNow(server)
  expect(await query('select id from transmissions where assignment_id = $1', [plain.id])).toEqual([])
  expect(await one(plain.id, people[1])).toMatchObject({ state: 'overdue', nextMessageOn: null })
})

test('a reminder says what is owed, by when and what is missing, and not what the message said; whoever is done gets none', async () => {
  const [first = '', second = ''] = people
  const { id } = await dutyOf(await send({ reminders }))
  await planNow(server)
  await watch(first)
  await watch(second, [0, 30_000])
  await query(
    `update obligations set next_message_on = current_date - 2 where assignment_id = $1 and state = 'open'`,
    [id],
  )
  await planNow(server)
  await sentAll(server)
  expect(await mailsOf(first)).toHaveLength(1)
  const [message, reminder] = await mailsOf(second)
  expect(message?.text).toContain('before the end of next week')
  expect(reminder?.text).toContain('This video is still waiting for you.')
  expect(reminder?.text).not.toContain('next week.')
  expect(reminder?.text).toContain('You have seen 50%.')
  expect(reminder?.text).toContain('Please watch it by')
  expect(await mailsOf(people[2])).toHaveLength(2)
  await planNow(server)
  await sentAll(server)
  expect(await mailsOf(second)).toHaveLength(2)
})

test('the recipients of a message stand where its assignment has them, in numbers that find exactly these people', async () => {
  const [before = '', excused = '', owing = ''] = people
  await watch(before)
  const transmissionId = await send()
  const { id } = await dutyOf(transmissionId)
  await admin.call(changeObligation, {
    params: { orgId, assignmentId: id, userId: excused },
    body: { do: { action: 'waive', reason: 'Is ill', until: null } },
  })
  const params = { transmissionId }
  const counts = async () => (await admin.call(countDeliveries, { params })).body
  const found = async (state: WatchedState) =>
    (await admin.call(listDeliveries, { params, query: { watched: state } })).body.items.map(
      ({ user }) => user.id,
    )
  expect((await dutyOf(transmissionId)).counts).toMatchObject({ done: 1, waived: 1, assigned: 1 })
  expect(await counts()).toMatchObject({
    all: 1,
    elsewhere: 1,
    excused: 1,
    unfinished: 1,
    none: 1,
    opened: 0,
  })
  const counted = await counts()
  for (const state of watchedStates) expect(await found(state), state).toHaveLength(counted[state])
  expect([await found('elsewhere'), await found('excused'), await found('none')]).toEqual([
    [before],
    [excused],
    [owing],
  ])
  const { items } = (await admin.call(listDeliveries, { params, query: { sort: 'progress' } })).body
  expect(items.map(({ user, completedAt, excused: why }) => [user.id, completedAt !== null, why])).toEqual([
    [owing, false, null],
    [before, true, null],
    [excused, false, { state: 'waived', reason: 'Is ill' }],
  ])
  // Of the three, whoever saw it before is left out as one who has done it, and the excused one is not asked at all.
  const audience = { of: { transmissionId, part: 'not_watched' } } as const
  const asked = await admin.call(previewAudience, { body: { accountId: orgId, audience } })
  expect(asked.body).toMatchObject({ recipients: 1, skipped: { already_done: 1 } })
  // Without its day nobody owes it, and nobody is excused.
  await admin.call(setDueDay, { params, body: { dueAt: null } })
  expect(await counts()).toMatchObject({ all: 1, excused: 0, unfinished: 2 })
})

test('one day in both: it is moved, taken away and set again at the message, and moved or ended at the assignment', async () => {
  const [first = ''] = people
  const transmissionId = await send({ reminders })
  const { id } = await dutyOf(transmissionId)
  await planNow(server)
  const due = (dueAt: string | null) => admin.call(setDueDay, { params: { transmissionId }, body: { dueAt } })
  const extended = { action: 'extend', reason: 'Is away', day: dayAhead(40) } as const
  const [, second = ''] = people
  await admin.call(changeObligation, {
    params: { orgId, assignmentId: id, userId: second },
    body: { do: extended },
  })
  expect((await due(dayAhead(20))).status).toBe(200)
  expect(await dutyOf(transmissionId)).toMatchObject({ due: { day: dayAhead(20) } })
  expect(await one(id, first)).toMatchObject({ nextMessageOn: dayAhead(17) })
  expect((await one(id, second))?.dueAt?.slice(0, 10)).toBe(dayAhead(40))
  await due(null)
  expect(await dutyOf(transmissionId)).toMatchObject({ state: 'ended', counts: { ended: 3 } })
  expect(await one(id, first)).toMatchObject({ ending: 'assignment_ended', nextMessageOn: null })
  await due(dayAhead(20))
  await planNow(server)
  expect(await one(id, first)).toMatchObject({ state: 'assigned', nextMessageOn: dayAhead(17) })
  const before = await dutyOf(transmissionId)
  const { name, requirement, statement, audience, validity, countsSince, escalation, subject, message } =
    before
  const plan = {
    name,
    videoId,
    requirement,
    statement,
    audience,
    validity,
    countsSince,
    escalation,
    subject,
    message,
  }
  const edit = (more: object) =>
    admin.call(editAssignment, {
      params: { orgId, assignmentId: id },
      body: {
        ...plan,
        reminders,
        due: { kind: 'day', day: dayAhead(30) },
        grows: false,
        version: before.version,
        ...more,
      },
    })
  for (const wrong of [
    { due: { kind: 'none' } },
    { validity: { months: 12, renewDays: 30, from: 'done' } },
  ] as const)
    expect((await edit(wrong)).problem?.code).toBe('validation_failed')
  const moved = await edit({})
  expect([moved.status, moved.problem]).toEqual([200, undefined])
  expect((await read(transmissionId)).dueAt?.slice(0, 10)).toBe(dayAhead(30))
  expect(await one(id, first)).toMatchObject({ nextMessageOn: dayAhead(27) })
  const { version } = await dutyOf(transmissionId)
  await admin.call(changeAssignment, {
    params: { orgId, assignmentId: id },
    body: { action: 'end', version },
  })
  expect((await read(transmissionId)).dueAt).toBeNull()
  expect(await dutyOf(transmissionId)).toMatchObject({ state: 'ended' })
})

test('it is there once the message is let go, and gone where that is taken back before anybody was asked', async () => {
  const leavesAt = { day: dayAhead(2), time: '09:00' }
  const made = await admin.call(createTransmission, {
    body: {
      accountId: orgId,
      videoId,
      body: 'x',
      audience: { groupIds: [groupId] },
      dueAt: dayAhead(10),
      leavesAt,
    },
  })
  const transmissionId = made.body.id
  expect(await dutyOf(transmissionId)).toMatchObject({ people: 0, transmission: { state: 'scheduled' } })
  const act = (action: 'undo' | 'cancel' | 'submit', version: number) =>
    admin.call(changeTransmission, { params: { transmissionId }, body: { action, version } })
  const undone = await act('undo', made.body.version)
  expect(undone.body).toMatchObject({ state: 'draft', duty: null })
  const again = await act('submit', undone.body.version)
  expect(again.body.duty).not.toBeNull()
  expect((await act('cancel', again.body.version)).body.duty).toBeNull()
})

test('nobody joins it by themselves; where its author says so, whoever joins owes it and gets the message', async () => {
  const transmissionId = await send({ reminders })
  const { id } = await dutyOf(transmissionId)
  const [joined = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
    orgId,
    groupId,
    joined,
  ])
  await planNow(server)
  expect(await peopleOf(id)).toHaveLength(3)
  const before = await dutyOf(transmissionId)
  const { name, requirement, statement, audience, validity, countsSince, escalation, subject, message, due } =
    before
  const body = {
    name,
    videoId,
    requirement,
    statement,
    audience,
    validity,
    countsSince,
    escalation,
    subject,
    message,
    due,
  }
  const params = { orgId, assignmentId: id }
  await admin.call(editAssignment, {
    params,
    body: { ...body, reminders, grows: true, version: before.version },
  })
  await planNow(server)
  await query(
    `update obligations set next_message_on = current_date - 2 where assignment_id = $1 and user_id = $2 and messages = 0`,
    [id, joined],
  )
  await planNow(server)
  await sentAll(server)
  expect(await one(id, joined)).toMatchObject({ state: 'assigned' })
  expect(await mailsOf(joined)).toHaveLength(1)
  // Whoever was let in stays, also when the ledger of the message changes.
  await query(`update deliveries set state = 'cancelled' where transmission_id = $1 and user_id = $2`, [
    transmissionId,
    people[0],
  ])
  expect(await one(id, joined)).toMatchObject({ state: 'assigned' })
  expect(await one(id, people[0])).toMatchObject({ state: 'ended', ending: 'left' })
})

test('whoever has joined has the day of the message as well: it is moved, taken away and set again for them too', async () => {
  const transmissionId = await send({ reminders })
  const { id, ...before } = await dutyOf(transmissionId)
  const [joined = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
    orgId,
    groupId,
    joined,
  ])
  const { name, requirement, statement, audience, validity, countsSince, escalation, subject, message } =
    before
  const content = {
    name,
    requirement,
    statement,
    audience,
    validity,
    countsSince,
    escalation,
    subject,
    message,
  }
  const edit = async (day: string) => {
    const { version } = await dutyOf(transmissionId)
    const due = { kind: 'day', day } as const
    const body = { ...content, videoId, reminders, due, grows: true, version }
    expect((await admin.call(editAssignment, { params: { orgId, assignmentId: id }, body })).status).toBe(200)
  }
  const move = (dueAt: string | null) =>
    admin.call(setDueDay, { params: { transmissionId }, body: { dueAt } })
  const dayOfJoined = async () => (await one(id, joined))?.dueAt?.slice(0, 10)
  await edit(dayAhead(10))
  await planNow(server)
  expect(await dayOfJoined()).toBe(dayAhead(10))
  await edit(dayAhead(15))
  expect(await dayOfJoined()).toBe(dayAhead(15))
  await move(dayAhead(20))
  expect(await dayOfJoined()).toBe(dayAhead(20))
  await move(null)
  expect(await one(id, joined)).toMatchObject({ state: 'ended', ending: 'assignment_ended' })
  await move(dayAhead(25))
  expect(await one(id, joined)).toMatchObject({ state: 'assigned', ending: null })
  expect(await dayOfJoined()).toBe(dayAhead(25))
})

test('whoever owes it again before the message has reached them waits for that, and is reminded only where that was asked for', async () => {
  const [first = ''] = people
  const { id } = await dutyOf(await send())
  const decide = (action: 'waive' | 'unwaive' | 'exempt' | 'oblige') => {
    const change = { action, reason: 'As agreed' }
    return admin.call(changeObligation, {
      params: { orgId, assignmentId: id, userId: first },
      body: { do: action === 'waive' ? { ...change, action, until: null } : { ...change, action } },
    })
  }
  for (const action of ['waive', 'unwaive', 'exempt', 'oblige'] as const)
    expect((await decide(action)).status).toBe(200)
  await planNow(server)
  expect(await one(id, first)).toMatchObject({ state: 'assigned', nextMessageOn: null })
  expect(await query('select id from transmissions where assignment_id = $1', [id])).toEqual([])
})

test('reminding is one act: of an assignment, or of what is late, whoever still owes it, once a day', async () => {
  const [first = '', second = ''] = people
  const { id } = await dutyOf(await send())
  const remind = (body: object) => admin.call(remindPeople, { params: { orgId }, body })
  expect((await remind({ assignmentId: id })).body).toMatchObject({ reminded: 0, remindedToday: 3 })
  // Nor is anybody before the planner has noted who has the message, or while it is on its way to them.
  await query(
    `update deliveries d set state = 'deferred', accepted_at = null from assignments a where a.message_id = d.transmission_id and a.id = $1 and d.user_id = $2`,
    [id, first],
  )
  await query(`update obligations set messages = 0, last_message_at = null where assignment_id = $1`, [id])
  expect((await remind({ assignmentId: id })).body).toMatchObject({
    reminded: 0,
    remindedToday: 2,
    notNow: 1,
  })
  await query(
    `update deliveries d set state = 'accepted', accepted_at = now() from assignments a where a.message_id = d.transmission_id and a.id = $1 and d.user_id = $2`,
    [id, first],
  )
  await query(`update assignments set planned_at = null where id = $1`, [id])
  await planNow(server)
  await yesterday()
  await watch(first)
  await admin.call(changeObligation, {
    params: { orgId, assignmentId: id, userId: second },
    body: { do: { action: 'waive', reason: 'Is ill', until: null } },
  })
  expect((await remind({ videoIds: [videoId], late: true })).body).toMatchObject({ reminded: 0 })
  await query(`update obligations set due_at = now() - interval '1 hour' where assignment_id = $1`, [id])
  const [once, twice] = await Promise.all([
    remind({ videoIds: [videoId], late: true }),
    remind({ videoIds: [videoId], late: true }),
  ])
  expect(once.body.reminded + twice.body.reminded).toBe(1)
  await sentAll(server)
  expect(await Promise.all(people.map(async (userId) => (await mailsOf(userId)).length))).toEqual([1, 1, 2])
  expect((await remind({})).problem?.code).toBe('validation_failed')
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(remindPeople, { params: { orgId }, body: { assignmentId: id } })).status).toBe(
    404,
  )
})
