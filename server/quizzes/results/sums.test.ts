import { afterAll, beforeAll, expect, test } from 'vitest'
import { readQuizResults } from '#contract/quiz-results.ts'
import { readQuiz } from '#contract/quizzes.ts'
import { sql } from '../../db/drizzle.ts'
import { itemSums } from '../../plays/attempts.ts'
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

const inOrder = (rows: unknown[][]) => rows.map((row) => row.join(' ')).toSorted((a, b) => a.localeCompare(b))

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
  const [kept, counted] = await server.services.db.as('system', async (tx) => [
    await itemSums(tx, [versionId], undefined),
    await itemSums(tx, [versionId], sql`true`),
  ])
  expect(kept).toHaveLength(3)
  expect(kept?.[0]?.n).toBeGreaterThan(30)
  // Sums of shares of points, in another order: equal to a millionth.
  const plain = (list: typeof kept) =>
    JSON.stringify(list, (_name, value: unknown) => (typeof value === 'number' ? value.toFixed(6) : value))
  expect(plain(counted)).toEqual(plain(kept))
  const { body } = await room.author.call(readQuizResults, { params: { videoId } })
  const options = await server.services.db.system.query<{
    options: Record<string, { n: number; rest: number }>
  }>(
    `select s.options from quiz_item_stats s join quiz_items i on i.id = s.item_id where i.version_id = $1 order by i.position`,
    [versionId],
  )
  for (const [at, { points, answers }] of body.questions.entries()) {
    const asKept = Object.values(options.rows[at]?.options ?? {}).map(({ n, rest }) => [
      n,
      (rest / n / (4 - points)).toFixed(6),
    ])
    const asCounted = answers
      .filter(({ count }) => count > 0)
      .map(({ count, rest }) => [count, rest?.toFixed(6)])
    expect(inOrder(asCounted)).toEqual(inOrder(asKept))
  }
})
