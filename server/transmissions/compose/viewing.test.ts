import { expect, test } from 'vitest'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import {
  createTransmission,
  previewAudience,
  readTransmission,
  readTransmissionPlan,
} from '#contract/transmissions/transmissions.ts'
import type { Viewing } from '#contract/tracking/viewing.ts'
import { addAttempt, addQuiz } from '../../testing/quizzes/answers.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import { deriveAll } from '../../testing/derive.ts'
import { question } from '../../testing/quizzes/quizzes.ts'
import { until } from '../../testing/until.ts'
import { aggregate, watched } from '../../testing/viewing/watching.ts'
import { aSendingServer, aSentVideo, versionOf, setPolicies } from '../../testing/worlds.ts'
import type { NewPlay } from '../../tracking/ingest/token.ts'

/** Each an hour after the one before: nobody is at two places at once. */
let hours = 100
/** Watched a part (milliseconds), as somebody signed in or by a link. */
function viewing(userId: string, kind: 'user' | 'recipient', part: [number, number]) {
  const ids = { org: accountId, video: videoId, version: versionId }
  const play: NewPlay = { ...ids, durMs: 60_000, kind, userId, maxRate: 2, theta: 0.95 }
  hours -= 1
  return watched(server, { play, at: Date.now() - hours * 3_600_000, part })
}

const read = async (transmissionId: string) =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body

const sending = await aSendingServer()
const { server, org: accountId, admin } = sending
const { query } = server
const videoId = await addVideo(server, accountId)
const versionId = await versionOf(server, videoId)
/** In this order: has seen all, the first half, the second half, nothing; the last of them late and excused. */
const people = await addPeople(server, accountId, { count: 5, prefix: 'viewer' })
const [all = '', first = '', both = '', , excused = ''] = people
await aggregate(server, [
  viewing(all, 'recipient', [0, 60_000]),
  viewing(first, 'recipient', [0, 30_000]),
  // Its halves came by two ways.
  viewing(both, 'recipient', [0, 20_000]),
  viewing(both, 'user', [20_000, 40_000]),
])
const transmissionId = await aSentVideo(admin, { videoId, audience: { userIds: people } })
await query(`update transmissions set due_at = now() - interval '1 day' where id = $1`, [transmissionId])
await query(
  `insert into training_waivers (organization_id, user_id, video_id, reason, given_by_name) values ($1, $2, $3, 'On leave', 'Ada')`,
  [accountId, excused, videoId],
)
await deriveAll(server.services.db)

const ask = (narrowed: Viewing, more: object = { userIds: people }, by = admin) =>
  by.call(previewAudience, {
    body: { accountId: by.organizationId ?? '', audience: { ...more, viewing: narrowed } },
  })

/** Which of the five, by their place. */
async function chosen(narrowed: Viewing): Promise<number[]> {
  const { body } = await ask(narrowed)
  expect(body).toMatchObject({ skipped: {}, overlaps: 0, recipients: body.sample.length })
  return body.sample.map(({ id }) => people.indexOf(id)).toSorted((a, b) => a - b)
}

test('an audience is narrowed to whoever has not completed a video, is late, or has not seen a part of it', async () => {
  expect(await chosen({ kind: 'not_completed', videoId })).toEqual([1, 2, 3, 4])
  expect(await chosen({ kind: 'late', videoId })).toEqual([1, 2, 3])
  expect(await chosen({ kind: 'not_seen', videoId, fromMs: 0, toMs: 30_000 })).toEqual([3, 4])
  expect(await chosen({ kind: 'not_seen', videoId, fromMs: 15_000, toMs: 39_999 })).toEqual([1, 3, 4])
  expect(await chosen({ kind: 'not_seen', videoId, fromMs: 45_000, toMs: 50_000 })).toEqual([1, 2, 3, 4])
})

test('the newest attempt decides who answered a question wrongly, and its first try', async () => {
  const where = { organizationId: accountId, videoId: await addVideo(server, accountId) }
  const [one, other] = [question(), question()]
  const quiz = await addQuiz(server, where, { questions: [one, other] })
  const [right = '', wrong = '', corrected = '', later = ''] = people
  const yes = { correct: true }
  const no = { correct: false }
  await addAttempt(server, quiz, { userId: right, answers: [yes, no] })
  await addAttempt(server, quiz, { userId: wrong, answers: [no, yes] })
  await addAttempt(server, quiz, { userId: corrected, answers: [[no, yes], yes] })
  const hourAgo = new Date(Date.now() - 3_600_000)
  await addAttempt(server, quiz, { userId: later, answers: [no, no], at: hourAgo })
  await addAttempt(server, quiz, { userId: later, number: 2, answers: [yes, no] })
  const asked = { kind: 'answered_wrongly', videoId: where.videoId } as const
  expect(await chosen({ ...asked, questionKey: one.key })).toEqual([1, 2])
  expect(await chosen({ ...asked, questionKey: other.key })).toEqual([0, 3])
  // Whoever looks at it before it leaves reads which question that is.
  const narrowed = { ...asked, questionKey: one.key }
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  const body = { accountId, videoId, body: 'x', audience: { userIds: people, viewing: narrowed } }
  const made = await admin.call(createTransmission, { body: { ...body, leavesAt: { day, time: '09:00' } } })
  const plan = await admin.call(readTransmissionPlan, { params: { transmissionId: made.body.id } })
  expect(plan.body.viewing).toEqual({ viewing: narrowed, title: 'Fire drill', question: 'Is it safe?' })
  expect(plan.body.count.recipients).toBe(2)
})

test('what is sent so goes to these people, and to nobody who completes the video before it leaves', async () => {
  const own = await addVideo(server, accountId)
  await query(`update send_lanes set state = 'closed'`)
  const audience = { userIds: people, viewing: { kind: 'not_completed', videoId } as const }
  const made = await admin.call(createTransmission, {
    body: { accountId, videoId: own, body: 'x', audience },
  })
  await until(async () => (await read(made.body.id)).state === 'sending', 10)
  await aggregate(server, [viewing(people[1] ?? '', 'recipient', [30_000, 60_000])])
  await query(`update send_lanes set state = 'open'`)
  await until(async () => (await read(made.body.id)).state === 'completed', 20)
  const { items } = (await admin.call(listDeliveries, { params: { transmissionId: made.body.id } })).body
  const found = items.map(
    ({ user, state, reason }) => `${people.indexOf(user.id)} ${state === 'skipped' ? reason : 'sent'}`,
  )
  expect(found.toSorted()).toEqual(['1 already_done', '2 sent', '3 sent', '4 sent'])
})

test('refuses what is of others, what is not there, and what an organization does not tell', async () => {
  const stranger = await server.person('admin', await server.organization())
  const fields = async (narrowed: object, by = admin) =>
    (await ask(narrowed as Viewing, { everyone: true }, by)).problem?.fields
  expect(await fields({ kind: 'late', videoId }, stranger)).toEqual({
    'audience.viewing.videoId': ['not_found'],
  })
  const questionKey = crypto.randomUUID()
  expect(await fields({ kind: 'answered_wrongly', videoId, questionKey })).toEqual({
    'audience.viewing.questionKey': ['not_found'],
  })
  expect(await fields({ kind: 'not_seen', videoId, fromMs: 5, toMs: 5 })).toEqual({
    'audience.viewing.toMs': ['invalid'],
  })
  expect(await fields({ kind: 'not_seen', videoId, fromMs: -1, toMs: 5 })).toEqual({
    'audience.viewing.fromMs': ['too_small'],
  })
  expect(Object.keys((await fields({ kind: 'seen', videoId })) ?? {})).toHaveLength(1)
  const discreet = await server.person('admin', await server.organization())
  const { organizationId = '' } = discreet as { organizationId?: string }
  await setPolicies(server, organizationId, { trackingMode: 'completed_only' })
  const theirs = await addVideo(server, organizationId)
  expect(await fields({ kind: 'not_seen', videoId: theirs, fromMs: 0, toMs: 5 }, discreet)).toEqual({
    'audience.viewing': ['not_told'],
  })
  expect(await fields({ kind: 'not_completed', videoId: theirs }, discreet)).toBeUndefined()
})
