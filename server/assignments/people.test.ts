import { beforeEach, expect, test } from 'vitest'
import { changeObligation, listObligations } from '#contract/assignments/assignments.ts'
import { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import { changeObligations, exportObligations, readObligationHistory } from '#contract/duty/obligations.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { aSendingServer, anAssignment } from '../testing/worlds.ts'
import { planAssignments } from './plan.ts'

const sending = await aSendingServer()
const { server, org: orgId, admin } = sending
const { query } = server

let people: string[]
let assignmentId: string

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  const videoId = await addVideo(server, orgId)
  people = await addPeople(server, orgId, { count: 4, prefix: unique() })
  await begin(videoId, await addGroup(server, orgId, people))
})

async function begin(videoId: string, groupId: string, userIds: string[] = []): Promise<void> {
  assignmentId = await anAssignment(admin, { videoId, audience: { groupIds: [groupId], userIds } })
  await planAssignments(server.services)
}

const params = () => ({ orgId, assignmentId })
const listed = async () => (await admin.call(listObligations, { params: params() })).body.items
const stateOf = async (userId = '') => (await listed()).find(({ user }) => user.id === userId)?.state
const idOf = async (userId = '') => (await listed()).find(({ user }) => user.id === userId)?.id ?? ''
const historyOf = (userId = '') =>
  admin.call(readObligationHistory, { params: { ...params(), userId } }).then(({ body }) => body)
const many = (body: object, by = admin) =>
  by.call(changeObligations, { params: params(), body: body as never })
const settled = () =>
  until(
    async () =>
      (
        await query(
          `select 1 from transmissions where assignment_id = $1 and state in ('scheduled', 'preparing', 'sending')`,
          [assignmentId],
        )
      ).length === 0,
    20,
  )

test('nobody without a part in it reads, takes along or decides', async () => {
  const other = await server.person('admin', await server.organization('Elsewhere'))
  const body = { do: { action: 'exempt', reason: 'Mine' }, expected: 4 }
  expect((await other.call(exportObligations, { params: params(), body: {} })).status).toBe(404)
  expect((await many(body, other)).status).toBe(404)
  const viewer = await server.person('groupadmin', orgId)
  expect((await viewer.call(exportObligations, { params: params(), body: {} })).status).toBe(403)
  expect((await many(body, viewer)).status).toBe(403)
  expect(await stateOf(people[0])).toBe('assigned')
})

test('the history has decisions, former times and messages, each newest first', async () => {
  await settled()
  const [ada = ''] = people
  const decide = (change: object) =>
    admin.call(changeObligation, { params: { ...params(), userId: ada }, body: { do: change as never } })
  await decide({ action: 'waive', reason: 'On leave', until: null })
  await decide({ action: 'unwaive', reason: 'Back' })
  await query(
    `update obligations set state = 'done', done_at = now() - interval '1 year', valid_until = now() + interval '10 days',
      next_message_on = null where id = $1`,
    [await idOf(ada)],
  )
  await query(
    `insert into obligations (organization_id, assignment_id, user_id, video_id, cycle, counts_from, due_at, counted)
      select organization_id, assignment_id, user_id, video_id, 2, now(), valid_until, true from obligations where id = $1`,
    [await idOf(ada)],
  )
  const { decisions, cycles, messages } = await historyOf(ada)
  expect(decisions.map(({ action, reason }) => [action, reason])).toEqual([
    ['unwaive', 'Back'],
    ['waive', 'On leave'],
  ])
  expect(cycles.map(({ cycle, state }) => [cycle, state])).toEqual([
    [2, 'assigned'],
    [1, 'done'],
  ])
  expect(cycles[1]?.doneAt).not.toBeNull()
  expect(messages).toMatchObject([{ kind: 'first', cycle: 1, state: 'accepted' }])
  expect(messages[0]?.sentAt).not.toBeNull()
  expect((await historyOf(people[1])).decisions).toEqual([])
})

test('whoever was waived in the matrix is told of no next message, for none is sent', async () => {
  const nextTo = async (userId = '') =>
    (await listed()).find(({ user }) => user.id === userId)?.nextMessageOn ?? null
  expect(await nextTo(people[0])).not.toBeNull()
  await query(
    `insert into training_waivers (organization_id, user_id, video_id, reason, given_by, given_by_name)
      select organization_id, user_id, video_id, 'Elsewhere', $2, 'Decider' from obligations where id = $1`,
    [await idOf(people[0]), admin.id],
  )
  expect(await stateOf(people[0])).toBe('waived')
  expect(await nextTo(people[0])).toBeNull()
  expect(await nextTo(people[1])).not.toBeNull()
})

test('a file tells the days of the organization, wherever its reader is', async () => {
  await query(`update organizations set time_zone = 'America/Los_Angeles' where id = $1`, [orgId])
  const ids = [await idOf(people[1])]
  await many({ ids, do: { action: 'extend', reason: 'On leave', day: '2035-01-31' }, expected: 1 })
  const path = `/api/organizations/${orgId}/assignments/${assignmentId}/people/export`
  const text = String((await admin.send('POST', path, { body: { ids } })).body)
  expect(text).toContain(',2035-01-31,')
  const matrix = String(
    (await admin.send('GET', `/api/organizations/${orgId}/training/export?form=cells&format=csv`)).body,
  )
  expect(matrix).toContain(',2035-01-31,')
  await query(`update organizations set time_zone = 'UTC' where id = $1`, [orgId])
})

test('the people are taken along as the list shows them, as text, workbook and pages', async () => {
  await many({ ids: [await idOf(people[0])], do: { action: 'exempt', reason: 'Other work' }, expected: 1 })
  const take = (body: object) =>
    admin.send('POST', `/api/organizations/${orgId}/assignments/${assignmentId}/people/export`, { body })
  const text = async (body: object) => String((await take(body)).body)
  const all = await text({})
  expect(all.trim().split('\n')).toHaveLength(5)
  expect(all).toContain('Name,Email,State,Reason')
  const ended = await text({ filter: { state: 'ended' } })
  expect(ended.trim().split('\n')).toHaveLength(2)
  expect(ended).toContain('Other work')
  const one = await text({ ids: [await idOf(people[1])], sort: '-name' })
  expect(one.trim().split('\n')).toHaveLength(2)
  const [entry] = await query<{ n: number }>(
    `select count(*)::int as n from audit where action = 'obligations.exported' and entity_id = $1`,
    [assignmentId],
  )
  expect(entry?.n).toBe(3)
  const book = await take({ format: 'xlsx' })
  expect(book.headers['content-disposition']).toContain('assignment')
  expect(String(book.body).slice(0, 2)).toBe('PK')
  expect(String((await take({ format: 'pdf', filter: { state: 'ended' } })).body).slice(0, 4)).toBe('%PDF')
})

test('several are excused at once, each with history and audit; who cannot be is named with the reason', async () => {
  const [ada = '', bob = '', cy = '', dan = ''] = people
  const ids = [await idOf(ada), await idOf(bob)]
  const first = await many({
    ids,
    do: { action: 'waive', reason: 'Parental leave', until: null },
    expected: 2,
  })
  expect(first.body).toEqual({ changed: 2, leftOut: [] })
  expect((await historyOf(ada)).decisions).toMatchObject([{ action: 'waive', reason: 'Parental leave' }])
  const [entry] = await query<{ n: number }>(
    `select count(*)::int as n from audit where action = 'obligation.waive' and entity_id = any($1)`,
    [[ada, bob]],
  )
  expect(entry?.n).toBe(2)
  const all = await many({
    filter: {},
    exceptIds: [await idOf(dan)],
    do: { action: 'waive', reason: 'Everybody', until: null },
    expected: 3,
  })
  expect(all.body.changed).toBe(1)
  expect(new Map(all.body.leftOut.map(({ user, reason }) => [user.id, reason]))).toEqual(
    new Map([ada, bob].map((id) => [id, 'obligation_moved_on'])),
  )
  expect(await stateOf(cy)).toBe('waived')
  expect(await stateOf(dan)).toBe('assigned')
  const stale = await many({ do: { action: 'exempt', reason: 'All of them' }, expected: 3 })
  expect([stale.status, stale.problem?.reason]).toEqual([
    409,
    expect.objectContaining({ code: 'people_changed' }),
  ])
  expect((await many({ ids, do: { action: 'exempt', reason: ' ' }, expected: 2 })).status).toBe(422)
  expect(
    (await many({ ids, do: { action: 'extend', reason: 'Ill', day: '2001-01-01' }, expected: 2 })).status,
  ).toBe(422)
  const later = await many({ ids, do: { action: 'extend', reason: 'Ill', day: '2031-01-01' }, expected: 2 })
  expect(later.body.changed).toBe(2)
  expect((await historyOf(bob)).decisions[0]).toMatchObject({ action: 'extend', reason: 'Ill' })
})

test('several are reminded in one message, and nobody twice within a day', async () => {
  await settled()
  const remind = { do: { action: 'remind', reason: 'It is urgent' }, expected: 4 }
  expect((await many(remind)).body).toMatchObject({
    changed: 0,
    leftOut: [{ reason: 'not_reminded' }, {}, {}, {}],
  })
  await query(`update obligations set last_message_at = now() - interval '2 days' where assignment_id = $1`, [
    assignmentId,
  ])
  expect((await many(remind)).body).toEqual({ changed: 4, leftOut: [] })
  expect((await many(remind)).body.changed).toBe(0)
  await settled()
  const sent = await query(`select id from transmissions where assignment_id = $1`, [assignmentId])
  expect(sent).toHaveLength(2)
  expect((await historyOf(people[0])).messages.map(({ kind }) => kind).toSorted()).toEqual([
    'first',
    'manual',
  ])
})

test('nobody excuses themselves among others', async () => {
  await begin(await addVideo(server, orgId), await addGroup(server, orgId, people), [admin.id])
  const done = await many({ do: { action: 'exempt', reason: 'All of us' }, expected: 5 })
  expect(done.body.changed).toBe(4)
  expect(done.body.leftOut).toMatchObject([{ user: { id: admin.id }, reason: 'own_waiver' }])
})

test('before it begins, the mails of the next 30 days are counted, as the plan would send them', async () => {
  const videoId = await addVideo(server, orgId)
  const [first = ''] = people
  await query(`update users set email = 'no address' where id = $1`, [first])
  const reminders = { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 4 }
  const body = { videoId, audience: { userIds: people }, requirement: 'watched' as const, countsSince: null }
  const counted = await admin.call(previewAssignment, {
    params: { orgId },
    body: { ...body, due: { kind: 'after', days: 10, working: false }, reminders },
  })
  const { mails } = counted.body
  expect(mails).toHaveLength(30)
  const sent = mails.flatMap(({ count }, at) => (count > 0 ? [[at, count]] : []))
  expect(sent).toEqual([0, 7, 10, 12, 19].map((at) => [at, 3]))
  const without = await admin.call(previewAssignment, { params: { orgId }, body })
  expect(without.body).toMatchObject({ people: 4, withoutMail: 1, mails: [] })
  const none = { ...reminders, most: 0 }
  const once = await admin.call(previewAssignment, {
    params: { orgId },
    body: { ...body, due: { kind: 'none' }, reminders: none },
  })
  expect(once.body.mails.filter(({ count }) => count > 0)).toEqual([mails[0]])
})
