import { beforeEach, describe, expect, it } from 'vitest'

import { startAttempt } from '#contract/quizzes/quizzes.ts'
import { choices, classroom, draft, publish, question, type Classroom } from '../testing/quizzes/quizzes.ts'
import { aServer } from '../testing/worlds.ts'

const server = await aServer()
const { query: sql } = server

let room: Classroom
beforeEach(async () => {
  room = await classroom(server)
})

const gate = () => question({ gate: true })
const single = (...texts: string[]) => question({ options: choices(...texts) })

describe('an attempt', () => {
  it('asks every kind of question, grades the answers and says who has passed', async () => {
    const { start, say } = await room.asked(
      draft([
        single('*Stop', 'Go'),
        question({ kind: 'multiple', options: choices('*a', '*b', 'c'), points: 3 }),
        question({ kind: 'true_false', options: choices('*True', 'False') }),
        question({ kind: 'number', number: { value: 42, tolerance: 0.5 } }),
        question({ kind: 'text', texts: ['Café'], atMs: null }),
      ]),
    )
    const { body: attempt } = await start()
    expect(attempt).toMatchObject({
      number: 1,
      remaining: null,
      answered: [],
      completedAt: null,
      outcome: null,
    })
    expect(attempt.questions.map(({ kind }) => kind)).toEqual([
      'single',
      'multiple',
      'true_false',
      'number',
      'text',
    ])
    const correct = []
    correct.push((await say(attempt, { n: 0, options: [0] })).body.result)
    correct.push((await say(attempt, { n: 1, options: [0] })).body.result)
    correct.push((await say(attempt, { n: 2, options: [1] })).body.result)
    correct.push((await say(attempt, { n: 3, text: '41,6' })).body.result)
    const last = await say(attempt, { n: 4, text: ' cafe ' })
    expect(correct.map((result) => [result.correct, result.score])).toEqual([
      [true, 1],
      [false, 1.5],
      [false, 0],
      [true, 1],
    ])
    expect(last.body.attempt).toMatchObject({
      outcome: {
        score: 4.5,
        maxScore: 7,
        passMark: 0.8,
        passed: false,
        retakeAt: expect.any(String) as string,
      },
    })
    expect(await sql('select score, passed from quiz_attempts where id = $1', [attempt.id])).toEqual([
      { score: 4.5, passed: false },
    ])
  })

  it('goes on where it was after a reload, with everything in the same order', async () => {
    const questions = Array.from({ length: 8 }, () =>
      question({ atMs: null, shuffle: true, options: choices('*a', 'b', 'c', 'd', 'e') }),
    )
    const { quizId, start, say } = await room.asked(draft(questions, { shuffle: true }))
    const { body: attempt } = await start()
    await say(attempt, { n: 2, options: [1] })
    const { body: later } = await start()
    expect(later).toMatchObject({ id: attempt.id, questions: attempt.questions })
    expect(later.answered).toMatchObject([
      { itemId: attempt.questions[2]?.id, try: 1, answer: [attempt.questions[2]?.options[1]?.id] },
    ])
    const orders = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const other = await room.viewer(quizId).start()
        return JSON.stringify(other.body.questions)
      }),
    )
    expect(new Set(orders).size).toBe(6)
  })

  it('begins once, when two tabs open it at the same moment', async () => {
    const { start } = await room.asked(draft([single('*a', 'b')]))
    const both = await Promise.all([start(), start(), start()])
    expect(new Set(both.map(({ body }) => body.id)).size).toBe(1)
  })

  it('is there for visitors, too, each with their own', async () => {
    const { quizId, start } = await room.asked(draft([single('*a', 'b')]))
    const visitor = { kind: 'visitor' as const }
    const [one, two] = [room.viewer(quizId, visitor), room.viewer(quizId, visitor)]
    const ids = [await one.start(), await two.start(), await start()].map(({ body }) => body.id)
    expect(new Set(ids).size).toBe(3)
    const stored = await sql('select viewer_key, user_id from quiz_attempts where id = $1', [ids[0]])
    expect(stored).toEqual([{ viewer_key: one.claims.viewerKey, user_id: null }])
  })

  it('knows the message that it belongs to', async () => {
    const [transmission, delivery, userId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const { start, claims } = await room.asked(draft([single('*a', 'b')]), { transmission, delivery, userId })
    const { body } = await start()
    expect(
      await sql(`select user_id, transmission_id, delivery_id, session_id from quiz_attempts where id = $1`, [
        body.id,
      ]),
    ).toEqual([
      { user_id: userId, transmission_id: transmission, delivery_id: delivery, session_id: claims.session },
    ])
  })
})

describe('another attempt', () => {
  it('may begin while there is one left, and not after one was passed', async () => {
    const { quizId, start, say } = await room.asked(draft([single('*a', 'b')], { attempts: 2 }))
    const { body: first } = await start()
    expect((await start(true)).body.id).toBe(first.id)
    expect(first.remaining).toBe(1)
    const failed = await say(first, { options: [1] })
    expect(failed.body.attempt.outcome).toMatchObject({
      passed: false,
      retakeAt: failed.body.attempt.completedAt,
    })
    expect((await start()).body.id).toBe(first.id)
    const { body: second } = await start(true)
    expect(second).toMatchObject({ number: 2, remaining: 0, answered: [] })
    const over = await say(second, { options: [1] })
    expect(over.body.attempt.outcome).toMatchObject({ passed: false, retakeAt: null })
    expect((await start(true)).problem).toMatchObject({ status: 409, detail: 'There is no attempt left.' })
    const other = room.viewer(quizId)
    const { body: theirs } = await other.start()
    expect((await other.say(theirs, {})).body.attempt.outcome).toMatchObject({ passed: true, retakeAt: null })
    expect((await other.start(true)).problem?.detail).toBe('You have passed already.')
  })

  it('waits for its time', async () => {
    const { start, say } = await room.asked(draft([single('*a', 'b')], { retakeAfterHours: 24 }))
    const { body: first } = await start()
    const { body } = await say(first, { options: [1] })
    const wait = Date.parse(body.attempt.outcome?.retakeAt ?? '') - Date.parse(body.attempt.completedAt ?? '')
    expect(wait).toBe(24 * 3_600_000)
    const early = await start(true)
    expect([early.status, early.problem?.detail]).toEqual([409, 'It is too early for another attempt.'])
    await sql(`update quiz_attempts set completed_at = completed_at - interval '24 hours' where id = $1`, [
      first.id,
    ])
    expect((await start(true)).body.number).toBe(2)
  })

  it('is about the new questions, once the old ones are answered', async () => {
    const old = question({ gate: true })
    const { quizId, start, say } = await room.asked(draft([old, single('*a', 'b')], { attempts: 1 }))
    const passed = room.viewer(quizId)
    const { body: theirs } = await passed.start()
    for (const n of [0, 1]) await passed.say(theirs, { n })
    const { body: open } = await start()
    await say(open, { n: 1, options: [1] })
    await publish(room.author, room.video.videoId, draft([old], { attempts: 1 }))
    // What has begun goes on as it began, and is judged by its own version.
    expect((await start()).body.questions).toHaveLength(2)
    await say(open, { n: 0, options: [1] })
    const { body: next } = await start()
    expect(next).toMatchObject({ number: 2, remaining: 0, completedAt: null })
    expect(next.questions).toHaveLength(1)
    // Who has passed is asked again only where a question holds the video that they have never seen.
    expect((await passed.start()).body.id).toBe(theirs.id)
    await publish(room.author, room.video.videoId, draft([old, gate()]))
    expect((await passed.start()).body).toMatchObject({ number: 2, completedAt: null })
  })
})

it('a preview acts like any other viewing, and leaves nothing behind', async () => {
  const { start, say } = await room.asked(draft([gate(), single('*c', 'd')], { attempts: 1 }), {
    kind: 'preview',
  })
  const { body: attempt } = await start()
  expect((await say(attempt, { options: [1] })).body.result.correct).toBe(false)
  expect((await say(attempt, { options: [0] })).status).toBe(409)
  expect((await start()).body.answered).toHaveLength(1)
  expect((await say(attempt, { n: 1 })).body.attempt.outcome).toMatchObject({ score: 1, passed: false })
  expect((await start(true)).body.answered).toHaveLength(0)
  for (const table of ['quiz_attempts', 'quiz_answers', 'quiz_item_stats'])
    expect(
      await sql(`select 1 from ${table} where organization_id = $1`, [room.video.organizationId]),
    ).toEqual([])
})

it('what a program answers leaves nothing behind either', async () => {
  const { quizId, playToken } = await room.asked(draft([gate()]))
  const headers = { 'user-agent': 'Googlebot/2.1' }
  const body = { playToken }
  const begun = await server.call(startAttempt, { params: { quizId }, body, headers })
  expect(begun.body.questions).toHaveLength(1)
  const stored = await sql('select 1 from quiz_attempts where quiz_id = $1', [quizId])
  expect(stored).toEqual([])
})
