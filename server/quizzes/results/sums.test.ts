import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { readQuizResults } from '#contract/quizzes/quiz-results.ts'
import { readQuiz } from '#contract/quizzes/quizzes.ts'
import { countedItems, recount } from '../../testing/quizzes/answers.ts'
import { choices, classroom, draft, question, type Classroom } from '../../testing/quizzes/quizzes.ts'
import { deriveAll } from '../../testing/derive.ts'
import { catchUpItems } from '../item-figures.ts'
import { chance } from '../../testing/viewing/viewers.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const room = await classroom(server)

/** Rows of sums, to a millionth: shares of points, added up in another order. */
async function addedUp(versionId: string, which: 'kept' | 'counted') {
  const read = async (text: string) => await server.query(text, [versionId])
  const plain = (rows: unknown) =>
    JSON.parse(
      JSON.stringify(rows, (_name, value: unknown) =>
        typeof value === 'number' ? Number(value.toFixed(6)) : value,
      ),
    ) as unknown[]
  const keptItems = `select item_id, organization_id, version_id, n, options,
      (select jsonb_agg(m order by m -> 0, m -> 1) from jsonb_array_elements(marks) m) as marks
    from quiz_item_stats where version_id = $1 order by item_id`
  return {
    first: await read('select id from quiz_attempts where version_id = $1 and is_first order by id'),
    took: await read('select id, took_ms from quiz_attempts where version_id = $1 order by id'),
    items: plain(await read(which === 'kept' ? keptItems : countedItems)),
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

test('what is kept of questions equals what the rows give: people, choices and scores', async () => {
  const questions = [
    question({ options: choices('*A', 'B', 'C'), backToMs: 1_000 }),
    question({ kind: 'multiple', points: 2, options: choices('*A', '*B', 'C') }),
    question({ kind: 'text', texts: ['car park'] }),
  ]
  const { quizId } = await room.asked(draft(questions, { passMark: 1 }))
  await answerSomehow(quizId, room.viewer)
  const { videoId } = room.video
  const versionId = (await room.author.call(readQuiz, { params: { videoId } })).body.versions[0]?.id ?? ''
  const shown = await room.author.call(readQuizResults, { params: { videoId } })
  const stored = await addedUp(versionId, 'kept')
  await recount(server, versionId)
  expect(stored).toEqual(await addedUp(versionId, 'counted'))
  expect(shown.body.completed).toBeGreaterThan(30)
  expect(shown.body.asOf).toBeNull()
  expect(stored.items).toHaveLength(3)
  const [, two] = shown.body.questions
  const given = await server.query<{ right: number }>(
    `select count(*) filter (where w.correct)::int as right
      from quiz_attempts a join quiz_answers w on w.attempt_id = a.id and w.try = 1 where a.is_first and w.item_id = $1`,
    [two?.id],
  )
  expect(given).toEqual([{ right: two?.right }])
})

test('with many people the worker works them out, and whoever reads is told as of when', async () => {
  const { start, say } = await room.asked(draft([question()]))
  const { body: attempt } = await start()
  await say(attempt, {})
  const { organizationId, videoId } = room.video
  const { versions } = (await room.author.call(readQuiz, { params: { videoId } })).body
  const among = (people: number) =>
    server.services.db.as({ organizationId }, (tx) =>
      catchUpItems(tx, { organizationId, versionId: versions[0]?.id ?? '', people }),
    )
  expect(await among(10_001)).toMatch(/^\d{4}-/)
  await deriveAll(server.services.db)
  expect(await among(10_001)).toBeNull()
  const { body } = await room.author.call(readQuizResults, { params: { videoId } })
  expect(body).toMatchObject({ asOf: null, questions: [{ people: 1 }] })
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

test('what one person types takes the report from nobody, whatever signs stand where it is shortened', async () => {
  const room = await classroom(server)
  const family = '\u{1F469}\u200D\u{1F467}'
  const typed = [
    `${'x'.repeat(79)}😀`,
    `${'x'.repeat(78)}${family}`,
    'ﷺ'.repeat(50),
    family.repeat(150),
    `e${'\u0301'.repeat(900)}`,
    '\uFFFD',
    '__proto__',
    'x'.repeat(1_000),
  ]
  const { quizId } = await room.asked(draft([question({ kind: 'text', options: [], texts: ['x'] })]))
  for (const text of typed) {
    const viewer = room.viewer(quizId)
    const { body: attempt } = await viewer.start()
    expect([text, (await viewer.say(attempt, { text })).status]).toEqual([text, 200])
  }
  const viewer = room.viewer(quizId)
  const { body: attempt } = await viewer.start()
  for (const text of ['half \uD83D', 'zero \0', 'bell \u0007'])
    expect((await viewer.say(attempt, { text })).problem?.fields).toEqual({ answer: ['hidden_characters'] })
  await deriveAll(server.services.db)
  const params = { videoId: room.video.videoId }
  const { status, body } = await room.author.call(readQuizResults, { params })
  expect(status).toBe(200)
  const shown = body.questions[0]?.answers.map(({ text }) => text) ?? []
  expect(shown).toContain('x'.repeat(79))
  expect(shown.every((text) => text.isWellFormed() && text.length <= 80)).toBe(true)
})
