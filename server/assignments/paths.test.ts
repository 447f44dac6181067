import { beforeEach, expect, test } from 'vitest'
import { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import {
  changeAssignment,
  changeObligation,
  createAssignment,
  editAssignment,
  listAssignments,
  listObligations,
  readAssignment,
} from '#contract/assignments/assignments.ts'
import { readReceipt } from '#contract/evidence/certificates.ts'
import { readQuiz } from '#contract/quizzes/quizzes.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { planNow, sentAll } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import { aGroupOf, aSendingServer, anOrganization, assignmentOf, watches } from '../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org: orgId, admin } = sending
const { query } = server

let videos: string[]
let people: string[]
let groupId: string

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  videos = [await addVideo(server, orgId), await addVideo(server, orgId), await addVideo(server, orgId)]
  ;({ people, groupId } = await aGroupOf(server, orgId, 3))
})

const plan = (more: object = {}) =>
  assignmentOf({ name: 'Step 1', videoId: videos[0] ?? '', audience: { groupIds: [groupId] }, ...more })

/** Of the plan, what the preview asks for. */
function asking(more: object = {}) {
  const { videoId, audience, requirement, due, countsSince, reminders } = plan()
  return { videoId, audience, requirement, due, countsSince, reminders, ...more }
}

const post = (more: object = {}) =>
  admin.call(createAssignment, { params: { orgId }, body: { ...plan(more), start: true } })
const after = (...names: string[]) => names.map((name, at) => ({ name, videoId: videos[at + 1] ?? '' }))

/** A path of two videos that has begun. */
async function pathOfTwo(more: object = {}): Promise<[string, string]> {
  const { body, problem } = await post({ ...more, further: after('Step 2') })
  expect(problem).toBeUndefined()
  return [body.id, (await read(body.id)).path[1]?.id ?? '']
}

const at = (assignmentId: string) => ({ orgId, assignmentId })
const read = async (id: string) => (await admin.call(readAssignment, { params: at(id) })).body
const of = async (id: string, userId = '') =>
  (await admin.call(listObligations, { params: at(id), query: {} })).body.items.find(
    ({ user }) => user.id === userId,
  )
const decide = (id: string, userId = '', change: object = {}) =>
  admin.call(changeObligation, { params: { ...at(id), userId }, body: { do: change as never } })
const act = async (id: string, action: 'start' | 'start_path' | 'pause' | 'end') =>
  admin.call(changeAssignment, { params: at(id), body: { action, version: (await read(id)).version } })
const fieldsOf = async (more: object) => (await post(more)).problem?.fields

const watch = (userId = '', videoId = '', at?: number) => watches(server, { videoId, userId, at })

const mailsTo = async (userId = '', videoId = '') =>
  (
    await query<{ state: string }>(
      `select d.state from deliveries d join transmissions t on t.id = d.transmission_id
        where d.user_id = $1 and t.video_id = $2 and t.assignment_id is not null`,
      [userId, videoId],
    )
  ).map(({ state }) => state)
test('requires sign-in', async () => {
  expect((await server.call(createAssignment, { params: { orgId }, body: plan() })).status).toBe(401)
  expect((await server.call(previewAssignment, { params: { orgId }, body: asking() })).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  const body = plan({ further: after('Step 2') })
  expect((await groupadmin.call(createAssignment, { params: { orgId }, body })).status).toBe(403)
  expect((await groupadmin.call(previewAssignment, { params: { orgId }, body: asking() })).status).toBe(403)
})

test('a path that was saved as a draft is started at once, or one by one', async () => {
  const draft = async () => {
    const { body } = await admin.call(createAssignment, {
      params: { orgId },
      body: { ...plan({ further: after('Step 2', 'Step 3') }), start: false },
    })
    return body.id
  }
  const states = async (id: string) => (await read(id)).path.map(({ state }) => state)
  const alone = await draft()
  expect((await act(alone, 'start')).status).toBe(200)
  expect(await states(alone)).toEqual(['active', 'draft', 'draft'])
  expect((await act(alone, 'start_path')).status).toBe(409)

  const whole = await draft()
  const [, , last] = (await read(whole)).path
  await query(`update assignments set requirement = 'passed' where id = $1`, [last?.id])
  const refused = await act(whole, 'start_path')
  expect([refused.status, refused.problem?.reason?.code]).toEqual([409, 'no_questions_to_pass'])
  expect(await states(whole)).toEqual(['draft', 'draft', 'draft'])
  await query(`update assignments set requirement = 'watched' where id = $1`, [last?.id])
  expect((await act(whole, 'start_path')).status).toBe(200)
  expect(await states(whole)).toEqual(['active', 'active', 'active'])
  const started = await query(
    `select 1 from audit where action = 'assignment.started' and entity_id = any($1)`,
    [(await read(whole)).path.map(({ id }) => id)],
  )
  expect(started).toHaveLength(3)
})

test('whoever has done the first video is obliged to see the second from then on, and is told once', async () => {
  const [first, second] = await pathOfTwo()
  await planNow(server)
  await sentAll(server)
  expect(await read(first)).toMatchObject({ people: 3, waiting: 0, counts: { assigned: 3 } })
  expect(await read(second)).toMatchObject({ people: 0, waiting: 3, waitsFor: { id: first, name: 'Step 1' } })
  expect(await mailsTo(people[0], videos[1])).toEqual([])
  await query(
    `update obligations set since = since - interval '5 days', due_at = due_at - interval '5 days' where assignment_id = $1`,
    [first],
  )
  await watch(people[0], videos[0])
  await planNow(server)
  await sentAll(server)
  expect(await read(second)).toMatchObject({ people: 1, waiting: 2, counts: { assigned: 1 } })
  const owed = await of(second, people[0])
  const days = (Date.parse(owed?.dueAt ?? '') - Date.now()) / 86_400_000
  expect(days > 9 && days < 12).toBe(true)
  expect(await mailsTo(people[0], videos[1])).toEqual(['accepted'])
  expect(await mailsTo(people[1], videos[1])).toEqual([])
  await watch(people[0], videos[1])
  expect(await of(second, people[0])).toMatchObject({ state: 'done' })
})

test('mail and page say which video of the path it is, and what comes next until nothing does', async () => {
  const [first, second] = await pathOfTwo()
  await planNow(server)
  await sentAll(server)
  const newest = async (videoId = '') => {
    const [mail] = await query<{ text: string }>(
      `select m.text from mails m join deliveries d on d.id = m.delivery_id join transmissions t on t.id = d.transmission_id
        where d.user_id = $1 and t.video_id = $2 order by m.created_at desc limit 1`,
      [people[0], videoId],
    )
    const page = await openPage(server, /(\/w\/video\/\S+)/.exec(mail?.text ?? '')?.[1] ?? '')
    const { playToken = '' } = page.data ?? {}
    return { text: mail?.text, html: page.html, playToken }
  }
  const nextOf = async (playToken: string) =>
    (await server.call(readReceipt, { body: { playToken } })).body.next
  const one = await newest(videos[0])
  expect(one.text).toContain('. It is video 1 of 2.\n')
  expect(one.html).toContain('<p class="soft">Video 1 of 2</p>')
  await watch(people[0], videos[0])
  // Nobody has looked yet who begins the second.
  expect([await nextOf(one.playToken), (await read(second)).people]).toEqual(['Fire drill', 0])
  await planNow(server)
  await sentAll(server)
  const two = await newest(videos[1])
  expect(two.text).toContain('. It is video 2 of 2.\n')
  expect(await nextOf(one.playToken)).toBe('Fire drill')
  await watch(people[0], videos[1])
  expect([await nextOf(one.playToken), await nextOf(two.playToken)]).toEqual([null, null])
  expect((await of(first, people[0]))?.state).toBe('done')

  // What stands alone is no path.
  await post({ videoId: videos[2] })
  await planNow(server)
  await sentAll(server)
  const third = await newest(videos[2])
  expect([third.text?.includes('It is video'), third.html.includes('Video 1 of')]).toEqual([false, false])
})

test('whoever writes questions is told how many people owe their video', async () => {
  const [first] = await pathOfTwo()
  await planNow(server)
  const owing = async () => (await admin.call(readQuiz, { params: { videoId: videos[0] ?? '' } })).body.owedBy
  expect(await owing()).toBe(3)
  await watch(people[0], videos[0])
  await decide(first, people[1], { action: 'waive', reason: 'Knows it', until: null })
  expect(await owing()).toBe(1)
})

test('who has only watched what has to be passed does not begin the next', async () => {
  const [first, second] = await pathOfTwo()
  await query(`update assignments set requirement = 'passed' where id = $1`, [first])
  await planNow(server)
  await watch(people[0], videos[0])
  await planNow(server)
  expect((await of(first, people[0]))?.state).toBe('watched')
  expect(await of(second, people[0])).toBeUndefined()
})

test('excused for good passes, excused until a day waits; an excuse that is taken back lets go', async () => {
  const [first, second] = await pathOfTwo()
  await planNow(server)
  const [ada, bob, carl] = people
  await decide(first, ada, { action: 'waive', reason: 'Knows it', until: null })
  await decide(first, bob, { action: 'exempt', reason: 'Other work' })
  await decide(first, carl, { action: 'waive', reason: 'On leave', until: '2099-01-01' })
  await planNow(server)
  expect((await of(second, ada))?.state).toBe('assigned')
  expect((await of(second, bob))?.state).toBe('assigned')
  expect(await of(second, carl)).toBeUndefined()
  await decide(first, ada, { action: 'unwaive', reason: 'A mistake' })
  await planNow(server)
  expect(await of(second, ada)).toMatchObject({ state: 'ended', ending: 'left' })
  await watch(ada, videos[0])
  await planNow(server)
  expect(await of(second, ada)).toMatchObject({ state: 'assigned', ending: null })
  await query(
    `insert into training_waivers (organization_id, user_id, video_id, reason, given_by, given_by_name)
      values ($1, $2, $3, 'Elsewhere', $4, 'Decider')`,
    [orgId, carl, videos[0], admin.id],
  )
  await planNow(server)
  expect((await of(second, carl))?.state).toBe('assigned')
})

test('a joiner begins at the first video, and who leaves owes none', async () => {
  const [first, second] = await pathOfTwo()
  await planNow(server)
  await watch(people[0], videos[0])
  await planNow(server)
  const [newcomer = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
    orgId,
    groupId,
    newcomer,
  ])
  await query('delete from group_members where group_id = $1 and user_id = $2', [groupId, people[0]])
  await planNow(server)
  expect(await of(second, people[0])).toMatchObject({ state: 'ended', ending: 'left' })
  expect((await of(first, newcomer))?.state).toBe('assigned')
  expect(await of(second, newcomer)).toBeUndefined()
  await watch(newcomer, videos[0])
  await planNow(server)
  expect((await of(second, newcomer))?.state).toBe('assigned')
})

test('whoever has watched and failed still waits', async () => {
  await query(
    `with q as (insert into quizzes (organization_id, video_id, draft) values ($1, $2, '{}') returning id)
      insert into quiz_versions (organization_id, quiz_id, number, settings, max_score) select $1, id, 1, '{}', 1 from q`,
    [orgId, videos[0]],
  )
  await query(
    `update quizzes q set current_version_id = n.id from quiz_versions n where n.quiz_id = q.id and q.video_id = $1`,
    [videos[0]],
  )
  const { body: first } = await post({ requirement: 'passed' })
  const { body: second } = await post({ name: 'Step 2', videoId: videos[1], waitsForId: first.id })
  await planNow(server)
  await watch(people[0], videos[0])
  const attempt = (passed: boolean) =>
    query(
      `insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score,
        completed_at, passed) values ($1, gen_random_uuid(), gen_random_uuid(), $2, 'recipient:' || $3::text, $3::uuid, gen_random_uuid(), 1, 1, 1, now(), $4)`,
      [orgId, videos[0], people[0], passed],
    )
  await attempt(false)
  await planNow(server)
  expect((await of(first.id, people[0]))?.state).toBe('failed')
  expect(await of(second.id, people[0])).toBeUndefined()
  await attempt(true)
  await watch(people[0], videos[0], Date.now() + 200_000)
  await planNow(server)
  expect((await of(second.id, people[0]))?.state).toBe('assigned')
})

test('the first video once more changes nothing of the second', async () => {
  const [first, second] = await pathOfTwo({ validity: { months: 12, renewDays: 30 } })
  await planNow(server)
  await watch(people[0], videos[0])
  await planNow(server)
  await query(
    `update obligations set valid_until = now() + interval '10 days' where assignment_id = $1 and state = 'done'`,
    [first],
  )
  await query(`update play_sessions set started_at = started_at - interval '1 day' where video_id = $1`, [
    videos[0],
  ])
  await planNow(server)
  expect(await of(first, people[0])).toMatchObject({ cycle: 2, state: 'assigned' })
  expect(await of(second, people[0])).toMatchObject({ cycle: 1, state: 'assigned' })
})

test('once the first has ended, whoever has begun the second goes on, and nobody else begins', async () => {
  const [first, second] = await pathOfTwo()
  await planNow(server)
  const [ada, bob, carl] = people
  await watch(ada, videos[0])
  await decide(first, bob, { action: 'waive', reason: 'Knows it', until: null })
  await planNow(server)
  expect((await act(first, 'end')).status).toBe(200)
  await planNow(server)
  expect((await of(second, ada))?.state).toBe('assigned')
  expect((await of(second, bob))?.state).toBe('assigned')
  await watch(carl, videos[0])
  await planNow(server)
  expect(await of(second, carl)).toBeUndefined()
  expect(await read(second)).toMatchObject({ waiting: 1, waitsFor: { state: 'ended' } })
  expect(await fieldsOf({ waitsForId: first })).toEqual({ waitsForId: ['path_ended'] })
})

test('three videos in one request, all or none, and once however often it is sent', async () => {
  const strange = crypto.randomUUID()
  const before = await query('select 1 from assignments')
  const wrong = [...after('Step 2'), { name: 'Step 3', videoId: strange }]
  expect(await fieldsOf({ further: wrong })).toEqual({ 'further.1.videoId': ['not_found'] })
  expect(await fieldsOf({ further: [{ name: ' ', videoId: videos[1] }] })).toHaveProperty(['further.0.name'])
  const many = Array.from({ length: 20 }, () => ({ name: 'Step', videoId: videos[1] }))
  expect(await fieldsOf({ further: many })).toEqual({ further: ['too_long'] })
  expect(await query('select 1 from assignments')).toHaveLength(before.length)
  const headers = { 'idempotency-key': unique() }
  const body = { ...plan({ further: after('Step 2', 'Step 3') }), start: true }
  const made = await admin.call(createAssignment, { params: { orgId }, body, headers })
  const again = await admin.call(createAssignment, { params: { orgId }, body, headers })
  expect(again.body.id).toBe(made.body.id)
  expect(await query('select 1 from assignments')).toHaveLength(before.length + 3)
  const { path } = await read(made.body.id)
  expect(path.map(({ name, state, people: n }) => [name, state, n])).toEqual([
    ['Step 1', 'active', 0],
    ['Step 2', 'active', 0],
    ['Step 3', 'active', 0],
  ])
  expect(path.map(({ waitsForId }) => waitsForId)).toEqual([null, path[0]?.id, path[1]?.id])
  expect((await read(path[2]?.id ?? '')).path).toEqual(path)
  const listed = await admin.call(listAssignments, { params: { orgId }, query: { state: 'active' } })
  expect(listed.body.items.map(({ waitsFor }) => waitsFor?.name)).toContain('Step 2')
  const entries = await query<{ after: object }>(
    `select after from audit where action = 'assignment.created' and entity_id = $1`,
    [path[1]?.id],
  )
  expect(entries).toMatchObject([{ after: { name: 'Step 2', waitsForId: path[0]?.id } }])
})

test('nothing waits for itself, for a stranger or in a ring, also when two ask at once', async () => {
  const draft = async (more: object = {}) =>
    (await admin.call(createAssignment, { params: { orgId }, body: plan(more) })).body
  const one = await draft()
  const two = await draft()
  const edit = (id: string, waitsForId: string | null, version = 1) =>
    admin.call(editAssignment, { params: at(id), body: { ...plan({ waitsForId }), version } })
  const problemOf = async (id: string, waitsForId: string) => (await edit(id, waitsForId)).problem?.fields
  expect(await problemOf(one.id, one.id)).toEqual({ waitsForId: ['path_ring'] })
  expect(await problemOf(one.id, crypto.randomUUID())).toEqual({ waitsForId: ['not_found'] })
  const { orgId: other, admin: stranger } = await anOrganization(server)
  const theirs = await addVideo(server, other)
  const foreign = { videoId: theirs, audience: { everyone: true }, waitsForId: one.id }
  const refused = await stranger.call(createAssignment, { params: { orgId: other }, body: plan(foreign) })
  expect(refused.problem?.fields).toEqual({ waitsForId: ['not_found'] })
  const peeked = await stranger.call(previewAssignment, { params: { orgId: other }, body: asking(foreign) })
  expect(peeked.problem?.fields).toEqual({ waitsForId: ['not_found'] })
  const both = await Promise.all([edit(one.id, two.id), edit(two.id, one.id)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422])
  const [saved, lost] = both[0].status === 200 ? [one, two] : [two, one]
  const third = await draft({ waitsForId: saved.id })
  expect(await problemOf(lost.id, third.id)).toEqual({ waitsForId: ['path_ring'] })
  expect((await act(saved.id, 'start')).status).toBe(200)
  const { version } = await read(saved.id)
  expect((await edit(saved.id, null, version)).status).toBe(409)
  expect((await edit(saved.id, lost.id, version)).status).toBe(200)
})

test('a path has at most twenty videos', async () => {
  const { body: first } = await post({ further: Array.from({ length: 18 }, () => after('Step')[0]) })
  const last = (await read(first.id)).path.at(-1)?.id
  expect(await fieldsOf({ waitsForId: last, further: after('Step') })).toEqual({
    waitsForId: ['path_too_long'],
  })
  const { body: twentieth } = await post({ waitsForId: last })
  expect((await read(twentieth.id)).path).toHaveLength(20)
  expect(await fieldsOf({ waitsForId: twentieth.id })).toEqual({ waitsForId: ['path_too_long'] })
})

test('the preview says who begins now, who waits and who never would begin', async () => {
  const [ada = '', bob = '', carl = ''] = people
  const { body: first } = await post({ audience: { userIds: [ada, bob] } })
  await planNow(server)
  await watch(ada, videos[0])
  const ask = async (waitsForId: string | null) =>
    (await admin.call(previewAssignment, { params: { orgId }, body: asking({ waitsForId }) })).body
  const asked = await ask(first.id)
  expect(asked).toMatchObject({ people: 3, waiting: 1, never: 1, done: 0 })
  expect(asked.mails[0]?.count).toBe(1)
  expect(await ask(null)).toMatchObject({ people: 3, waiting: 0, never: 0 })
  const { body: second } = await post({ videoId: videos[1], waitsForId: first.id })
  // The third waits for the second, whose audience has everybody; it never lets one of them begin.
  expect(await ask(second.id)).toMatchObject({ people: 3, waiting: 2, never: 1 })
  await planNow(server)
  expect(await of(second.id, carl)).toBeUndefined()
  await act(first.id, 'end')
  expect(await ask(first.id)).toMatchObject({ people: 3, waiting: 0, never: 2 })
})
