import { beforeEach, expect, test } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { listQuizMetrics, reportQuizMetrics } from '#contract/reports/report-quizzes.ts'
import { createUser } from '#contract/directory/users.ts'
import { addAttempt, addQuiz, type AddedQuiz, type Taken } from '../testing/quizzes/answers.ts'
import { question } from '../testing/quizzes/quizzes.ts'
import { dayOf, daysAgo, valuesOf } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const right = { correct: true }
const wrong = { correct: false }

async function ask(title = 'Fire drill'): Promise<AddedQuiz> {
  const { videoId } = await addVideo(server, { organizationId: orgId, title })
  const questions = [question({ prompt: 'Where to?' }), question({ prompt: 'Whom to call?' })]
  return addQuiz(server, { organizationId: orgId, videoId }, { questions })
}

async function take(quiz: AddedQuiz, many: Taken[]): Promise<void> {
  for (const taken of many) await addAttempt(server, quiz, taken)
}

const visitors = (count: number, taken: Taken): Taken[] => Array.from({ length: count }, () => taken)

test('requires sign-in', async () => {
  expect((await server.call(reportQuizMetrics)).status).toBe(401)
  expect((await server.call(listQuizMetrics)).status).toBe(401)
})

test('requires role', async () => {
  const recipient = await server.person(null, orgId)
  expect((await recipient.call(reportQuizMetrics)).status).toBe(401)
  expect((await recipient.call(listQuizMetrics)).status).toBe(401)
})

test('adds up the attempts of a period, people once for each version', async () => {
  const quiz = await ask()
  const { id: userId } = await server.person(null, orgId)
  await take(quiz, [
    { userId, answers: [wrong, wrong], at: daysAgo(40) },
    { userId, number: 2, answers: [right, right], at: daysAgo(2) },
    ...visitors(3, { answers: [right, right], at: daysAgo(2) }),
    ...visitors(2, { answers: [wrong, wrong], at: daysAgo(1) }),
    { answers: [right, null], completed: false },
  ])
  const { body } = await admin.call(reportQuizMetrics)
  expect(valuesOf(body)).toMatchObject({ quizzes: 1, attempts: 6, people: 6, persons: 6, passed: 4 })
  // The first attempt of one of them was before the period.
  expect(valuesOf(body)).toMatchObject({ first: 5, firstPassed: 3, medianScore: 1, smallestGroup: 5 })
  const counted = body.steps.filter(({ value }) => value > 0)
  expect(counted).toMatchObject([
    { day: dayOf(daysAgo(2)), value: 4 },
    { day: dayOf(daysAgo(1)), value: 2 },
  ])
  const longer = (await admin.call(reportQuizMetrics, { query: { period: '90d' } })).body
  expect(valuesOf(longer)).toMatchObject({ attempts: 7, people: 6, first: 6, firstPassed: 3 })
})

test('lists each version with its hardest question, once there are enough answers', async () => {
  const [quiz, small, nearly] = [await ask(), await ask('Lifting'), await ask('Ladders')]
  await take(quiz, [
    ...visitors(26, { answers: [right, right] }),
    ...visitors(8, { answers: [right, wrong] }),
    ...visitors(16, { answers: [wrong, wrong] }),
  ])
  await take(nearly, visitors(19, { answers: [wrong, right], at: daysAgo(1) }))
  await take(small, visitors(4, { answers: [right, right], at: daysAgo(2) }))
  const { items, total } = (await admin.call(listQuizMetrics)).body
  expect(total).toBe(3)
  expect(items).toMatchObject([
    {
      id: quiz.versionId,
      videoId: quiz.videoId,
      title: 'Fire drill',
      number: 1,
      people: 50,
      passed: 34,
      hardest: { prompt: 'Whom to call?', right: 0.52 },
    },
    { title: 'Ladders', people: 19, passed: 19, hardest: null },
    { title: 'Lifting', people: 4, passed: null, hardest: null },
  ])
})

test('goes through all versions once, in every order', async () => {
  for (const title of ['Lifting', 'Fire drill', 'Ladders'])
    await take(await ask(title), visitors(5, { answers: [right, wrong] }))
  for (const sort of ['title', '-people', 'attempts', 'passRate', '-lastAt']) {
    const found: string[] = []
    let url: string | null = `/api${listQuizMetrics.path}?limit=2&sort=${sort}`
    while (url !== null) {
      const page = listQuizMetrics.reply.parse((await admin.send('GET', url)).body)
      found.push(...page.items.map(({ id }) => id))
      url = page.next
    }
    expect(found).toHaveLength(3)
    expect(new Set(found).size).toBe(3)
  }
})

test('shows a groupadmin the answers of their members only', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  const group = await groupadmin.call(createGroup, { params: { orgId }, body: { name: 'Mine' } })
  const quiz = await ask()
  const members: string[] = []
  for (let n = 0; n < 30; n++) {
    const body = { name: `M ${n}`, email: `m${n}-${orgId}@example.test`, groupIds: [group.body.id] }
    members.push((await admin.call(createUser, { params: { orgId }, body })).body.id)
  }
  await take(quiz, visitors(40, { answers: [right, right] }))
  await take(
    quiz,
    members.map((userId, n) => ({ userId, answers: [n < 12 ? right : wrong, right] })),
  )
  const report = valuesOf((await groupadmin.call(reportQuizMetrics)).body)
  expect(report).toMatchObject({ people: 30, passed: 30, first: 30 })
  const { items } = (await groupadmin.call(listQuizMetrics)).body
  expect(items).toMatchObject([{ people: 30, hardest: { prompt: 'Where to?', right: 0.4 } }])
  expect((await admin.call(listQuizMetrics)).body.items).toMatchObject([{ people: 70 }])
  const other = await server.person('groupadmin', orgId)
  expect((await other.call(listQuizMetrics)).body.items).toEqual([])
})

test('shows nothing of another organization', async () => {
  await take(await ask(), visitors(5, { answers: [right, right] }))
  const stranger = await server.person('admin', await server.organization())
  expect(valuesOf((await stranger.call(reportQuizMetrics)).body)).toMatchObject({
    attempts: 0,
    people: 0,
    passed: null,
  })
  for (const endpoint of [reportQuizMetrics, listQuizMetrics])
    expect((await stranger.call(endpoint, { query: { organizationId: orgId } })).status).toBe(404)
  const superadmin = await server.person('superadmin')
  const query = { organizationId: orgId }
  expect((await superadmin.call(reportQuizMetrics, { query })).body.people.value).toBe(5)
})
