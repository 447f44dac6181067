import { beforeEach, expect, test } from 'vitest'
import {
  changeAssignment,
  changeObligation,
  createAssignment,
  editAssignment,
  listAssignments,
  listObligations,
  listOwedBy,
  readAssignment,
  remindObligation,
} from '#contract/assignments/assignments.ts'
import { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { planNow } from '../testing/planning.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { writeLog } from '../testing/viewing/viewers.ts'
import { aggregate } from '../testing/viewing/watching.ts'
import {
  aGroupOf,
  aSendingServer,
  aViewing,
  anAssignment,
  assignmentOf,
  setPolicies,
} from '../testing/worlds.ts'
import { planAssignments } from './plan.ts'

const sending = await aSendingServer()
const { server, org: orgId, admin } = sending
const { query } = server

let videoId: string
let people: string[]
let groupId: string

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  videoId = await addVideo(server, orgId)
  ;({ people, groupId } = await aGroupOf(server, orgId, 3))
})

const plan = (more: object = {}) => assignmentOf({ videoId, audience: { groupIds: [groupId] }, ...more })

const start = (more: object = {}) => anAssignment(admin, plan(more))

const at = (assignmentId: string) => ({ orgId, assignmentId })
const read = async (id: string) => (await admin.call(readAssignment, { params: at(id) })).body
const peopleOf = async (id: string, asked: Record<string, string> = {}) =>
  (await admin.call(listObligations, { params: at(id), query: asked })).body.items
const of = async (id: string, userId?: string) => (await peopleOf(id)).find(({ user }) => user.id === userId)
const decide = (id: string, userId: string, change: object) =>
  admin.call(changeObligation, { params: { ...at(id), userId }, body: { do: change as never } })

/** A part of the video, from a page that was opened at that moment. */
const viewing = (userId = '', part?: [number, number], at?: number) =>
  aViewing(server, { videoId, userId, part, at })

const mailsTo = async (userId = '') =>
  (
    await query<{ state: string; reason: string | null }>(
      `select d.state, d.reason from deliveries d join transmissions t on t.id = d.transmission_id
        where d.user_id = $1 and t.assignment_id is not null order by d.id`,
      [userId],
    )
  ).map(({ state, reason }) => reason ?? state)

const settled = (id: string) =>
  until(
    async () =>
      (
        await query(
          `select 1 from transmissions where assignment_id = $1 and state in ('scheduled', 'preparing', 'sending')`,
          [id],
        )
      ).length === 0,
    20,
  )

test('requires sign-in', async () => {
  expect((await server.call(listAssignments, { params: { orgId } })).status).toBe(401)
  expect((await server.call(createAssignment, { params: { orgId }, body: plan() })).status).toBe(401)
})

test('requires role, and nobody of another organization learns of it', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(listAssignments, { params: { orgId } })).status).toBe(403)
  const id = await start()
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(readAssignment, { params: at(id) })).status).toBe(404)
  const own = { orgId: stranger.organizationId ?? '', assignmentId: id }
  expect((await stranger.call(readAssignment, { params: own })).status).toBe(404)
  expect(
    (await stranger.call(changeAssignment, { params: own, body: { action: 'end', version: 1 } })).status,
  ).toBe(404)
  const theirs = await stranger.call(createAssignment, { params: { orgId: own.orgId }, body: plan() })
  expect(theirs.problem?.fields).toEqual({ 'audience.groupIds': ['not_found'] })
})

test('a draft obliges nobody; started it obliges its audience, newcomers too, and lets go who leaves', async () => {
  const made = await admin.call(createAssignment, { params: { orgId }, body: plan() })
  await planNow(server)
  expect(await read(made.body.id)).toMatchObject({ state: 'draft', people: 0 })
  const { id, version } = made.body
  const started = await admin.call(changeAssignment, { params: at(id), body: { action: 'start', version } })
  expect(started.body.state).toBe('active')
  await planNow(server)
  expect(await read(id)).toMatchObject({ people: 3, counts: { assigned: 3, done: 0 } })
  const [newcomer = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  const join = `insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)`
  await query(join, [orgId, groupId, newcomer])
  await query('delete from group_members where group_id = $1 and user_id = $2', [groupId, people[0]])
  await planNow(server)
  expect(await of(id, people[0])).toMatchObject({ state: 'ended', ending: 'left' })
  expect(await of(id, newcomer)).toMatchObject({ state: 'assigned' })
  expect(await read(id)).toMatchObject({ people: 4, counts: { assigned: 3, ended: 1 } })
  await query(join, [orgId, groupId, people[0]])
  await planNow(server)
  expect(await of(id, people[0])).toMatchObject({ state: 'assigned', ending: null })
  expect((await admin.call(listOwedBy, { params: { orgId, userId: newcomer } })).body.items).toHaveLength(1)
})

test('days end where the organization is, working days leave weekends out', async () => {
  await query(`update organizations set time_zone = 'Pacific/Auckland' where id = $1`, [orgId])
  const id = await start({ due: { kind: 'day', day: '2031-06-02' } })
  const other = await start({ due: { kind: 'after', days: 4, working: true } })
  await planNow(server)
  expect(await of(id, people[0])).toMatchObject({ dueAt: '2031-06-02T11:59:59.999Z' })
  // A Friday there.
  await query(`update obligations set since = '2031-05-30T09:00Z' where assignment_id = $1`, [other])
  const { version, ...rest } = await read(other)
  const body = { ...plan({ due: { kind: 'after', days: 5, working: true } }), name: rest.name, version }
  expect((await admin.call(editAssignment, { params: at(other), body })).status).toBe(200)
  expect(await of(other, people[0])).toMatchObject({ dueAt: '2031-06-06T11:59:59.999Z' })
  expect((await admin.call(editAssignment, { params: at(other), body })).status).toBe(409)
  await query(`update organizations set time_zone = 'Europe/Berlin' where id = $1`, [orgId])
})

test('counts what is watched since somebody is obliged, piece by piece, and only that', async () => {
  await aggregate(server, [await viewing(people[0], [0, 60_000], Date.now() - 3_600_000)])
  const id = await start()
  await planNow(server)
  expect(await of(id, people[0])).toMatchObject({ state: 'assigned', missingMs: 60_000 })
  await aggregate(server, [await viewing(people[0], [0, 30_000])])
  expect(await of(id, people[0])).toMatchObject({ state: 'started', missingMs: 30_000 })
  // Whatever becomes of the sessions.
  await query(
    'delete from play_spans where session_id in (select id from play_sessions where video_id = $1)',
    [videoId],
  )
  await query('delete from play_sessions where video_id = $1', [videoId])
  await aggregate(server, [await viewing(people[0], [30_000, 60_000], Date.now() + 120_000)])
  expect(await of(id, people[0])).toMatchObject({ state: 'done', missingMs: null })
})

test('at the choice of its author, what was watched since a day counts too, as the preview says', async () => {
  await aggregate(server, [await viewing(people[0], [0, 60_000], Date.now() - 3_600_000)])
  const countsSince = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
  const body = { videoId, audience: { groupIds: [groupId] }, requirement: 'watched' as const, countsSince }
  const asked = await admin.call(previewAssignment, { params: { orgId }, body })
  expect(asked.body).toEqual({
    people: 3,
    waiting: 0,
    never: 0,
    done: 1,
    withoutMail: 0,
    mailed: 2,
    needsApproval: false,
    overlaps: [],
    mails: [],
  })
  const id = await start({ countsSince })
  await planNow(server)
  expect(await read(id)).toMatchObject({ counts: { done: 1, assigned: 2 } })
  await settled(id)
  expect(await mailsTo(people[0])).toEqual([])
  expect(await mailsTo(people[1])).toEqual(['accepted'])
})

test('what has to be passed is done with the passed questions, not before', async () => {
  const draft = await admin.call(createAssignment, {
    params: { orgId },
    body: plan({ requirement: 'passed' }),
  })
  const begin = () =>
    admin.call(changeAssignment, { params: at(draft.body.id), body: { action: 'start', version: 1 } })
  expect((await begin()).problem?.reason).toEqual({ code: 'no_questions_to_pass' })
  await query(
    `with q as (insert into quizzes (organization_id, video_id, draft) values ($1, $2, '{}') returning id),
      n as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score) select $1, id, 1, '{}', 1 from q returning id)
      select n.id from n`,
    [orgId, videoId],
  )
  await query(
    `update quizzes q set current_version_id = n.id from quiz_versions n where n.quiz_id = q.id and q.video_id = $1`,
    [videoId],
  )
  expect((await begin()).status).toBe(200)
  const { id } = draft.body
  await planNow(server)
  await aggregate(server, [await viewing(people[0])])
  expect(await of(id, people[0])).toMatchObject({ state: 'watched' })
  const attempt = (passed: boolean) =>
    query(
      `insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score,
        completed_at, passed) values ($1, gen_random_uuid(), gen_random_uuid(), $2, 'recipient:' || $3::text, $3::uuid, gen_random_uuid(), 1, 1, 1, now(), $4)`,
      [orgId, videoId, people[0], passed],
    )
  await attempt(false)
  expect(await of(id, people[0])).toMatchObject({ state: 'failed' })
  await attempt(true)
  await aggregate(server, [await viewing(people[0], [0, 5_000], Date.now() + 200_000)])
  expect(await of(id, people[0])).toMatchObject({ state: 'done' })
})

test('begins again before its validity ends, for what is watched from then on', async () => {
  const id = await start({ validity: { months: 12, renewDays: 30 } })
  await planNow(server)
  await aggregate(server, [await viewing(people[0])])
  await query(
    `update obligations set done_at = done_at - interval '340 days', valid_until = valid_until - interval '340 days'
    where assignment_id = $1 and state = 'done'`,
    [id],
  )
  await query(`update play_sessions set started_at = started_at - interval '340 days' where video_id = $1`, [
    videoId,
  ])
  await planNow(server)
  expect(await of(id, people[0])).toMatchObject({ cycle: 2, state: 'assigned' })
  expect(
    (await admin.call(listOwedBy, { params: { orgId, userId: people[0] ?? '' } })).body.items,
  ).toHaveLength(2)
})

test('sends each message once, however many plan, also to two people with one address', async () => {
  await query(`update users set email = (select email || ' ' from users where id = $2) where id = $1`, [
    people[1],
    people[0],
  ])
  const id = await start()
  await planNow(server)
  await Promise.all([planAssignments(server.services), planAssignments(server.services)])
  await planNow(server)
  await settled(id)
  for (const person of people) expect(await mailsTo(person)).toEqual(['accepted'])
  const inWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
  expect(
    Math.abs(Date.parse((await of(id, people[0]))?.nextMessageOn ?? '') - Date.parse(inWeek)),
  ).toBeLessThan(2 * 86_400_000)
})

test('nobody who is done gets a reminder, also while the reports wait to be counted', async () => {
  const id = await start()
  await planNow(server)
  await settled(id)
  await query(`update send_lanes set state = 'closed'`)
  await query('update obligations set next_message_on = current_date - 1 where assignment_id = $1', [id])
  await planNow(server)
  const reports = [await viewing(people[0])]
  await aggregate(server, [await viewing(people[1])])
  await writeLog(server, reports)
  await query(`update send_lanes set state = 'open'`)
  await until(async () => (await mailsTo(people[2])).join(' ') === 'accepted accepted', 20)
  expect(await mailsTo(people[0])).toEqual(['accepted', 'queued'])
  expect(await mailsTo(people[1])).toEqual(['accepted', 'already_done'])
  await aggregate(server, [])
  await settled(id)
  expect(await mailsTo(people[0])).toEqual(['accepted', 'already_done'])
})

test('where only completions are recorded, nobody sees how far somebody is, and it is done all the same', async () => {
  await setPolicies(server, orgId, { trackingMode: 'completed_only' })
  const id = await start()
  await planNow(server)
  await aggregate(server, [await viewing(people[0], [0, 30_000])])
  expect(await of(id, people[0])).toMatchObject({ state: 'assigned', missingMs: null })
  await aggregate(server, [await viewing(people[0], [30_000, 60_000], Date.now() + 120_000)])
  const done = await of(id, people[0])
  expect([done?.state, done?.doneAt]).toEqual(['done', expect.stringMatching(/T00:00:00\.000Z$/)])
  expect(
    await query('select coverage::text from obligations where assignment_id = $1 and state = $2', [
      id,
      'done',
    ]),
  ).toEqual([{ coverage: '{}' }])
  await setPolicies(server, orgId, { trackingMode: 'full' })
})

test('a reminder says what is missing, in the language of its reader', async () => {
  await query(`update users set language = 'de' where id = $1`, [people[1]])
  const id = await start()
  await planNow(server)
  await settled(id)
  const part: [number, number] = [0, 30_000]
  await aggregate(server, [await viewing(people[0], part), await viewing(people[1], part)])
  await query('update obligations set next_message_on = current_date - 1 where assignment_id = $1', [id])
  await planNow(server)
  await settled(id)
  const written = (userId = '') =>
    query<{ text: string; html: string }>(
      `select m.text, m.html from mails m join deliveries d on d.id = m.delivery_id where d.user_id = $1 order by d.id desc limit 1`,
      [userId],
    )
  const [ofAda] = await written(people[0])
  expect(ofAda?.text).toContain('You have seen 50%. Missing: 0:30 to 1:00 (30 seconds).')
  expect(ofAda?.html).toMatch(/role="img"[^>]*aria-label="You have seen 50%.*?width="50%".*?width="50%"/)
  const [ofBob] = await written(people[1])
  expect(ofBob?.text).toMatch(/Sie haben 50\s%\sgesehen. Es fehlen: 0:30 bis 1:00 \(30 Sekunden\)\./)
  const [ofCarl] = await written(people[2])
  expect(JSON.stringify(ofCarl)).not.toMatch(/Missing|role=."img/)
})

test('waives, extends and exempts one person with a reason that stays in the history', async () => {
  const id = await start()
  await planNow(server)
  const [ada = '', bob = ''] = people
  expect((await decide(id, ada, { action: 'waive', reason: ' ', until: null })).status).toBe(422)
  const waived = await decide(id, ada, { action: 'waive', reason: 'On leave', until: null })
  expect(waived.body).toMatchObject({ state: 'waived', reason: 'On leave' })
  expect((await decide(id, ada, { action: 'waive', reason: 'Twice', until: null })).status).toBe(409)
  expect((await decide(id, ada, { action: 'unwaive', reason: 'Back' })).body).toMatchObject({
    state: 'assigned',
  })
  expect((await decide(id, bob, { action: 'extend', reason: 'Ill', day: '2001-01-01' })).status).toBe(422)
  const extended = await decide(id, bob, { action: 'extend', reason: 'Ill', day: '2031-01-01' })
  expect(extended.body.dueAt).toMatch(/^2030-12-31T|^2031-01-01T/)
  expect((await decide(id, bob, { action: 'exempt', reason: 'Other work' })).body).toMatchObject({
    state: 'ended',
    ending: 'exempted',
  })
  await planNow(server)
  expect(await of(id, bob)).toMatchObject({ ending: 'exempted' })
  const history = await admin.call(readObligationHistory, { params: { ...at(id), userId: bob } })
  expect(history.body.decisions.map(({ action, reason }) => [action, reason])).toEqual([
    ['exempt', 'Other work'],
    ['extend', 'Ill'],
  ])
  expect(await peopleOf(id, { state: 'ended' })).toHaveLength(1)
})

test('reminds one person by hand at most once a day, and nobody who owes nothing', async () => {
  const id = await start()
  await planNow(server)
  await settled(id)
  const [ada = ''] = people
  const remind = () => admin.call(remindObligation, { params: { ...at(id), userId: ada } })
  expect((await remind()).status).toBe(409)
  await query(`update obligations set last_message_at = now() - interval '2 days' where assignment_id = $1`, [
    id,
  ])
  expect((await remind()).status).toBe(202)
  expect((await remind()).status).toBe(409)
  await settled(id)
  expect(await mailsTo(ada)).toEqual(['accepted', 'accepted'])
})

test('paused it sends nothing, ended it lets everybody go', async () => {
  const id = await start()
  await query('update assignments set planned_at = null')
  let version = (await read(id)).version
  const act = async (action: 'pause' | 'resume' | 'end') =>
    (await admin.call(changeAssignment, { params: at(id), body: { action, version: version++ } })).status
  expect(await act('pause')).toBe(200)
  await planNow(server)
  expect(await read(id)).toMatchObject({ state: 'paused', people: 0 })
  expect(await act('resume')).toBe(200)
  await planNow(server)
  expect(await act('end')).toBe(200)
  expect(await act('resume')).toBe(409)
  expect(await read(id)).toMatchObject({ state: 'ended', counts: { ended: 3 } })
})
