import { beforeEach, describe, expect, test } from 'vitest'
import { listObligations } from '#contract/assignments/assignments.ts'
import { readObligationHistory } from '#contract/duty/obligations.ts'
import { startAttempt } from '#contract/quizzes/quizzes.ts'
import { replaceVideo, type VideoChange } from '#contract/videos/replacements.ts'
import { addQuiz } from '../testing/quizzes/answers.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import { minutePasses } from '../testing/planning.ts'
import { playOf, question, sit } from '../testing/quizzes/quizzes.ts'
import { unique } from '../testing/unique.ts'
import { writeLog } from '../testing/viewing/viewers.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import { aggregate } from '../testing/viewing/watching.ts'
import { aSendingServer, aViewing, anAssignment, mailsTo, versionOf, watches } from '../testing/worlds.ts'
import { mappedBy } from '../duty/replaced.ts'
import { storeResult } from '../videos/process-queries.ts'

const sending = await aSendingServer()
const { query } = sending.server

let videoId: string
let versionId: string
let userId: string
let otherId: string
const orgId = sending.org

beforeEach(async () => {
  await query(`update assignments set state = 'ended'`)
  videoId = await addVideo(sending.server, orgId)
  versionId = await versionOf(sending.server, videoId)
  ;[userId = '', otherId = ''] = await addPeople(sending.server, orgId, { count: 2, prefix: unique() })
})

/** Of the version that plays, or of an earlier one. */
const see = (part: [number, number], inMs = 1_000, version = versionId) =>
  watches(sending.server, { videoId, userId, part, at: Date.now() + inMs, versionId: version })

async function assign(more: object = {}): Promise<string> {
  const audience = { userIds: [userId, otherId] }
  const id = await anAssignment(sending.admin, { videoId, audience, ...more })
  await plan()
  return id
}

const plan = () => minutePasses(sending.server)

/** By another file of that length, which is converted at once. */
async function replace(change: VideoChange, durationMs = 60_000): Promise<void> {
  const answer = await sending.admin.call(replaceVideo, {
    params: { videoId },
    body: { fileName: 'new.mp4', size: 10, change },
  })
  expect(answer.status).toBe(201)
  const key = { organizationId: orgId, videoId, versionId: answer.body.uploadUrl.split('/').at(-1) ?? '' }
  const picture = { width: 1, height: 1, renditions: [], poster: 'p.jpg', posterSmall: 'p.jpg', blur: '' }
  await sending.server.services.db.as({ organizationId: orgId }, (tx) =>
    storeResult(tx, key, {
      ...picture,
      durationMs,
      files: [],
      storyboard: null,
      bytes: 1,
      warnings: [],
    } as never),
  )
  ;({ versionId } = key)
}

const present = async (assignmentId: string, who = userId) =>
  (await sending.admin.call(listObligations, { params: { orgId, assignmentId } })).body.items.find(
    ({ user }) => user.id === who,
  )
const mails = async () => (await mailsTo(sending.server, userId)).map(({ text }) => text)

describe('what stays of a video', () => {
  const parts = (...changed: [number, number][]): VideoChange => ({
    matters: 'parts',
    parts: changed,
    alsoDone: false,
  })

  test('of the same length, stays where it was', () => {
    expect(mappedBy(parts([10, 20], [15, 30], [900, 2_000]), 1_000, 1_040)).toEqual({
      owed: [
        [10, 30],
        [900, 1_040],
      ],
      unchanged: [
        {
          parts: [
            [0, 10],
            [30, 900],
          ],
          shift: 0,
        },
      ],
    })
  })

  test('moves with a stretch that is longer or shorter than the one before', () => {
    const tail = (from: number, shift: number) => ({ parts: [[from, 60_000]], shift })
    const head = { parts: [[0, 10_000]], shift: 0 }
    expect(mappedBy(parts([10_000, 20_000]), 60_000, 65_000).unchanged).toEqual([head, tail(15_000, 5_000)])
    expect(mappedBy(parts([10_000, 20_000]), 60_000, 55_000).unchanged).toEqual([head, tail(25_000, -5_000)])
  })

  test('is nothing where that cannot be told', () => {
    const all = { owed: [[0, 65_000]], unchanged: [] }
    expect(mappedBy(parts([0, 1_000], [5_000, 10_000]), 60_000, 65_000)).toEqual(all)
    expect(mappedBy(parts([0, 1_000]), 60_000, 65_000)).toEqual(all)
    expect(mappedBy(parts([70_000, 80_000]), 60_000, 65_000)).toEqual(all)
    expect(mappedBy({ matters: 'whole', alsoDone: false }, 60_000, 65_000)).toEqual(all)
  })
})

test('whoever is in the middle owes what they have not seen and what has changed', async () => {
  const id = await assign()
  const [link = ''] = (await mails()).map((text) => /(\/w\/video\/\S+)/.exec(text)?.[1] ?? '')
  await see([0, 30_000])
  const old = versionId
  // Ten seconds in place of five, so that all behind them is five seconds later.
  await replace({ matters: 'parts', parts: [[10_000, 20_000]], alsoDone: false }, 65_000)
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 40_000 })
  // The old one, played on in a page that was open, says nothing about the new one.
  await see([30_000, 60_000], 60_000, old)
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 40_000 })
  await query(
    `update obligations set next_message_on = current_date - 1 where assignment_id = $1 and user_id = $2`,
    [id, userId],
  )
  await plan()
  expect((await mails()).at(-1)).toContain('Missing: 0:10 to 0:20 and 0:35 to 1:05 (40 seconds).')
  // The first link leads to the new one as well.
  expect((await openPage(sending.server, link)).data).toMatchObject({ durationMs: 65_000 })
  await see([35_000, 65_000], 120_000)
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 10_000 })
  await see([10_000, 20_000], 200_000)
  expect((await present(id))?.state).toBe('done')
})

test('what has changed is owed itself, however little it is', async () => {
  const id = await assign()
  await see([0, 20_000])
  await replace({ matters: 'parts', parts: [[21_000, 22_000]], alsoDone: false })
  await see([22_000, 60_000], 60_000)
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 3_000 - 1_000 })
  await see([20_000, 22_000], 120_000)
  expect((await present(id))?.state).toBe('done')
})

test('a change that does not matter leaves everybody what they have', async () => {
  const id = await assign()
  await see([0, 30_000])
  await replace({ matters: 'nothing' })
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 30_000 })
  await see([30_000, 60_000], 60_000)
  expect((await present(id))?.state).toBe('done')
  await replace({ matters: 'nothing' })
  await plan()
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 1 })
})

test('watched whole, it begins anew for whoever owes it; who is done stays so', async () => {
  const id = await assign()
  await see([0, 60_000])
  await replace({ matters: 'whole', alsoDone: false })
  await plan()
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 1 })
  expect(await present(id, otherId)).toMatchObject({ state: 'assigned', missingMs: 60_000 })
})

test('whoever is done owes what has changed where its author wants that, and is valid as long as before', async () => {
  const id = await assign({ validity: { months: 12, renewDays: 30 } })
  await see([0, 60_000])
  const before = await present(id)
  await replace({ matters: 'parts', parts: [[42_000, 50_000]], alsoDone: true })
  await plan()
  await plan()
  const asked = await present(id)
  expect(asked).toMatchObject({ state: 'started', cycle: 2, missingMs: 8_000 })
  const sent = await mails()
  expect(sent).toHaveLength(2)
  expect(sent.at(-1)).toContain('Missing: 0:42 to 0:50 (8 seconds).')
  const link = /(\/w\/video\/\S+)/.exec(sent.at(-1) ?? '')?.[1] ?? ''
  expect((await openPage(sending.server, link)).data).toMatchObject({ missing: [[42_000, 50_000]] })
  await see([42_000, 50_000], 120_000)
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 2, validUntil: before?.validUntil })
  const { body } = await sending.admin.call(readObligationHistory, {
    params: { orgId, assignmentId: id, userId },
  })
  expect(body.cycles.map(({ cycle, state }) => [cycle, state])).toEqual([
    [2, 'done'],
    [1, 'done'],
  ])
  const { items } = (await sending.admin.call(listObligations, { params: { orgId, assignmentId: id } })).body
  expect(items).toHaveLength(2)
})

test('whoever passed the questions owes the changed seconds alone', async () => {
  const { server } = sending
  const { quizId } = await addQuiz(
    server,
    { organizationId: orgId, videoId },
    { questions: [question({ atMs: null })] },
  )
  const play = () => playOf(server, { organizationId: orgId, videoId, versionId }, { userId }).token
  const id = await assign({ requirement: 'passed' })
  await sit(server, { quizId, playToken: play(), again: false, right: false })
  expect((await present(id))?.state).toBe('failed')
  await sit(server, { quizId, playToken: play(), again: true, right: true })
  expect((await present(id))?.state).toBe('assigned')
  await see([0, 60_000])
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 1 })
  await replace({ matters: 'parts', parts: [[42_000, 50_000]], alsoDone: true })
  await plan()
  expect(await present(id)).toMatchObject({ state: 'started', cycle: 2, missingMs: 8_000 })
  const again = await server.call(startAttempt, {
    params: { quizId },
    body: { playToken: play(), again: true },
  })
  expect(again.problem?.reason?.code).toBe('passed_already')
  await see([42_000, 50_000], 120_000)
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 2 })
})

test('what was changed earlier and never asked for does not make up for what is', async () => {
  const id = await assign()
  await see([0, 60_000])
  await replace({
    matters: 'parts',
    parts: [
      [0, 45_000],
      [48_000, 60_000],
    ],
    alsoDone: false,
  })
  await replace({ matters: 'parts', parts: [[45_000, 48_000]], alsoDone: true })
  await plan()
  await see([0, 45_000], 120_000)
  await see([48_000, 60_000], 240_000)
  expect(await present(id)).toMatchObject({ state: 'started', cycle: 2, missingMs: 3_000 })
  await query(`update video_versions set ready_at = ready_at + interval '10 minutes' where id = $1`, [
    (await replace({ matters: 'nothing' }), versionId),
  ])
  await see([0, 10_000], 900_000)
  expect(await present(id)).toMatchObject({ state: 'started', cycle: 2, missingMs: 3_000 })
  await see([45_000, 48_000], 960_000)
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 2 })
})

test('the version before counts nothing for whoever is obliged later either', async () => {
  const old = versionId
  await replace({ matters: 'nothing' })
  const id = await assign()
  await see([0, 60_000], 1_000, old)
  expect(await present(id)).toMatchObject({ state: 'assigned', missingMs: 60_000 })
  await see([0, 60_000], 120_000)
  expect((await present(id))?.state).toBe('done')
})

test('whoever was away while it was replaced, once and again, comes back to what plays and can be done with it', async () => {
  const group = await addGroup(sending.server, orgId, [userId])
  const id = await assign({ audience: { groupIds: [group] } })
  await see([0, 30_000])
  await replace({ matters: 'parts', parts: [[10_000, 20_000]], alsoDone: false })
  await query('delete from group_members where group_id = $1', [group])
  await plan()
  await replace({ matters: 'parts', parts: [[50_000, 60_000]], alsoDone: false })
  await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
    orgId,
    group,
    userId,
  ])
  await plan()
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 40_000 })
  await see([10_000, 20_000], 60_000)
  await see([30_000, 60_000], 120_000)
  expect((await present(id))?.state).toBe('done')
})

test('whoever had seen enough while they were away owes only what has changed since, and all of that', async () => {
  const group = await addGroup(sending.server, orgId, [userId])
  const id = await assign({ audience: { groupIds: [group] } })
  await replace({ matters: 'whole', alsoDone: false })
  await query('delete from group_members where group_id = $1', [group])
  await plan()
  await see([0, 60_000])
  await replace({ matters: 'parts', parts: [[40_000, 60_000]], alsoDone: false })
  await query(`update video_versions set ready_at = now() + interval '2 minutes' where id = $1`, [versionId])
  await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
    orgId,
    group,
    userId,
  ])
  await plan()
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 20_000 })
  await see([40_000, 57_000], 200_000)
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 3_000 })
  await see([57_000, 60_000], 300_000)
  expect((await present(id))?.state).toBe('done')
})

test('what was reported and not yet counted when it was replaced is kept like the rest', async () => {
  const id = await assign()
  await writeLog(sending.server, [await aViewing(sending.server, { videoId, userId, part: [0, 30_000] })])
  await replace({ matters: 'parts', parts: [[50_000, 60_000]], alsoDone: false })
  await query(`update video_versions set ready_at = now() + interval '2 minutes' where id = $1`, [versionId])
  await aggregate(sending.server, [])
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 30_000 })
})

test('who is done owes what was changed for them, also where the next version came before they were asked', async () => {
  const id = await assign()
  await see([0, 60_000])
  await replace({ matters: 'parts', parts: [[10_000, 20_000]], alsoDone: true })
  // Five seconds more at the beginning, for those who owe it still.
  await replace({ matters: 'parts', parts: [[0, 6_000]], alsoDone: false }, 65_000)
  await plan()
  expect(await present(id)).toMatchObject({ state: 'started', cycle: 2, missingMs: 16_000 })
  await see([15_000, 25_000], 120_000)
  expect(await present(id)).toMatchObject({ state: 'started', missingMs: 6_000 })
  await see([0, 6_000], 180_000)
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 2 })
  await plan()
  expect(await present(id)).toMatchObject({ state: 'done', cycle: 2 })
})

test('a video that is being prepared is not replaced, and nobody replaces that of another organization', async () => {
  const body = { fileName: 'new.mp4', size: 10, change: { matters: 'nothing' as const } }
  const stranger = await sending.server.person('admin', await sending.server.organization())
  expect((await stranger.call(replaceVideo, { params: { videoId }, body })).status).toBe(404)
  await query(`update videos set state = 'processing' where id = $1`, [videoId])
  const refused = await sending.admin.call(replaceVideo, { params: { videoId }, body })
  expect([refused.status, refused.problem?.reason?.code]).toEqual([409, 'video_not_ready'])
  const wrong = { ...body, change: { matters: 'parts' as const, parts: [[5, 5]], alsoDone: false } }
  expect((await sending.admin.call(replaceVideo, { params: { videoId }, body: wrong as never })).status).toBe(
    422,
  )
})
