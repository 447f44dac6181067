import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readQuizResults } from '#contract/quiz-results.ts'
import { readQuiz } from '#contract/quizzes.ts'
import { recount } from '../../testing/answers.ts'
import { choices, classroom, draft, question, type Classroom } from '../../testing/quizzes.ts'
import { startTestServer, type TestServer } from '../../testing/server.ts'
import { chance } from '../../testing/viewers.ts'

let server: TestServer
let room: Classroom
beforeAll(async () => {
  server = await startTestServer()
  room = await classroom(server)
})
afterAll(() => server.close())

/** Rows of sums, to a millionth: shares of points, added up in another order. */
async function addedUp(versionId: string) {
  const read = async (text: string) => (await server.services.db.system.query(text, [versionId])).rows
  const plain = (rows: unknown) =>
    JSON.parse(
      JSON.stringify(rows, (_name, value: unknown) =>
        typeof value === 'number' ? Number(value.toFixed(6)) : value,
      ),
    ) as unknown[]
  const mine = 'item_id in (select id from quiz_items where version_id = $1)'
  return {
    first: await read('select id from quiz_attempts where version_id = $1 and is_first order by id'),
    took: await read('select id, took_ms from quiz_attempts where version_id = $1 order by id'),
    stats: plain(await read('select * from quiz_item_stats where version_id = $1 order by item_id')),
    marks: plain(await read(`select * from quiz_item_marks where ${mine} order by item_id, x, t`)),
    times: await read(`select * from quiz_item_times where ${mine} order by item_id, tenths`),
  }
}

const luck = chance(11)
const typed = ['Car park', ' car  PARK ', 'lobby', 'Café']

/** Visitors who answer as it comes, try again after a wrong answer, begin anew, or leave in the middle. */
async function answerSomehow(quizId: string, viewer: Classroom['viewer']): Promise<void> {
  for (let n = 0; n < 45; n++) {
    const { start, say } = viewer(quizId, { kind: 'visitor' })
    for (const again of luck.next() < 0.3 ? [false, true] : [false]) {
      const { body: attempt, status } = await start(again)
      if (status !== 200) break
      const first = await say(attempt, { options: [luck.between(0, 2)] })
      if (first.body.result.mayRetry) await say(attempt, { options: [luck.between(0, 2)], try: 2 })
      if (luck.next() < 0.1) break
      await say(attempt, { n: 1, options: luck.pick([[0], [0, 1], [1, 2], [2]]) })
      await say(attempt, { n: 2, text: luck.pick(typed) })
    }
  }
}

test('what answering adds up equals what the rows give: sums, choices and their rests', async () => {
  const questions = [
    question({ options: choices('*A', 'B', 'C'), backToMs: 1_000 }),
    question({ kind: 'multiple', points: 2, options: choices('*A', '*B', 'C') }),
    question({ kind: 'text', texts: ['car park'] }),
  ]
  const { quizId } = await room.asked(draft(questions, { passMark: 1 }))
  await answerSomehow(quizId, room.viewer)
  const { videoId } = room.video
  const versionId = (await room.author.call(readQuiz, { params: { videoId } })).body.versions[0]?.id ?? ''
  const kept = await addedUp(versionId)
  const shown = await room.author.call(readQuizResults, { params: { videoId } })
  await recount(server, versionId)
  expect(kept).toEqual(await addedUp(versionId))
  expect(shown.body.completed).toBeGreaterThan(30)
  expect(kept.stats).toHaveLength(3)
  const [, two] = shown.body.questions
  const given = await server.services.db.system.query<{ right: number; median: number }>(
    `select count(*) filter (where w.correct)::int as right, percentile_cont(0.5) within group (order by w.took_ms) as median
      from quiz_attempts a join quiz_answers w on w.attempt_id = a.id and w.try = 1 where a.is_first and w.item_id = $1`,
    [two?.id],
  )
  expect(given.rows).toEqual([{ right: two?.right, median: two?.medianMs }])
})

test('two attempts of one person that end at the same moment are one first attempt', async () => {
  const questions = [question()]
  const { quizId } = await room.asked(draft(questions, { passMark: 1 }))
  const userId = randomUUID()
  const keys = (['recipient', 'user'] as const).map((kind) => room.viewer(quizId, { kind, userId }))
  const answers = await Promise.all(
    keys.map(async ({ start, say }) => {
      const { body: attempt } = await start()
      return () => say(attempt, {})
    }),
  )
  const said = await Promise.all(answers.map((answer) => answer()))
  expect(said.map(({ status }) => status)).toEqual([200, 200])
  const { body } = await room.author.call(readQuizResults, { params: { videoId: room.video.videoId } })
  expect(body).toMatchObject({ attempted: 1, completed: 1, attempts: 2, questions: [{ people: 1 }] })
})
