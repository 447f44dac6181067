import { beforeEach, describe, expect, it } from 'vitest'
import { startAttempt } from '#contract/quizzes/quizzes.ts'
import { completeViewers } from '../duty/completions.ts'
import {
  choices,
  classroom,
  draft,
  playOf,
  publish,
  question,
  type Classroom,
} from '../testing/quizzes/quizzes.ts'
import { deriveAll } from '../testing/derive.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aServer, setPolicies } from '../testing/worlds.ts'

const server = await aServer()
const { query: sql } = server

let room: Classroom
beforeEach(async () => {
  room = await classroom(server)
})

const gate = () => question({ gate: true })
const single = (...texts: string[]) => question({ options: choices(...texts) })

describe('what the browser learns', () => {
  const secrets = [
    'whenRight-',
    'whenWrong-',
    'chosenRight-',
    'chosenWrong-',
    'tolerance',
    'secret-text',
    '987654',
  ]
  const questions = () => [
    question({
      options: choices('*A/chosenRight-', 'B/chosenWrong-'),
      whenRight: 'whenRight-',
      whenWrong: 'whenWrong-',
    }),
    question({ kind: 'number', number: { value: 987_654, tolerance: 1 } }),
    question({ kind: 'text', texts: ['secret-text'] }),
  ]
  const toldIn = (body: unknown) => secrets.filter((secret) => JSON.stringify(body).includes(secret))

  it('is no key before an answer, and then only what belongs to this answer', async () => {
    const { start, say } = await room.asked(draft(questions()))
    const { body: attempt } = await start()
    expect(toldIn(attempt)).toEqual([])
    expect(JSON.stringify(attempt)).not.toContain('correct')
    const wrong = await say(attempt, { options: [1] })
    expect(wrong.body.result).toMatchObject({
      correct: false,
      feedback: 'whenWrong-\nchosenWrong-',
      solution: 'A',
    })
    expect(toldIn(wrong.body)).toEqual(['whenWrong-', 'chosenWrong-'])
    const number = await say(attempt, { n: 1, text: '5' })
    expect(number.body.result.solution).toBe('987654 (± 1)')
    expect(toldIn((await start()).body)).not.toContain('secret-text')
  })

  it('is all of it at the end, with feedback at the end', async () => {
    const { start, say } = await room.asked(draft(questions(), { feedback: 'at_end' }))
    const { body: attempt } = await start()
    const first = await say(attempt, { options: [1] })
    expect(first.body.result).toMatchObject({ correct: null, score: null, feedback: null, solution: null })
    expect(toldIn(first.body)).toEqual([])
    await say(attempt, { n: 1, text: '987654' })
    const last = await say(attempt, { n: 2, text: 'no' })
    expect(last.body.attempt.answered.map(({ correct }) => correct)).toEqual([false, true, false])
    expect(toldIn(last.body)).toEqual(['whenWrong-', 'chosenWrong-', 'secret-text', '987654'])
  })

  it('is never more than the outcome, with feedback never', async () => {
    const { start, say } = await room.asked(draft(questions(), { feedback: 'never' }))
    const { body: attempt } = await start()
    await say(attempt, { options: [0] })
    await say(attempt, { n: 1, text: '1' })
    const { body } = await say(attempt, { n: 2, text: 'secret' })
    expect(body.attempt.outcome).toMatchObject({ score: 1, maxScore: 3, passed: false })
    expect(
      body.attempt.answered.every(({ correct, score, solution }) =>
        [correct, score, solution].every((one) => one === null),
      ),
    ).toBe(true)
    expect(toldIn(body)).toEqual([])
  })
})

describe('a question that leads back', () => {
  it('may be tried again, and the first try counts', async () => {
    const { start, say } = await room.asked(draft([question({ backToMs: 2_000, whenRight: 'Well done' })]))
    const { body: attempt } = await start()
    const first = await say(attempt, { options: [1] })
    expect(first.body.result).toMatchObject({
      try: 1,
      correct: false,
      backToMs: 2_000,
      mayRetry: true,
      solution: null,
    })
    expect(first.body.attempt.outcome).toMatchObject({ score: 0, passed: false })
    const second = await say(attempt, { options: [0], try: 2 })
    expect(second.body.result).toMatchObject({
      try: 2,
      correct: true,
      score: 0,
      feedback: 'Well done',
      mayRetry: false,
    })
    expect(second.body.attempt.outcome).toMatchObject({ score: 0, passed: false })
    expect((await say(attempt, { options: [0], try: 3 })).status).toBe(409)
  })

  it('may be tried three times, and then tells what was right', async () => {
    const { start, say } = await room.asked(draft([question({ backToMs: 2_000 })]))
    const { body: attempt } = await start()
    expect((await say(attempt, { options: [1], try: 2 })).status).toBe(409)
    await say(attempt, { options: [1] })
    await say(attempt, { options: [1], try: 2 })
    const third = await say(attempt, { options: [1], try: 3 })
    expect(third.body.result).toMatchObject({ mayRetry: false, solution: 'Yes' })
    expect((await say(attempt, { options: [1], try: 4 })).status).toBe(422)
    const tries = await sql('select try, correct from quiz_answers where attempt_id = $1 order by 1', [
      attempt.id,
    ])
    expect(tries.map((row) => Object.values(row))).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ])
  })
})

describe('an answer', () => {
  const two = () => draft([single('*a', 'b'), single('*c', 'd')])

  it('that comes twice counts once and gets the same result, with a key and without', async () => {
    const { start, say } = await room.asked(two())
    const { body: attempt } = await start()
    const [one, again] = [await say(attempt, { key: 'k' }), await say(attempt, { key: 'k' })]
    expect([one.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(one.body)
    const plain = await say(attempt, {})
    expect([plain.status, plain.body.result]).toEqual([200, one.body.result])
    expect((await say(attempt, { key: 'k', options: [1] })).problem?.code).toBe('idempotency_key_reused')
    expect(
      await sql('select count(*)::int as n from quiz_answers where attempt_id = $1', [attempt.id]),
    ).toEqual([{ n: 1 }])
  })

  it('stays: another one, from another tab, is refused', async () => {
    const { start, say } = await room.asked(two())
    const { body: attempt } = await start()
    const both = await Promise.all([say(attempt, { options: [0] }), say(attempt, { options: [1] })])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const doubled = await Promise.all([1, 2, 3, 4].map(() => say(attempt, { n: 1 })))
    expect(doubled.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { body } = await start()
    expect([body.answered.length, body.completedAt]).toEqual([2, expect.any(String)])
    expect(
      await sql('select count(*)::int as n from quiz_answers where attempt_id = $1', [attempt.id]),
    ).toEqual([{ n: 2 }])
  })

  it('is taken from its viewer alone, for questions of its version', async () => {
    const { quizId, start, say, playToken } = await room.asked(two())
    const { body: attempt } = await start()
    const other = room.viewer(quizId)
    expect((await other.say(attempt, {})).status).toBe(404)
    await say(attempt, { key: 'mine' })
    expect((await other.say(attempt, { key: 'mine' })).status).toBe(404)
    const theirs = await other.start()
    const itemId = attempt.questions[1]?.id ?? ''
    const mine = { quizId, attemptId: attempt.id }
    const call = (at: typeof mine, more: object) =>
      server.send('POST', `/api/quizzes/${at.quizId}/attempts/${at.attemptId}/answers`, {
        body: { playToken, itemId, answer: [attempt.questions[1]?.options[0]?.id], tookMs: 0, ...more },
      })
    expect((await call({ ...mine, attemptId: theirs.body.id }, {})).status).toBe(404)
    expect((await call({ ...mine, quizId: crypto.randomUUID() }, {})).status).toBe(404)
    expect((await call(mine, { itemId: crypto.randomUUID() })).status).toBe(404)
    expect((await call({ ...mine, attemptId: 'x' }, {})).status).toBe(404)
    expect((await call(mine, { answer: 'a\0' })).status).toBe(422)
    expect((await call(mine, { answer: '\ud800' })).status).toBe(422)
    expect((await call(mine, { answer: 'x'.repeat(1_001) })).status).toBe(422)
    expect((await call(mine, { answer: Array.from({ length: 13 }, () => crypto.randomUUID()) })).status).toBe(
      422,
    )
    expect((await call(mine, { answer: { $gt: '' } })).status).toBe(422)
    expect((await call(mine, { tookMs: -1 })).status).toBe(422)
    expect((await call(mine, { answer: 'x'.repeat(1_100_000) })).status).toBe(413)
    expect((await call(mine, {})).status).toBe(200)
  })

  it('needs the signature of this installation, and that of this video and organization', async () => {
    const { quizId, playToken } = await room.asked(two())
    const start = (token: string, id = quizId) =>
      server.call(startAttempt, { params: { quizId: id }, body: { playToken: token } })
    expect((await start(`${playToken}x`)).status).toBe(401)
    expect((await start('')).status).toBe(401)
    const otherVideo = await addVideo(server, { organizationId: room.video.organizationId })
    expect((await start(playOf(server, { ...room.video, ...otherVideo }).token)).status).toBe(404)
    const stranger = { ...room.video, organizationId: await server.organization() }
    expect((await start(playOf(server, stranger).token)).status).toBe(404)
    expect((await start(playToken, crypto.randomUUID())).status).toBe(404)
    expect(await sql('select count(*)::int as n from quiz_attempts where quiz_id = $1', [quizId])).toEqual([
      { n: 0 },
    ])
  })

  it('is slowed down when they come too fast', async () => {
    const { start } = await room.asked(two())
    const statuses = []
    for (let n = 0; n < 45; n++) statuses.push(await start())
    const refused = statuses.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('a video with questions', () => {
  const completed = async (viewerKey: string) =>
    (
      await sql<{ done: boolean }>(
        'select completed_at is not null as done from viewer_videos where video_id = $1 and viewer_key = $2',
        [room.video.videoId, viewerKey],
      )
    )[0]?.done
  const cover = (viewerKey: string) =>
    sql(
      `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, first_at, last_at, covered_at)
        values ($1, $2, $3, $4, now(), now(), now())`,
      [room.video.versionId, viewerKey, room.video.organizationId, room.video.videoId],
    )

  it('is completed when it is covered and every question that holds it is answered, right or wrong', async () => {
    const { start, say, claims } = await room.asked(
      draft([gate(), single('*a', 'b'), gate()], { passRequired: false }),
    )
    await cover(claims.viewerKey)
    const { body: attempt } = await start()
    await say(attempt, { n: 0, options: [1] })
    await say(attempt, { n: 1 })
    expect(await completed(claims.viewerKey)).toBe(false)
    await say(attempt, { n: 2 })
    expect(await completed(claims.viewerKey)).toBe(true)
  })

  it('asks nothing where only completions are recorded, and then nothing holds it', async () => {
    const { start, claims } = await room.asked(draft([gate()]))
    await cover(claims.viewerKey)
    await setPolicies(server, room.video.organizationId, { trackingMode: 'completed_only' })
    expect((await start()).status).toBe(404)
    const { organizationId, videoId } = room.video
    const viewerKeys = [claims.viewerKey]
    await server.services.db.as({ organizationId }, (tx) => completeViewers(tx, { videoId, viewerKeys }))
    expect(await completed(claims.viewerKey)).toBe(true)
  })

  it('is completed by who waits for nothing any more, when its questions change', async () => {
    const { quizId, claims } = await room.asked(draft([gate()]))
    await cover(claims.viewerKey)
    const other = room.viewer(quizId)
    expect(await completed(claims.viewerKey)).toBe(false)
    await publish(room.author, room.video.videoId, draft([question()], { passRequired: false }))
    expect(await completed(claims.viewerKey)).toBe(true)
    expect(await completed(other.claims.viewerKey)).toBeUndefined()
  })
})

describe('the sums', () => {
  const sums = async () => {
    await deriveAll(server.services.db)
    return sql<{ n: number; options: Record<string, number>; marks: [number, number, number][] }>(
      `select s.n, s.options, (select jsonb_agg(m order by m) from jsonb_array_elements(s.marks) m) as marks from quiz_item_stats s
        join quiz_items i on i.id = s.item_id join quiz_versions v on v.id = i.version_id join quizzes q on q.id = v.quiz_id
        where q.video_id = $1 order by i.position`,
      [room.video.videoId],
    )
  }

  it('have the first completed attempt of each person, once', async () => {
    const { quizId, ...one } = await room.asked(
      draft([question({ points: 2, backToMs: 0 }), single('*c', 'd')]),
    )
    const { body: attempt } = await one.start()
    await one.say(attempt, { n: 0, options: [1] })
    await one.say(attempt, { n: 0, options: [0], try: 2 })
    expect(await sums()).toEqual([])
    await one.say(attempt, { n: 1 })
    const two = room.viewer(quizId)
    const { body: theirs } = await two.start()
    for (const n of [0, 1]) await two.say(theirs, { n })
    const { body: again } = await one.start(true)
    expect(again.number).toBe(2)
    for (const n of [0, 1]) await one.say(again, { n })
    const [right = '', wrong = ''] = attempt.questions[0]?.options.map(({ id }) => id) ?? []
    expect(await sums()).toEqual([
      {
        n: 2,
        options: { [right]: 1, [wrong]: 1 },
        marks: [
          [0, 1, 1],
          [2, 3, 1],
        ],
      },
      {
        n: 2,
        options: { [attempt.questions[1]?.options[0]?.id ?? '']: 2 },
        marks: [
          [1, 1, 1],
          [1, 3, 1],
        ],
      },
    ])
  })

  it('lose nobody when many finish at the same moment', async () => {
    const { quizId } = await room.asked(draft([single('*a', 'b'), single('*c', 'd'), single('*e', 'f')]))
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const one = room.viewer(quizId)
        const { body: attempt } = await one.start()
        for (const n of [0, 1, 2]) expect((await one.say(attempt, { n })).status).toBe(200)
      }),
    )
    expect(
      (await sums()).map(({ n, options, marks }) => [
        n,
        Object.values(options),
        marks.map(([, , many]) => many),
      ]),
    ).toEqual([
      [12, [12], [12]],
      [12, [12], [12]],
      [12, [12], [12]],
    ])
  })
})
