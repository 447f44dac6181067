import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { eraseEvidence } from '#contract/evidence/privacy.ts'
import { listQuizMetrics, reportQuizMetrics } from '#contract/reports/report-quizzes.ts'
import { addAttempt, addQuiz, type AddedQuiz } from '../testing/quizzes/answers.ts'
import { addPeople } from '../testing/audience.ts'
import { addPastDelivery, dayOf, daysAgo, valuesOf } from '../testing/viewing/past.ts'
import { completedOf, quizTruth, type Completed, type Range } from '../testing/quizzes/quiz-truth.ts'
import { classroom, draft, question } from '../testing/quizzes/quizzes.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { chance, type Chance } from '../testing/viewing/viewers.ts'

/** The report on quizzes, as the sums tell it, against looking at every attempt that there is. */
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await server.services.db.system.query<Row>(text, values)).rows

const smallestGroup = 3
const monthStart = (months: number) => {
  const first = new Date()
  first.setUTCDate(1)
  first.setUTCMonth(first.getUTCMonth() - months)
  return dayOf(first)
}
const ranges: Range[] = [
  ...[
    [200, 0],
    [60, 20],
  ].map(([from = 0, to = 0]) => ({ from: dayOf(daysAgo(from)), to: dayOf(daysAgo(to)) })),
  { from: monthStart(11), to: dayOf(new Date()) },
  { from: monthStart(5), to: dayOf(daysAgo(3)) },
]

type View = {
  who: Person
  query: Record<string, string>
  includes: (one: Completed) => boolean
}

const rounded = (share: number | null) => (share === null ? null : Number(share.toFixed(9)))

async function expectTruth(orgId: string, views: readonly View[]): Promise<void> {
  const attempts = await completedOf(server, orgId)
  for (const range of ranges)
    for (const view of views) {
      const mine = attempts.filter(view.includes)
      const asked = { query: { ...view.query, ...range } }
      const { body } = await view.who.call(reportQuizMetrics, asked)
      const truth = quizTruth(mine, range, smallestGroup)
      const figures = { ...valuesOf(body), medianScore: rounded(body.medianScore.value) }
      const expected = { ...truth, medianScore: rounded(truth.medianScore) }
      expect([view.query, range, figures]).toMatchObject([view.query, range, expected])
      expect(body.steps.reduce((sum, { value }) => sum + value, 0)).toBe(truth.attempts)
      for (const { day, value } of body.steps) {
        const length = body.range.unit === 'day' ? 10 : 7
        const within = mine.filter(({ at }) => at.slice(0, length) === day.slice(0, length))
        const counted = within.filter(
          ({ at }) => at.slice(0, 10) >= range.from && at.slice(0, 10) <= range.to,
        )
        expect([day, value]).toEqual([day, counted.length])
      }
      await expectRows(view, mine, asked)
    }
}

async function expectRows({ who }: View, mine: Completed[], asked: { query: Record<string, string> }) {
  const { from = '', to = '' } = asked.query
  const { items, total } = (await who.call(listQuizMetrics, asked)).body
  const versions = Map.groupBy(
    mine.filter(({ at }) => at.slice(0, 10) >= from && at.slice(0, 10) <= to),
    ({ versionId }) => versionId,
  )
  expect([total, items.length]).toEqual([versions.size, versions.size])
  for (const { id, attempts, people, passed, lastAt } of items) {
    const of = versions.get(id) ?? []
    const persons = (list: Completed[]) => new Set(list.map(({ person }) => person)).size
    expect([id, attempts, people, passed, lastAt]).toEqual([
      id,
      of.length,
      persons(of),
      persons(of) >= smallestGroup ? persons(of.filter((one) => one.passed)) : null,
      of
        .map(({ at }) => at)
        .toSorted()
        .at(-1),
    ])
  }
}

type History = {
  orgId: string
  luck: Chance
  quizzes: AddedQuiz[]
  userIds: string[]
  numbers: Map<string, number>
}

/** Known people, by two links, and visitors, who answer as it comes on days far apart, some of them again. */
async function answerSomehow({ luck, quizzes, userIds, numbers }: History, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const quiz = luck.pick(quizzes)
    const userId = luck.next() < 0.75 ? luck.pick(userIds) : undefined
    const kind = luck.pick(['recipient', 'user'])
    const viewerKey =
      userId === undefined ? `visitor:${luck.between(0, 5)}-${quiz.organizationId}` : `${kind}:${userId}`
    const attempt = `${quiz.quizId} ${viewerKey}`
    const number = (numbers.get(attempt) ?? 0) + 1
    numbers.set(attempt, number)
    const answers = quiz.items.map(({ question: { points } }) => {
      const score = luck.pick([0, 0, points / 3, points])
      return { correct: score === points, score }
    })
    await addAttempt(server, quiz, {
      ...(userId === undefined ? {} : { userId }),
      viewerKey,
      number,
      answers,
      completed: luck.next() < 0.85,
      at: new Date(daysAgo(luck.between(0, luck.pick([8, 60, 400]))).getTime() - luck.between(0, 80_000_000)),
    })
  }
}

async function history(seed: number) {
  const orgId = await server.organization()
  await query(`update organizations set policies = policies || $2 where id = $1`, [
    orgId,
    JSON.stringify({ smallestGroup }),
  ])
  const admin = await server.person('admin', orgId)
  const groupadmin = await server.person('groupadmin', orgId)
  const userIds = await addPeople(server, orgId, { count: 9 })
  const members = userIds.slice(0, 5)
  const group = await groupadmin.call(createGroup, { params: { orgId }, body: { name: 'Mine' } })
  const groupId = group.body.id
  await query(
    `insert into group_members (organization_id, group_id, user_id) select $1, $2, id from unnest($3::uuid[]) id`,
    [orgId, groupId, members],
  )
  const videos = [
    await addVideo(server, { organizationId: orgId }),
    await addVideo(server, { organizationId: orgId }),
  ]
  const [first, second] = videos
  const [project] = await query<{ id: string }>(
    `insert into projects (organization_id, name) values ($1, 'Safety') returning id`,
    [orgId],
  )
  await query('update videos set project_id = $2 where id = any($1)', [
    videos.map(({ videoId }) => videoId),
    project?.id,
  ])
  const questions = () => [question({ points: 3 }), question({ points: 1 })]
  const ask = (videoId = '') =>
    addQuiz(server, { organizationId: orgId, videoId }, { questions: questions() })
  const quizzes = [await ask(first?.videoId), await ask(first?.videoId), await ask(second?.videoId)]
  const sent = userIds.slice(3, 7)
  let transmissionId = ''
  for (const userId of sent) {
    const facts = { organizationId: orgId, videoId: '', versionId: '', ...second, userId, at: daysAgo(20) }
    transmissionId = (await addPastDelivery(server, facts)).transmissionId
  }
  const last = sent.at(-1)
  const views: View[] = [
    { who: admin, query: {}, includes: () => true },
    {
      who: admin,
      query: { videoId: first?.videoId ?? '' },
      includes: (one) => one.videoId === first?.videoId,
    },
    { who: admin, query: { projectId: project?.id ?? '' }, includes: () => true },
    { who: admin, query: { groupId }, includes: (one) => members.includes(one.userId ?? '') },
    { who: groupadmin, query: {}, includes: (one) => members.includes(one.userId ?? '') },
    {
      who: admin,
      query: { transmissionId },
      includes: (one) => one.userId === last && one.videoId === second?.videoId,
    },
    {
      who: admin,
      query: { groupId, videoId: first?.videoId ?? '' },
      includes: (one) => members.includes(one.userId ?? '') && one.videoId === first?.videoId,
    },
  ]
  return {
    orgId,
    admin,
    views,
    ask,
    first,
    luck: chance(seed),
    quizzes,
    userIds,
    numbers: new Map<string, number>(),
  }
}

test('equals a count of every attempt, after new versions and without the erased', async () => {
  const past = await history(51)
  const { orgId, admin, views, userIds } = past
  await answerSomehow(past, 60)
  await expectTruth(orgId, views)
  // The questions are published anew; of what is added now some lies between the days that are known.
  past.quizzes.push(await past.ask(past.first?.videoId))
  await answerSomehow(past, 30)
  await expectTruth(orgId, views)
  const [erased = ''] = userIds
  // Of one version there is nothing left without them.
  const alone = await past.ask(past.first?.videoId)
  await addAttempt(server, alone, { userId: erased, answers: [{ correct: true }, null], number: 99 })
  await admin.call(eraseEvidence, { params: { orgId, userId: erased }, body: { when: 'now' } })
  expect(await completedOf(server, orgId)).not.toContainEqual(expect.objectContaining({ userId: erased }))
  await expectTruth(orgId, views)
})

test('counts everybody who answers while others do', async () => {
  const room = await classroom(server)
  const { quizId, viewer } = {
    ...room,
    ...(await room.asked(draft([question({ teaches: [0, 20_000] }), question()], { passMark: 0.6 }))),
  }
  const orgId = room.video.organizationId
  await query(`update organizations set policies = policies || $2 where id = $1`, [
    orgId,
    JSON.stringify({ smallestGroup }),
  ])
  const views = [{ who: room.author, query: {}, includes: () => true }]
  const luck = chance(53)
  const userIds = await addPeople(server, orgId, { count: 6 })
  const links = userIds.flatMap((userId) => [
    { kind: 'recipient' as const, userId },
    { kind: 'user' as const, userId },
  ])
  const plays = [...links, ...Array.from({ length: 10 }, () => ({ kind: 'visitor' as const }))]
  await Promise.all(
    plays.map(async (play) => {
      const { start, say } = viewer(quizId, play)
      for (const again of [false, true]) {
        const { body, status } = await start(again)
        if (status !== 200) return
        for (const n of [0, 1]) await say(body, { n, options: [luck.between(0, 1)] })
      }
    }),
  )
  expect((await completedOf(server, orgId)).length).toBeGreaterThan(10)
  await expectTruth(orgId, views)
})
