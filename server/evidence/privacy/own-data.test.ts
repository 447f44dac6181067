import { beforeEach, describe, expect, test } from 'vitest'
import { issueCertificate } from '#contract/evidence/certificates.ts'
import { ownDataParts } from '#contract/evidence/privacy.ts'
import { startPlay } from '#server/tracking/ingest/token.ts'
import { addAttempt, addQuiz } from '../../testing/quizzes/answers.ts'
import { choices, question } from '../../testing/quizzes/quizzes.ts'
import { addVideo, openPage } from '../../testing/viewing/viewing.ts'
import { durationMs, watched, watchMore } from '../../testing/viewing/watched.ts'
import { aServer, setPolicies } from '../../testing/worlds.ts'

const server = await aServer()

let orgId: string
let userId: string
beforeEach(async () => {
  orgId = await server.organization()
  userId = (await server.person(null, orgId)).id
})

const query = (text: string, values: unknown[] = []) => server.services.db.system.query(text, values)
const watch = () => watched(server, { orgId, userId }, [[0, durationMs]])
const post = (url: string, payload: object, flow = '') =>
  server.app.inject({ method: 'POST', url, payload, headers: flow === '' ? {} : { 'x-auth-flow': flow } })
const own = '/api/tracks/own-data'

/** Asks for a code; the flow and the code of the newest mail, if there is one. */
async function code(playToken: string): Promise<{ flow: string; code?: string | undefined }> {
  const asked = await post(`${own}/code`, { playToken })
  if (asked.statusCode !== 202) return { flow: '' }
  const mail = await query('select text from mails order by id desc limit 1')
  const { text } = mail.rows[0] as { text: string }
  return { flow: asked.json<{ flowToken: string }>().flowToken, code: /\b\d{6}\b/.exec(text)?.[0] }
}

/** As the page does it: with a code, where there is a person to mail one to. */
async function take(playToken: string) {
  const proof = await code(playToken)
  return post(own, { playToken, code: proof.code }, proof.flow)
}
const statusOf = async (playToken: string) => (await take(playToken)).statusCode

type File = Record<string, Record<string, unknown>[]>

describe('by a personal link', () => {
  test('somebody takes along what is kept about them, and nothing about others', async () => {
    const { playToken, videoId } = await watch()
    const admin = await server.person('admin', orgId)
    await admin.call(issueCertificate, { params: { orgId, userId }, body: { videoId } })
    const other = (await server.person(null, orgId)).id
    await watched(server, { orgId, userId: other }, [[0, 1_000]])
    const answer = await take(playToken)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-disposition']).toMatch(/filename="your-data-\d{4}-\d\d-\d\d\.json"/)
    const file = answer.json<File>()
    expect(Object.keys(file)).toEqual(['exportedAt', 'meaning', 'withheld', ...ownDataParts])
    expect(file['messages']).toMatchObject([{ subject: 'Please watch', video: 'Fire drill' }])
    expect(file['videos']).toMatchObject([{ coveredMs: durationMs }])
    expect(file['sessions']).toHaveLength(1)
    expect(file['certificates']).toMatchObject([{ number: 1 }])
    expect(answer.body).not.toContain(other)
    const logged = await query(
      `select actor_id from audit where action = 'user.own_data_taken' and entity_id = $1 and organization_id = $2`,
      [userId, orgId],
    )
    expect(logged.rows).toEqual([{ actor_id: userId }])
  })

  test('answers are in it as they were given, and not what would have been right', async () => {
    const { playToken, videoId } = await watch()
    await query(
      `with q as (insert into quizzes (organization_id, video_id, draft) values ($1, $2, '{}') returning id),
        v as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score) select $1, id, 1, '{}', 1 from q returning id, quiz_id),
        i as (insert into quiz_items (organization_id, version_id, key, position, kind, question, points, gate)
          select $1, id, gen_random_uuid(), 0, 'text', '{"prompt": "Who called?", "accepted": ["the-secret-key"]}', 1, false from v returning id),
        a as (insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score, score)
          select $1, quiz_id, id, $2, $3, $4::uuid, gen_random_uuid(), 1, 1, 1, 1 from v returning id)
        insert into quiz_answers (organization_id, attempt_id, item_id, try, answer, score, correct)
          select $1, a.id, i.id, 1, '"Zoe"', 1, true from a, i`,
      [orgId, videoId, `recipient:${userId}`, userId],
    )
    const file = (await take(playToken)).json<File>()
    expect(file['quizzes']).toMatchObject([{ number: 1, score: null }])
    const [answer] = (file['quizzes']?.[0]?.['answers'] ?? []) as Record<string, unknown>[]
    expect(Object.keys(answer ?? {}).toSorted()).toEqual(['answer', 'answeredAt', 'question', 'try'])
    expect(answer).toMatchObject({ question: 'Who called?', answer: 'Zoe' })
    expect(JSON.stringify(file)).not.toContain('the-secret-key')
  })

  test('choices are in it by their words, in the order in which they were given', async () => {
    const { playToken, videoId, versionId } = await watch()
    const questions = [question({ kind: 'multiple', options: choices('*Smoke', '*Fire', 'Rain') })]
    const video = { organizationId: orgId, videoId, versionId }
    const quiz = await addQuiz(server, video, { questions })
    const answer = [2, 0].map((at) => questions[0]?.options[at]?.id ?? '')
    const answers = [{ correct: false, answer }]
    await addAttempt(server, quiz, { userId, answers })
    const file = (await take(playToken)).json<File>()
    const given = (file['quizzes']?.[0]?.['answers'] ?? []) as { answer: unknown }[]
    expect(given.map((one) => one.answer)).toEqual([['Rain', 'Smoke']])
  })

  test('a link that has ended, whichever way, gives nothing', async () => {
    const ends: [string, (ids: Awaited<ReturnType<typeof watch>>) => Promise<unknown>][] = [
      ['the message', () => query('update deliveries set link_hash = null where user_id = $1', [userId])],
      ['the person', () => query('update users set deleted_at = now() where id = $1', [userId])],
      ['the video', ({ videoId }) => query('update videos set deleted_at = now() where id = $1', [videoId])],
      [
        'the organization',
        () => query(`update organizations set state = 'suspended' where id = $1`, [orgId]),
      ],
    ]
    for (const [what, end] of ends) {
      userId = (await server.person(null, orgId)).id
      const ids = await watch()
      expect(await statusOf(ids.playToken), what).toBe(200)
      await end(ids)
      expect(await statusOf(ids.playToken), what).toBe(410)
    }
  })

  test('neither a forged nor an expired token, nor one that names what it was not made for', async () => {
    const { playToken, videoId, versionId, path } = await watch()
    expect(await statusOf(`${playToken}x`)).toBe(401)
    const claims = JSON.parse(Buffer.from(playToken.split('.')[1] ?? '', 'base64url').toString())
    const play = { ...claims, org: orgId, video: videoId, version: versionId, userId }
    const { keys } = server.services
    expect(await statusOf(startPlay(keys, play, Date.now() - 25 * 3_600_000).token)).toBe(410)
    expect(await statusOf(startPlay(keys, { ...play, kind: 'preview' }).token)).toBe(403)
    // Even signed, a token holds only for the organization, the person and the message that belong together.
    const elsewhere = await server.organization()
    expect(await statusOf(startPlay(keys, { ...play, org: elsewhere }).token)).toBe(410)
    const other = (await server.person(null, orgId)).id
    expect(await statusOf(startPlay(keys, { ...play, userId: other }).token)).toBe(410)
    expect(await statusOf(await watchMore(server, path, [[0, 500]]))).toBe(200)
  })

  test('the link alone gives nothing: a code goes to the mailbox of the person, and fits once and for them', async () => {
    const { playToken } = await watch()
    expect(await post(own, { playToken })).toMatchObject({ statusCode: 403 })
    const right = await code(playToken)
    const mail = await query('select address, subject from mails order by id desc limit 1')
    const person = await query('select email from users where id = $1', [userId])
    expect(mail.rows).toEqual([
      { address: person.rows[0]?.email, subject: expect.stringContaining('Your code for your data') },
    ])
    const wrong = right.code === '000000' ? '000001' : '000000'
    expect((await post(own, { playToken, code: wrong }, right.flow)).json()).toMatchObject({
      code: 'invalid_code',
    })
    const stranger = (await server.person(null, orgId)).id
    const other = await watched(server, { orgId, userId: stranger }, [[0, 1_000]])
    const foreign = await code(other.playToken)
    expect(await post(own, { playToken, code: foreign.code }, foreign.flow)).toMatchObject({
      statusCode: 410,
    })
    expect(await post(own, { playToken, code: right.code }, right.flow)).toMatchObject({ statusCode: 200 })
    expect((await post(`${own}/code`, { playToken })).headers['retry-after']).toMatch(/^\d+$/)
  })

  test('not without end', async () => {
    const { videoId } = await addVideo(server, { organizationId: orgId, durationMs })
    const playToken = await watchMore(server, `/w/video/${videoId}`, [[0, 1_000]])
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(own, { playToken })))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3)
    expect(answers.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toMatch(/^\d+$/)
  })

  test('where only completions are recorded it says no more than that, and says so', async () => {
    const { playToken } = await watch()
    await setPolicies(server, orgId, { trackingMode: 'completed_only' })
    const answer = await take(playToken)
    const file = answer.json<File>()
    expect(file['sessions']).toEqual([])
    expect(file['videos']).toMatchObject([{ completedOn: expect.any(String) }])
    expect(answer.body).not.toMatch(/"(coverage|coveredMs|watchMs|openedAt|firstPlayAt|completedAt)":/)
    expect(JSON.stringify(file['withheld'])).toContain('not shown to anybody')
  })
})

test('a visitor takes along what is kept of this visit alone', async () => {
  const { videoId } = await addVideo(server, { organizationId: orgId, durationMs })
  const path = `/w/video/${videoId}`
  const mine = await watchMore(server, path, [[0, 2_000]])
  await watchMore(server, path, [[0, 3_000]])
  const answer = await take(mine)
  const file = answer.json<File>()
  expect(Object.keys(file)).toEqual(['exportedAt', 'meaning', 'withheld', 'videos', 'sessions', 'quizzes'])
  expect(file['videos']).toMatchObject([{ coveredMs: 2_000 }])
  expect(file['sessions']).toHaveLength(1)
  const logged = await query(
    `select actor_id from audit where action = 'video.visit_data_taken' and entity_id = $1`,
    [videoId],
  )
  expect(logged.rows).toEqual([{ actor_id: null }])
  await query(`update videos set privacy = 'private' where id = $1`, [videoId])
  expect(await statusOf(mine)).toBe(410)
})

test('the page offers it, and a trial of the questions does not', async () => {
  const { path, videoId, versionId } = await watch()
  const { html } = await openPage(server, path)
  expect(html).toContain('id="own"')
  expect(html).toContain('"isPersonal":true')
  const facts = { org: orgId, video: videoId, version: versionId, durMs: durationMs, maxRate: 2, theta: 1 }
  const { token } = startPlay(server.services.keys, { ...facts, kind: 'preview', userId })
  const trial = await openPage(server, `/w/video/${videoId}?preview=${token}`)
  expect(trial.status).toBe(200)
  expect(trial.html).not.toContain('id="own"')
})
