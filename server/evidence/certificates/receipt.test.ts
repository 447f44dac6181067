import { beforeEach, describe, expect, it } from 'vitest'
import * as contract from '#contract/evidence/certificates.ts'
import { grounds } from '#contract/platform/colors.ts'
import { logo } from '#contract/directory/logo.ts'
import {
  answerQuestion,
  publishQuiz,
  readQuiz,
  saveQuiz,
  startAttempt,
  withdrawQuiz,
} from '#contract/quizzes/quizzes.ts'
import { draft, publish, question } from '#server/testing/quizzes/quizzes.ts'
import { addVideo, openPage } from '#server/testing/viewing/viewing.ts'
import { durationMs, longAgo, watched, watchMore } from '#server/testing/viewing/watched.ts'
import { aServer } from '#server/testing/worlds.ts'

const server = await aServer()

let orgId: string
let userId: string
beforeEach(async () => {
  orgId = await server.organization()
  userId = (await server.person(null, orgId)).id
})

const watch = (parts: Parameters<typeof watched>[2]) => watched(server, { orgId, userId }, parts)

describe("the recipient's receipt", () => {
  it('says what is missing, to whoever holds the play token', async () => {
    const { playToken } = await watch([
      [0, 2_000],
      [3_000, 4_500],
    ])
    const { body } = await server.call(contract.readReceipt, { body: { playToken } })
    expect(body).toEqual({
      share: 7_291,
      missing: [
        [2_000, 3_000],
        [4_500, durationMs],
      ],
      unheard: [],
      completedAt: null,
      evidence: 'likely',
      isChecking: false,
      openQuestions: 0,
      mustPass: false,
      failed: null,
      isBehind: false,
      isDoubted: false,
      toConfirm: [],
      next: null,
      mayCertify: false,
    })
    expect((await server.call(contract.readReceipt, { body: { playToken: `${playToken}x` } })).status).toBe(
      401,
    )
    expect((await server.call(contract.takeCertificate, { body: { playToken } })).status).toBe(409)
  })

  it('counts the questions that still hold the video, for this person alone', async () => {
    const { playToken, videoId, path } = await watch([[0, 2_000]])
    const author = await server.person('admin', orgId)
    const gates = [question({ gate: true, atMs: 1_000 }), question({ gate: true, atMs: null })]
    const asked = draft([...gates, question({ atMs: 2_000 })])
    const quizId = (await publish(author, videoId, asked)).id ?? ''
    const open = async () =>
      (await server.call(contract.readReceipt, { body: { playToken } })).body.openQuestions
    expect(await open()).toBe(2)
    const answer = async (token: string, n: number) => {
      const { body: attempt } = await server.call(startAttempt, {
        params: { quizId },
        body: { playToken: token },
      })
      const one = attempt.questions.filter(({ gate }) => gate)[n]
      const said = await server.call(answerQuestion, {
        params: { quizId, attemptId: attempt.id },
        body: {
          playToken: token,
          itemId: one?.id ?? '',
          answer: [one?.options[0]?.id ?? ''],
          tookMs: 900,
          try: 1,
        },
      })
      expect(said.status).toBe(200)
    }
    const stranger = await watched(server, { orgId, userId: (await server.person(null, orgId)).id }, [
      [0, 500],
    ])
    expect(
      (await server.call(startAttempt, { params: { quizId }, body: { playToken: stranger.playToken } }))
        .status,
    ).toBe(404)
    await answer(playToken, 0)
    expect(await open()).toBe(1)
    // A question that changed its words is the same one; one that was added is open.
    const [first, last] = asked.questions
    if (!first || !last) throw new Error('no questions')
    const more = question({ gate: true, atMs: 3_000 })
    const headers = {
      'if-match': String((await author.call(readQuiz, { params: { videoId } })).headers['etag']),
    }
    const body = draft([{ ...first, prompt: 'Is it really safe?' }, last, more])
    expect((await author.call(saveQuiz, { params: { videoId }, body, headers })).status).toBe(200)
    await author.call(publishQuiz, { params: { videoId } })
    expect(await open()).toBe(2)
    await answer(playToken, 1)
    expect(await open()).toBe(1)
    await author.call(withdrawQuiz, { params: { videoId } })
    expect(await open()).toBe(0)
    await longAgo(server, videoId)
    await watchMore(server, path, [[0, durationMs]])
    expect((await server.call(contract.readReceipt, { body: { playToken } })).body).toMatchObject({
      openQuestions: 0,
      mayCertify: true,
    })
  })

  it('gives the certificate once completed, the same one each time, and not to visitors', async () => {
    const { playToken, videoId } = await watch([[0, durationMs]])
    const { body } = await server.call(contract.readReceipt, { body: { playToken } })
    expect(body).toMatchObject({ share: 10_000, missing: [], mayCertify: true })
    const take = () =>
      server.app.inject({ method: 'POST', url: '/api/tracks/certificate', payload: { playToken } })
    const [first, second] = [await take(), await take()]
    expect([first.statusCode, second.statusCode]).toEqual([200, 200])
    expect(first.rawPayload.includes('"number":1')).toBe(true)
    expect(second.rawPayload.includes('"number":1')).toBe(true)
    const admin = await server.person('admin', orgId)
    const issued = await admin.call(contract.issueCertificate, {
      params: { orgId, userId },
      body: { videoId },
    })
    expect(issued.body).toMatchObject({ number: 1, issuedBy: null })
    const open = await addVideo(server, { organizationId: orgId })
    const { data } = await openPage(server, `/w/video/${open.videoId}`)
    const visitor = { body: { playToken: data?.playToken ?? '' } }
    expect((await server.call(contract.readReceipt, visitor)).body).toMatchObject({
      share: 0,
      mayCertify: false,
    })
    expect((await server.call(contract.takeCertificate, visitor)).status).toBe(403)
  })

  it('is not asked for without end', async () => {
    const { playToken } = await watch([[0, durationMs]])
    const asked = await Promise.all(
      Array.from({ length: 15 }, () => server.call(contract.takeCertificate, { body: { playToken } })),
    )
    expect(asked.some(({ status }) => status === 429)).toBe(true)
  })
})

describe('the page that verifies', () => {
  it('has the key inside, and may speak to nobody', async () => {
    const page = await server.app.inject({ url: '/verify' })
    const { body } = await server.call(contract.readCertificateKey)
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain(body.publicKey)
    expect(page.body).toContain(body.pem.trim())
    expect(page.body).toContain(`--page:${grounds.dark['c-body']};`)
    expect(page.body).toContain(logo.name)
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('connect-src')
    const saved = await server.app.inject({ url: '/verify?save' })
    expect(saved.headers['content-disposition']).toBe('attachment; filename="verify-certificates.html"')
    expect(saved.body).toBe(page.body)
  })

  it('speaks the language of the browser, or the one that its address names', async () => {
    const headers = { 'accept-language': 'fr, de-AT;q=0.8' }
    const german = await server.app.inject({ url: '/verify', headers })
    expect(german.headers).toMatchObject({
      'content-language': 'de',
      vary: expect.stringContaining('language'),
    })
    expect(german.body).toContain('<html lang="de-DE">')
    expect(german.body).toContain('Ist dieses Zertifikat echt?')
    expect(german.body).toContain(
      '<a href="?save&amp;language=de" download="verify-certificates.html">Diese Seite',
    )
    const english = await server.app.inject({ url: '/verify?language=en', headers })
    expect(english.body).toContain('Is this viewing certificate genuine?')
    const unknown = await server.app.inject({ url: '/verify?language=tlh', headers })
    expect(unknown.body).toBe(german.body)
  })
})
