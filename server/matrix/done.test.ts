import { expect, test } from 'vitest'
import * as certificates from '#contract/evidence/certificates.ts'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import { listEvidence, readEvidence } from '#contract/evidence/evidence.ts'
import { readOrganizationOverview } from '#contract/directory/overview.ts'
import type { QuizSettings } from '#contract/quizzes/quizzes.ts'
import { listMessageReports, listUserActivity, listVideoEngagement } from '#contract/reports/reports.ts'
import { trainingLetters } from '#contract/matrix/standing.ts'
import { listTraining, readTraining, readTrainingCell } from '#contract/matrix/training.ts'
import { countDeliveries, listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readTransmission } from '#contract/transmissions/transmissions.ts'
import { listUsers } from '#contract/directory/users.ts'
import { addPeople } from '../testing/audience.ts'
import { choices, draft, publish, question, sit } from '../testing/quizzes/quizzes.ts'
import { addDelivery, addVideo } from '../testing/viewing/viewing.ts'
import { durationMs, watchMore } from '../testing/viewing/watched.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

/** Wherever it is said of somebody that they have done a video, it is said of the same people. */
const server = await aServer()
const { orgId, admin } = await anOrganization(server)

type Answers = readonly ('right' | 'wrong')[]
type Failed = { isFinal: boolean } | null
type Case = {
  name: string
  rules: Partial<QuizSettings>
  /** One for each attempt. */
  answers: Answers
  state: keyof typeof trainingLetters
  failed: Failed
}
const twice = { passMark: 0.5, attempts: 2 }
const cases: readonly Case[] = [
  { name: 'passed', rules: twice, answers: ['right'], state: 'passed', failed: null },
  { name: 'passed at last', rules: twice, answers: ['wrong', 'right'], state: 'passed', failed: null },
  { name: 'failed', rules: twice, answers: ['wrong'], state: 'failed', failed: { isFinal: false } },
  {
    name: 'failed without limit',
    rules: { ...twice, attempts: null },
    answers: ['wrong', 'wrong'],
    state: 'failed',
    failed: { isFinal: false },
  },
  {
    name: 'failed for good',
    rules: twice,
    answers: ['wrong', 'wrong'],
    state: 'out_of_attempts',
    failed: { isFinal: true },
  },
  { name: 'not attempted', rules: twice, answers: [], state: 'started', failed: null },
  { name: 'no pass mark', rules: { passMark: 0 }, answers: ['wrong'], state: 'passed', failed: null },
  {
    name: 'no pass mark, not attempted',
    rules: { passMark: 0 },
    answers: [],
    state: 'completed',
    failed: null,
  },
  {
    name: 'not required',
    rules: { ...twice, passRequired: false },
    answers: ['wrong', 'wrong'],
    state: 'completed',
    failed: null,
  },
  {
    name: 'not required, not attempted',
    rules: { ...twice, passRequired: false },
    answers: [],
    state: 'completed',
    failed: null,
  },
]

type Made = { userId: string; videoId: string; transmissionId: string; playToken: string }
const made = new Map<string, Made>()

/** Each has a video and a message of their own, watched all of it and then answered. */
async function happen({ name, rules, answers }: Case, userId: string): Promise<Made> {
  const video = await addVideo(server, { organizationId: orgId, title: name, privacy: 'private', durationMs })
  const asked = question({ atMs: null, options: choices('*Right', 'Wrong') })
  const quiz = await publish(admin, video.videoId, draft([asked], rules))
  const delivery = await addDelivery(server, { organizationId: orgId, userId, ...video })
  const playToken = await watchMore(server, `/w/video/${video.videoId}?d=${delivery.secret}`, [
    [0, durationMs],
  ])
  for (const [n, answer] of answers.entries())
    await sit(server, { quizId: quiz.id ?? '', playToken, again: n > 0, right: answer === 'right' })
  return { userId, videoId: video.videoId, transmissionId: delivery.transmissionId, playToken }
}

const isDone = ({ state }: Case) => state === 'passed' || state === 'completed'

test('whoever failed what has to be passed is done nowhere, and everybody else everywhere', async () => {
  const people = await addPeople(server, orgId, { count: cases.length, prefix: 'case' })
  for (const [at, one] of cases.entries()) made.set(one.name, await happen(one, people[at] ?? ''))
  const said: Record<string, unknown> = {}
  const wanted: Record<string, unknown> = {}
  for (const one of cases) {
    said[one.name] = await everywhere(one)
    wanted[one.name] = reported(one)
  }
  expect(said).toEqual(wanted)
}, 120_000)

test('a test that somebody has passed is passed by nobody else', async () => {
  const { orgId: organizationId, admin: author } = await anOrganization(server)
  const [passing = '', watching = ''] = await addPeople(server, organizationId, { count: 2 })
  const video = await addVideo(server, { organizationId, title: 'Both', privacy: 'private', durationMs })
  const asked = question({ atMs: null, options: choices('*Right', 'Wrong') })
  const quiz = await publish(author, video.videoId, draft([asked], twice))
  const watch = async (userId: string) => {
    const { secret } = await addDelivery(server, { organizationId, userId, ...video })
    return watchMore(server, `/w/video/${video.videoId}?d=${secret}`, [[0, durationMs]])
  }
  const first = await watch(passing)
  await sit(server, { quizId: quiz.id ?? '', playToken: first, again: false, right: true })
  const receiptOf = async (playToken: string) =>
    (await server.call(certificates.readReceipt, { body: { playToken } })).body
  expect(await receiptOf(first)).toMatchObject({ completedAt: expect.any(String), mayCertify: true })
  expect(await receiptOf(await watch(watching))).toMatchObject({ completedAt: null, mayCertify: false })
})

/** What each place has to say. */
function reported(one: Case) {
  const done = isDone(one)
  const { state, failed } = one
  const passed = one.answers.length === 0 ? null : state === 'passed'
  return {
    matrix: { letter: trainingLetters[state], required: 1, done: done ? 1 : 0 },
    column: { done: done ? 1 : 0, counts: { [state]: 1 } },
    byState: true,
    cell: { state, done, failed },
    reports: { people: done ? 1 : 0, videos: done ? 1 : 0, messages: done ? 1 : 0 },
    person: { done, state },
    evidence: { done, failed, state },
    transmission: { completed: done ? 1 : 0, all: done ? 1 : 0, failed: failed ? 1 : 0 },
    recipient: { done, failed, state },
    receipt: {
      done,
      failed,
      mayCertify: done,
      mustPass: ['failed', 'out_of_attempts', 'started'].includes(state),
    },
    ownCertificate: done ? 200 : 409,
    certificate: { done, passed },
    filter: !done,
    overview: done,
  }
}

const outcome = (failed: { isFinal: boolean } | null): Failed => failed && { isFinal: failed.isFinal }

async function everywhere(one: Case) {
  const { name, state } = one
  const { userId, videoId, transmissionId, playToken } = made.get(name) as Made
  const matrix = (await admin.call(listTraining, { params: { orgId }, query: { limit: 50 } })).body
  const row = matrix.items.find(({ id }) => id === userId)
  const totals = (await admin.call(readTraining, { params: { orgId } })).body
  const column = totals.videos.find(({ id }) => id === videoId)
  const inState = (await admin.call(listTraining, { params: { orgId }, query: { state, limit: 50 } })).body
  const cell = (await admin.call(readTrainingCell, { params: { orgId, userId, videoId } })).body
  const active = (await admin.call(listUserActivity, { query: { limit: 50 } })).body.items
  const engaged = (await admin.call(listVideoEngagement, { query: { limit: 50 } })).body.items
  const sent = (await admin.call(listMessageReports, { query: { limit: 50 } })).body.items
  const params = { orgId, userId }
  const [item] = (await admin.call(listEvidence, { params })).body.items
  const evidence = (await admin.call(readEvidence, { params: { ...params, videoId } })).body
  const transmission = (await admin.call(readTransmission, { params: { transmissionId } })).body
  const counts = (await admin.call(countDeliveries, { params: { transmissionId } })).body
  const [recipient] = (await admin.call(listDeliveries, { params: { transmissionId } })).body.items
  const receipt = (await server.call(certificates.readReceipt, { body: { playToken } })).body
  const own = await server.app.inject({
    method: 'POST',
    url: '/api/tracks/certificate',
    payload: { playToken },
  })
  await admin.call(certificates.issueCertificate, { params, body: { videoId } })
  const [issued] = (await admin.call(certificates.listCertificates, { params })).body.items
  const open = (await admin.call(listUsers, { params: { orgId }, query: { notWatched: videoId, limit: 50 } }))
    .body
  const overview = (await admin.call(readOrganizationOverview, { params: { orgId } })).body
  const newest = overview.newest.find(({ video }) => video.id === videoId)
  return {
    matrix: row && {
      letter: row.cells[matrix.videoIds.indexOf(videoId)],
      required: row.required,
      done: row.done,
    },
    column: column && { done: column.done, counts: column.counts },
    byState: inState.items.some(({ id }) => id === userId),
    cell: { state: cell.state, done: cell.completedAt !== null, failed: outcome(cell.failed) },
    reports: {
      people: active.find(({ id }) => id === userId)?.completed,
      videos: engaged.find(({ id }) => id === videoId)?.completed,
      messages: sent.find(({ id }) => id === transmissionId)?.completed,
    },
    person: item && { done: item.completedAt !== null, state: item.standing?.state },
    evidence: {
      done: evidence.versions[0]?.completedAt !== null,
      failed: outcome(evidence.questions.failed),
      state: evidence.standing?.state,
    },
    transmission: { completed: transmission.completed, all: counts.all, failed: counts.failed },
    recipient: recipient && {
      done: recipient.completedAt !== null,
      failed: outcome(recipient.failed),
      state: recipient.standing?.state,
    },
    receipt: {
      done: receipt.completedAt !== null,
      failed: outcome(receipt.failed),
      mayCertify: receipt.mayCertify,
      mustPass: receipt.mustPass,
    },
    ownCertificate: own.statusCode,
    certificate: issued && { done: issued.completedAt !== null, passed: issued.passed },
    filter: open.items.some(({ id }) => id === userId),
    // It shows the last few.
    overview: newest ? newest.isCompleted : isDone(one),
  }
}

test('whoever failed is overdue after the day, on the dashboard and in the matrix', async () => {
  await server.services.db.system.query(
    `update transmissions set due_at = now() - interval '1 hour' where organization_id = $1`,
    [orgId],
  )
  const late = cases.filter((one) => !isDone(one)).map(({ name }) => made.get(name)?.userId ?? '')
  const { items } = (await admin.call(readDashboardAlerts)).body
  expect(items.find(({ kind }) => kind === 'overdue_people')?.count).toBe(late.length)
  const query = { state: 'overdue' as const, limit: 50 }
  const found = (await admin.call(listTraining, { params: { orgId }, query })).body.items
  expect(found.map(({ id }) => id).toSorted()).toEqual(late.toSorted())
  expect((await admin.call(readTraining, { params: { orgId } })).body).toMatchObject({
    required: cases.length,
    done: cases.length - late.length,
    overdue: late.length,
  })
})

test('what is failed stands in the files', async () => {
  const { userId = '', videoId = '' } = made.get('failed for good') ?? {}
  const cell = (await admin.call(readTrainingCell, { params: { orgId, userId, videoId } })).body
  const file = await server.app.inject({
    url: `/api/organizations/${orgId}/training/export?form=cells&format=csv`,
    headers: { authorization: `Bearer ${admin.token}` },
  })
  const [head = '', ...lines] = file.body.replace('\uFEFF', '').trim().split('\r\n')
  const line = lines.find((one) => one.includes(',failed for good,'))?.split(',') ?? []
  const cells = Object.fromEntries(head.split(',').map((name, at) => [name, line[at]]))
  expect(cells).toMatchObject({
    State: 'Late',
    Completed: '',
    Passed: '',
    Failed: cell.failed?.at,
    'Attempt left': 'No',
  })
})

test('questions that need no longer be passed complete the video for who watched it', async () => {
  const { userId = '', videoId = '' } = made.get('failed for good') ?? {}
  const asked = question({ atMs: null })
  await publish(admin, videoId, draft([asked], { passRequired: false }))
  const cell = (await admin.call(readTrainingCell, { params: { orgId, userId, videoId } })).body
  expect(cell).toMatchObject({ state: 'completed', failed: null })
  // And once completed it stays so, whatever is asked later.
  await publish(admin, videoId, draft([asked], { passRequired: true }))
  const later = (await admin.call(readTrainingCell, { params: { orgId, userId, videoId } })).body
  expect(later).toMatchObject({ state: 'completed', failed: null })
})
