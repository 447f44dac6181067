import { beforeEach, describe, expect, it } from 'vitest'
import { faultsOf } from '#contract/quizzes/quiz-check.ts'
import {
  publishQuiz,
  readQuiz,
  readQuizVersion,
  saveQuiz,
  startAttempt,
  tryQuiz,
  withdrawQuiz,
} from '#contract/quizzes/quizzes.ts'
import { choices, draft, playOf, publish, question } from '../testing/quizzes/quizzes.ts'
import type { Person } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization, setPolicies } from '../testing/worlds.ts'

const server = await aServer()

let author: Person
let organizationId: string
let params: { videoId: string }
let video: { organizationId: string; videoId: string; versionId: string }
beforeEach(async () => {
  ;({ orgId: organizationId, admin: author } = await anOrganization(server))
  video = { organizationId, ...(await addVideo(server, { organizationId })) }
  params = { videoId: video.videoId }
})

it('requires sign-in', async () => {
  expect((await server.call(readQuiz, { params })).status).toBe(401)
})

it('requires role', async () => {
  const groupadmin = await server.person('groupadmin', organizationId)
  expect((await groupadmin.call(saveQuiz, { params, body: draft([]) })).status).toBe(403)
})

describe('a draft', () => {
  it('is empty at first, and is kept as it was written, finished or not', async () => {
    const empty = await author.call(readQuiz, { params })
    expect(empty.body).toMatchObject({ id: null, isChanged: false, versions: [], updatedAt: null })
    const body = draft([question({ prompt: '', options: choices('', '') }), question({ atMs: null })])
    const saved = await author.call(saveQuiz, { params, body })
    expect(saved.status).toBe(200)
    const { body: read } = await author.call(readQuiz, { params })
    expect(read.draft).toEqual(body)
    expect(read).toMatchObject({ isChanged: true, versions: [] })
  })

  it('is not overwritten by who has not seen it, not even the first one', async () => {
    const headers = async () => ({
      'if-match': String((await author.call(readQuiz, { params })).headers['etag']),
    })
    const seen = await headers()
    const both = await Promise.all(
      [1, 2].map((points) =>
        author.call(saveQuiz, { params, headers: seen, body: draft([question({ points })]) }),
      ),
    )
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
    expect((await author.call(publishQuiz, { params, headers: seen })).status).toBe(412)
    expect((await author.call(publishQuiz, { params, headers: await headers() })).status).toBe(201)
  })

  it.each([
    ['a question twice', () => [question({ key: same }), question({ key: same })], 'questions'],
    ['text that cannot be stored', () => [question({ prompt: 'a\0b' })], 'questions.0.prompt'],
    ['half a character', () => [question({ whenRight: '\ud800' })], 'questions.0.whenRight'],
    ['a long question', () => [question({ prompt: 'x'.repeat(2_001) })], 'questions.0.prompt'],
    ['no points', () => [question({ points: 0 })], 'questions.0.points'],
    ['a day', () => [question({ atMs: 86_400_000 })], 'questions.0.atMs'],
    [
      'an answer twice',
      () => [question({ options: choices('*a', 'b').map((one) => Object.assign(one, { id: same })) })],
      'questions.0.options',
    ],
  ])('is refused with %s', async (_what, questions, field) => {
    const answer = await author.call(saveQuiz, { params, body: draft(questions()) })
    expect([answer.status, Object.keys(answer.problem?.fields ?? {})]).toEqual([422, [field]])
  })
  const same = crypto.randomUUID()
})

describe('who saved last', () => {
  it('is told to others, unless they may not know them', async () => {
    const body = draft([question()])
    expect((await author.call(readQuiz, { params })).body.updatedBy).toBeNull()
    await author.call(saveQuiz, { params, body })
    const other = await server.person('admin', organizationId)
    const { updatedBy } = (await other.call(readQuiz, { params })).body
    expect(updatedBy).toEqual({ id: author.id, name: expect.stringMatching(/./) })
    const root = await server.person('superadmin', null)
    const changed = draft([question({ prompt: 'By the superadmin?' })])
    const seen = (await root.call(readQuiz, { params })).headers['etag']
    await root.call(saveQuiz, { params, body: changed, headers: { 'if-match': String(seen) } })
    expect((await root.call(readQuiz, { params })).body.updatedBy).toMatchObject({ id: root.id })
    expect((await author.call(readQuiz, { params })).body.updatedBy).toBeNull()
  })
})

it('says that nobody is asked where only completions are recorded', async () => {
  expect((await author.call(readQuiz, { params })).body.asksNothing).toBe(false)
  await setPolicies(server, organizationId, { trackingMode: 'completed_only' })
  expect((await author.call(readQuiz, { params })).body.asksNothing).toBe(true)
  const saved = await author.call(saveQuiz, { params, body: draft([question()]) })
  expect(saved.body.asksNothing).toBe(true)
})

describe('the faults of a draft', () => {
  const codes = (asked: Parameters<typeof question>[0], settings = {}) =>
    faultsOf(draft([question(asked)], settings), 60_000).map(({ field, code }) => `${field} ${code}`)

  it('are none where all is well', () => {
    expect(codes({})).toEqual([])
    expect(codes({ kind: 'true_false', options: choices('*True', 'False') })).toEqual([])
    expect(codes({ kind: 'multiple', options: choices('*a', '*b') })).toEqual([])
    expect(codes({ kind: 'number', number: { value: 0, tolerance: 0 } })).toEqual([])
    expect(codes({ kind: 'text', texts: ['', 'a'] })).toEqual([])
    expect(codes({ atMs: 60_000, backToMs: 59_999, teaches: [0, 60_000] })).toEqual([])
    expect(codes({ atMs: null, backToMs: 0 })).toEqual([])
    const gates = [question({ gate: true }), question({ gate: true })]
    expect(faultsOf(draft(gates), 60_000)).toEqual([])
    expect(faultsOf(draft([question({ atMs: 90_000 })]), null)).toEqual([])
  })

  it.each([
    ['no question', { prompt: '' }, ['prompt no_prompt']],
    ['one choice', { options: choices('*a') }, ['options few_options']],
    ['no text', { options: choices('*a', '') }, ['options empty_option']],
    ['the same twice', { options: choices('*Stop', 'stop') }, ['options same_options']],
    ['no right one', { options: choices('a', 'b') }, ['options no_right_option']],
    ['two right ones', { options: choices('*a', '*b') }, ['options many_right_options']],
    ['three truths', { kind: 'true_false', options: choices('*a', 'b', 'c') }, ['options two_options']],
    ['no number', { kind: 'number' }, ['number no_number']],
    ['no answer', { kind: 'text', texts: [''] }, ['texts no_texts']],
    ['a time beyond the end', { atMs: 60_001 }, ['atMs time_outside']],
    ['a way back that leads on', { backToMs: 10_000 }, ['backToMs back_not_before']],
    ['a way back from the end to it', { atMs: null, backToMs: 60_000 }, ['backToMs back_not_before']],
    ['an empty part', { teaches: [5, 5] }, ['teaches teaches_outside']],
    ['a part beyond the end', { teaches: [0, 60_001] }, ['teaches teaches_outside']],
  ] as [string, Parameters<typeof question>[0], string[]][])('name %s', (_what, asked, expected) => {
    expect(codes(asked)).toEqual(expected)
  })

  it('name a way back that would tell too much', () => {
    expect(codes({ backToMs: 0 }, { feedback: 'never' })).toEqual(['backToMs back_without_feedback'])
  })

  it('keep it from being published, with the place and a sentence', async () => {
    expect((await author.call(publishQuiz, { params })).problem?.code).toBe('conflict')
    await author.call(saveQuiz, { params, body: draft([]) })
    expect((await author.call(publishQuiz, { params })).problem).toMatchObject({
      code: 'validation_failed',
      detail: 'Add a question first.',
      fields: { questions: ['invalid'] },
    })
    await author.call(saveQuiz, { params, body: draft([question(), question({ atMs: 99_000 })]) })
    expect((await author.call(publishQuiz, { params })).problem).toMatchObject({
      detail: 'Question 2: The video is over by then.',
      fields: { 'questions.1.atMs': ['invalid'] },
    })
    await server.query('update videos set current_version_id = null where id = $1', [params.videoId])
    expect((await author.call(publishQuiz, { params })).problem?.code).toBe('not_ready')
  })
})

describe('a version', () => {
  it('stays as it was published, whatever becomes of the draft', async () => {
    const first = draft([question({ points: 2 }), question({ teaches: [1_000, 5_000] })])
    const published = await publish(author, params.videoId, first)
    expect(published).toMatchObject({
      isChanged: false,
      versions: [{ number: 1, questions: 2, maxScore: 3, attempts: 0, isCurrent: true }],
    })
    const again = await author.call(publishQuiz, { params })
    expect([again.status, again.problem?.detail]).toEqual([
      409,
      'Nothing has changed since these questions were published.',
    ])
    const items = async () => await server.query('select * from quiz_items order by version_id, position')
    const before = await items()
    const changed = await author.call(saveQuiz, { params, body: draft([question()]) })
    expect(changed.body).toMatchObject({ isChanged: true, versions: [{ number: 1, questions: 2 }] })
    expect(await items()).toEqual(before)
    const second = await author.call(publishQuiz, { params })
    expect(second.body.versions.map(({ number, isCurrent }) => [number, isCurrent])).toEqual([
      [2, true],
      [1, false],
    ])
    // Back to what it was is a change of what is asked now.
    expect((await publish(author, params.videoId, first)).versions).toHaveLength(3)
  })

  it('can be read again with what is right in it, by those who may write, and by its video alone', async () => {
    const body = draft([question(), question({ atMs: null, points: 3 })], { passMark: 0.5 })
    const { versions } = await publish(author, params.videoId, body)
    await author.call(saveQuiz, { params, body: draft([]) })
    const versionId = versions[0]?.id ?? ''
    const read = await author.call(readQuizVersion, { params: { ...params, versionId } })
    expect(read.body).toEqual({ ...versions[0], ...body })
    const other = await addVideo(server, { organizationId })
    const stranger = await server.person('admin', await server.organization())
    const elsewhere = { videoId: other.videoId, versionId }
    expect((await author.call(readQuizVersion, { params: elsewhere })).status).toBe(404)
    expect((await stranger.call(readQuizVersion, { params: { ...params, versionId } })).status).toBe(404)
  })

  it('is published once, however often the same request comes', async () => {
    await author.call(saveQuiz, { params, body: draft([question()]) })
    const headers = { 'idempotency-key': 'once' }
    const [one, two] = [
      await author.call(publishQuiz, { params, headers }),
      await author.call(publishQuiz, { params, headers }),
    ]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(two.body).toEqual(one.body)
  })

  it('is withdrawn, and then nobody is asked', async () => {
    expect((await author.call(withdrawQuiz, { params })).status).toBe(409)
    const { id } = await publish(author, params.videoId, draft([question()]))
    const { token: playToken } = playOf(server, video)
    const quizId = id ?? ''
    const start = () => server.call(startAttempt, { params: { quizId }, body: { playToken } })
    expect((await start()).status).toBe(200)
    const withdrawn = await author.call(withdrawQuiz, { params })
    expect(withdrawn.body).toMatchObject({ isChanged: true, versions: [{ isCurrent: false, attempts: 1 }] })
    expect((await start()).status).toBe(404)
    expect((await author.call(publishQuiz, { params })).status).toBe(201)
  })

  it('need not be there for trying: the finished questions of the draft can be tried, and nothing is kept', async () => {
    expect((await author.call(tryQuiz, { params })).status).toBe(409)
    const body = draft([question({ atMs: 1_000, prompt: 'Finished' }), question({ prompt: '' })])
    const { body: quiz } = await author.call(saveQuiz, { params, body })
    const { body: trial } = await author.call(tryQuiz, { params })
    const playToken = new URL(trial.address, 'http://localhost').searchParams.get('preview') ?? ''
    const start = (token: string) =>
      server.call(startAttempt, { params: { quizId: quiz.id ?? '' }, body: { playToken: token } })
    const begun = await start(playToken)
    expect(begun.body.questions.map(({ prompt }) => prompt)).toEqual(['Finished'])
    expect((await start(playOf(server, video).token)).status).toBe(404)
    const page = await server.app.inject({ url: trial.address })
    expect(page.body).toContain('nothing that you do here is kept')
    expect(page.body).toContain('"stops":[{"atMs":1000,')
    const elsewhere = await addVideo(server, { organizationId })
    const other = await server.app.inject({ url: trial.address.replace(params.videoId, elsewhere.videoId) })
    expect(other.body).not.toContain('nothing that you do here is kept')
    const stranger = await server.person('admin', await server.organization())
    expect((await stranger.call(tryQuiz, { params })).status).toBe(404)
  })

  it('and its end stand in the audit', async () => {
    await publish(author, params.videoId, draft([question(), question()]))
    await author.call(withdrawQuiz, { params })
    const rows = await server.query(
      `select action, entity, after from audit where entity_id = $1 order by at, id`,
      [params.videoId],
    )
    expect(rows).toEqual([
      {
        action: 'quiz.published',
        entity: 'video',
        after: { version: 1, questions: 2, passMark: 0.8, passRequired: true },
      },
      { action: 'quiz.withdrawn', entity: 'video', after: null },
    ])
  })

  it('of a video that was removed, or of others, does not exist', async () => {
    await publish(author, params.videoId, draft([question()]))
    const stranger = await server.person('admin', await server.organization())
    for (const endpoint of [readQuiz, publishQuiz, withdrawQuiz])
      expect((await stranger.call(endpoint, { params })).status).toBe(404)
    expect((await stranger.call(saveQuiz, { params, body: draft([]) })).status).toBe(404)
    await server.query('update videos set deleted_at = now() where id = $1', [params.videoId])
    expect((await author.call(readQuiz, { params })).status).toBe(404)
  })
})
