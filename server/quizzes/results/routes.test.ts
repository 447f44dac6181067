import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import {
  exportQuizResults,
  listQuizPeople,
  readWatchedBeforeAnswer,
  readQuizAttempt,
  readQuizResults,
  type QuizResults,
} from '#contract/quizzes/quiz-results.ts'
import { addAttempt, addQuiz, type AddedQuiz, type Taken } from '../../testing/quizzes/answers.ts'
import { question } from '../../testing/quizzes/quizzes.ts'
import type { Person } from '../../testing/server.ts'
import { addDelivery, addVideo } from '../../testing/viewing/viewing.ts'
import { aServer, anOrganization, setPolicies } from '../../testing/worlds.ts'

const server = await aServer()

let admin: Person
let organizationId: string
let video: { videoId: string; versionId: string }
beforeEach(async () => {
  ;({ orgId: organizationId, admin } = await anOrganization(server))
  video = await addVideo(server, { organizationId, durationMs: 60_000 })
})

const params = () => ({ videoId: video.videoId })
/** A file has no shape in the contract. */
const textOf = (body: unknown): string => (typeof body === 'string' ? body : '')
const right = { correct: true }
const wrong = { correct: false }

async function results(query: Record<string, string> = {}): Promise<QuizResults> {
  const answer = await admin.call(readQuizResults, { params: params(), query })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

function ask(questions = [question(), question({ points: 2 })], passMark = 0.5): Promise<AddedQuiz> {
  return addQuiz(server, { organizationId, videoId: video.videoId }, { questions, passMark })
}

async function take(quiz: AddedQuiz, many: Taken[]): Promise<void> {
  for (const taken of many) await addAttempt(server, quiz, taken)
}

/** So many visitors with the same answers. */
const visitors = (count: number, answers: Taken['answers']): Taken[] =>
  Array.from({ length: count }, () => ({ answers }))

test('requires sign-in', async () => {
  expect((await server.call(readQuizResults, { params: params() })).status).toBe(401)
  const question = { ...params(), itemId: randomUUID() }
  expect((await server.call(readWatchedBeforeAnswer, { params: question })).status).toBe(401)
  expect((await server.call(listQuizPeople, { params: params() })).status).toBe(401)
  expect((await server.call(exportQuizResults, { params: params() })).status).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', organizationId)
  expect((await groupadmin.call(readQuizResults, { params: params() })).status).toBe(403)
  const ofQuestion = { ...params(), itemId: randomUUID() }
  expect((await groupadmin.call(readWatchedBeforeAnswer, { params: ofQuestion })).status).toBe(403)
  expect((await groupadmin.call(listQuizPeople, { params: params() })).status).toBe(403)
  const attempt = { videoId: video.videoId, attemptId: randomUUID() }
  expect((await groupadmin.call(readQuizAttempt, { params: attempt })).status).toBe(403)
})

test('a video of another organization, or the version of another video, is not found', async () => {
  const quiz = await ask()
  const attemptId = await addAttempt(server, quiz, { answers: [right, right] })
  const stranger = await server.person('admin', await server.organization())
  for (const endpoint of [readQuizResults, listQuizPeople, exportQuizResults])
    expect((await stranger.call(endpoint, { params: params() })).status).toBe(404)
  const foreign = { videoId: video.videoId, attemptId }
  expect((await stranger.call(readQuizAttempt, { params: foreign })).status).toBe(404)
  const other = await addVideo(server, { organizationId })
  const query = { versionId: quiz.versionId }
  const astray = { videoId: other.videoId }
  expect((await admin.call(readQuizResults, { params: astray, query })).status).toBe(404)
  const itemId = quiz.items[0]?.id ?? ''
  expect((await stranger.call(readWatchedBeforeAnswer, { params: { ...params(), itemId } })).status).toBe(404)
  expect((await admin.call(readWatchedBeforeAnswer, { params: { ...astray, itemId } })).status).toBe(404)
  const unknown = { ...params(), itemId: randomUUID() }
  expect((await admin.call(readWatchedBeforeAnswer, { params: unknown })).status).toBe(404)
  expect((await admin.call(readQuizAttempt, { params: { ...astray, attemptId } })).status).toBe(404)
})

test('nothing is there before questions are published', async () => {
  expect(await results()).toMatchObject({ versionId: null, versions: [], questions: [], scores: null })
  expect((await admin.call(listQuizPeople, { params: params() })).body.items).toEqual([])
})

test('counts people, not attempts, and keeps versions apart', async () => {
  const first = await ask()
  const people = await Promise.all(Array.from({ length: 6 }, () => server.person(null, organizationId)))
  const assigned = people.slice(0, 4)
  for (const { id: userId } of assigned) await addDelivery(server, { organizationId, ...video, userId })
  for (const [at, { id: userId }] of people.entries())
    await addAttempt(server, first, { userId, answers: at < 2 ? [right, right] : [wrong, wrong] })
  // The third passes when trying again; the sixth also answers while signed in, and is still one person.
  await addAttempt(server, first, { userId: people[2]?.id ?? '', number: 2, answers: [right, right] })
  const twice = { userId: people[5]?.id ?? '', viewerKey: `user:${people[5]?.id}` }
  await addAttempt(server, first, { ...twice, answers: [right, wrong], completed: false })
  const found = await results()
  expect(found).toMatchObject({ assigned: 4, attempted: 6, completed: 6, attempts: 8, maxScore: 3 })
  expect(found.scores).toMatchObject({
    passed: 3,
    passedOfAttempted: 0.5,
    passedOfAssigned: 0.75,
    passedAtFirst: 2 / 6,
    attemptsPerPerson: 8 / 6,
    mean: 1 / 3,
    median: 0,
    histogram: [4, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    medianMs: 8_000,
  })
  const second = await ask([question()])
  expect(await results()).toMatchObject({ versionId: first.versionId, attempted: 6 })
  expect(await results({ versionId: second.versionId })).toMatchObject({ attempted: 0, scores: null })
  await addAttempt(server, second, { answers: [right] })
  expect(await results()).toMatchObject({ versionId: second.versionId, attempted: 1 })
  expect(
    (await results()).versions.map(({ number, attempts, isCurrent }) => [number, attempts, isCurrent]),
  ).toEqual([
    [2, 1, true],
    [1, 8, false],
  ])
})

test('says nothing about fewer people than the smallest group', async () => {
  const quiz = await ask([question({ teaches: [0, 10_000] })])
  await take(quiz, visitors(4, [wrong]))
  const few = await results()
  expect(few).toMatchObject({ smallestGroup: 5, attempted: 4, completed: 4, scores: null })
  expect(few.questions[0]).toMatchObject({
    people: 4,
    right: null,
    mayBeMiskeyed: false,
    answers: [],
  })
  const split = async () =>
    (await admin.call(readWatchedBeforeAnswer, { params: { ...params(), itemId: quiz.items[0]?.id ?? '' } }))
      .body
  expect(await split()).toEqual({ isRecorded: true, attention: null, taught: null, asOf: null })
  await take(quiz, visitors(1, [wrong]))
  expect(await split()).toMatchObject({ attention: { wrong: 5, unknown: 5 } })
  const enough = await results()
  expect(enough.scores).toMatchObject({ passed: 0 })
  expect(enough.questions[0]).toMatchObject({ right: 0 })
})

test('says that the key may be wrong where those who got a question wrong do better in all others', async () => {
  const quiz = await ask([question(), question({ points: 2 }), question()])
  const suspects = async () => (await results()).questions.map(({ mayBeMiskeyed }) => mayBeMiskeyed)
  await take(quiz, [...visitors(4, [right, wrong, wrong]), ...visitors(15, [wrong, right, right])])
  // 19 people, then 20, of whom 4 got the first one right.
  expect(await suspects()).toEqual([false, false, false])
  await take(quiz, visitors(1, [wrong, right, right]))
  expect(await suspects()).toEqual([false, false, false])
  await take(quiz, visitors(1, [right, wrong, wrong]))
  expect(await suspects()).toEqual([true, false, false])
  // Whoever is right does as well in the others as who is wrong.
  await take(quiz, visitors(10, [right, right, right]))
  await take(quiz, visitors(10, [null, wrong, wrong]))
  const { questions } = await results()
  expect(questions.map(({ people, right, mayBeMiskeyed }) => [people, right, mayBeMiskeyed])).toEqual([
    [41, 15, false],
    [41, 26, false],
    [41, 26, false],
  ])
})

test('part of the points is wrong, and one question alone is compared with nothing', async () => {
  const half = { correct: false, score: 1 }
  const quiz = await ask([question({ points: 2 }), question()])
  await take(quiz, [...visitors(15, [half, right]), ...visitors(5, [right, wrong])])
  expect((await results()).questions).toMatchObject([
    { people: 20, right: 5, mayBeMiskeyed: true },
    { people: 20, right: 15, mayBeMiskeyed: true },
  ])
  const alone = await ask([question()])
  await take(alone, [...visitors(10, [right]), ...visitors(10, [wrong])])
  expect((await results({ versionId: alone.versionId })).questions).toMatchObject([
    { people: 20, right: 10, mayBeMiskeyed: false },
  ])
})

test('tells how the scores are spread', async () => {
  const quiz = await ask([question(), question({ points: 2 }), question()], 0.6)
  await take(quiz, [
    ...visitors(20, [right, right, wrong]),
    ...visitors(15, [right, { correct: false, score: 1 }, wrong]),
    ...visitors(10, [wrong, right, right]),
    ...visitors(12, [wrong, wrong, right]),
    ...visitors(3, [wrong, wrong, null]),
  ])
  const found = await results()
  const close = (value: number) => expect.closeTo(value, 6) as number
  expect(found.questions.map(({ right }) => right)).toEqual([35, 30, 22])
  expect(found.scores).toMatchObject({
    mean: close(0.55),
    median: 0.625,
    deviation: close(0.2337969566721358),
  })
})

test('tells what was answered, options in their order and typed answers by how often', async () => {
  const texts = ['Call help', 'Run', 'Hide', 'Sing']
  const options = texts.map((text, at) => ({ id: randomUUID(), text, correct: at === 0, feedback: null }))
  const chosen = (at: number) => ({ correct: at === 0, answer: [options[at]?.id ?? ''] })
  const typed = question({ kind: 'text', options: [], texts: ['Help'] })
  const quiz = await ask([question({ options }), typed])
  await take(quiz, [
    ...visitors(24, [chosen(0), { correct: false, answer: ' FIRE ' }]),
    ...visitors(15, [chosen(1), { correct: true, answer: 'help' }]),
    ...visitors(1, [chosen(2), { correct: false, answer: 'fire' }]),
  ])
  const [one, two] = (await results()).questions
  expect(one?.answers).toEqual([
    { text: 'Call help', correct: true, count: 24, share: 0.6 },
    { text: 'Run', correct: false, count: 15, share: 0.375 },
    { text: 'Hide', correct: false, count: 1, share: 0.025 },
    { text: 'Sing', correct: false, count: 0, share: 0 },
  ])
  expect(one?.mayBeMiskeyed).toBe(true)
  expect(two?.answers.map(({ text, count, correct }) => [text, count, correct])).toEqual([
    ['fire', 25, false],
    ['help', 15, true],
  ])
})

test('lists people with their first and their best score, found by name and sorted', async () => {
  const quiz = await ask()
  const ann = await server.person(null, organizationId)
  const ben = await server.person(null, organizationId)
  await server.query(
    `update users set name = case id when $1 then 'Ann Adder' else 'Ben Boa' end where id in ($1, $2)`,
    [ann.id, ben.id],
  )
  await addAttempt(server, quiz, { userId: ann.id, answers: [wrong, wrong] })
  await addAttempt(server, quiz, { userId: ann.id, number: 2, answers: [right, right] })
  await addAttempt(server, quiz, { userId: ben.id, answers: [right, null], completed: false })
  const list = async (query: Record<string, string | number>) =>
    (await admin.call(listQuizPeople, { params: params(), query })).body
  const all = await list({})
  expect(all.items).toMatchObject([
    { name: 'Ann Adder', attempts: 2, firstScore: 0, bestScore: 1, passed: true, answers: [false, false] },
    { name: 'Ben Boa', attempts: 1, firstScore: null, bestScore: null, passed: null, answers: [true, null] },
  ])
  expect((await list({ q: 'boa' })).items).toMatchObject([{ name: 'Ben Boa' }])
  expect((await list({ outcome: 'passed' })).items).toMatchObject([{ name: 'Ann Adder' }])
  expect((await list({ outcome: 'open' })).total).toBe(1)
  for (const sort of ['name', '-name', 'firstScore', '-bestScore', 'attempts', '-lastAt']) {
    const start = await list({ sort, limit: 1 })
    const end = await admin.send('GET', start.next ?? '')
    const second = listQuizPeople.reply.parse(end.body)
    expect(new Set([start.items[0]?.id, second.items[0]?.id]).size).toBe(2)
    expect(second.next).toBeNull()
  }
})

test('shows one attempt as it was answered', async () => {
  const quiz = await ask()
  const ann = await server.person(null, organizationId)
  const answers: Taken['answers'] = [[wrong, right], null]
  const attemptId = await addAttempt(server, quiz, { userId: ann.id, answers, completed: false })
  const { body } = await admin.call(readQuizAttempt, { params: { videoId: video.videoId, attemptId } })
  expect(body).toMatchObject({ number: 1, score: 0, maxScore: 3, passed: null, completedAt: null })
  expect(body.answers).toMatchObject([
    {
      solution: 'Yes',
      tries: [
        { answer: 'No', correct: false },
        { answer: 'Yes', correct: true },
      ],
    },
    { tries: [] },
  ])
  expect(body.attempts).toEqual([{ id: attemptId, number: 1 }])
})

test('exports attempts and answers, in which no cell is a formula, and writes down that it did', async () => {
  const quiz = await ask([question({ kind: 'text', options: [], texts: ['x'], prompt: '=Formula?' })])
  await take(quiz, [{ answers: [{ correct: false, answer: '=HYPERLINK("https://evil.test")' }] }])
  const answers = await admin.call(exportQuizResults, { params: params() })
  expect(answers.headers['content-type']).toContain('text/csv')
  const lines = textOf(answers.body).split('\r\n')
  expect(lines[0]).toContain('Attempt ID,Person,Email,Viewer,Attempt,Position,Question,Try,Answer,Right')
  expect(lines[1]).toContain(`,'=Formula?,1,"'=HYPERLINK(""https://evil.test"")",no,0,1,`)
  expect(lines).toHaveLength(3)
  const attempts = await admin.call(exportQuizResults, { params: params(), query: { rows: 'attempts' } })
  expect(textOf(attempts.body).split('\r\n')[1]).toMatch(/,0,1,no,$/)
  const entries = await server.query(
    `select after from audit where organization_id = $1 and action = 'quiz_results.exported' order by id`,
    [organizationId],
  )
  expect(entries).toEqual([
    { after: { rows: 'answers', version: 1 } },
    { after: { rows: 'attempts', version: 1 } },
  ])
})

test('the smallest group is what the organization decides', async () => {
  await setPolicies(server, organizationId, { smallestGroup: 2 })
  const quiz = await ask()
  await take(quiz, visitors(2, [right, right]))
  expect(await results()).toMatchObject({ smallestGroup: 2, scores: { passed: 2 } })
})
