import type { FastifyRequest } from 'fastify'
import type { Reply } from '#contract/endpoint.ts'
import { answerQuestion, startAttempt } from '#contract/quizzes/quizzes.ts'
import { remember, replayed } from '../platform/http/idempotency.ts'
import type { Mount } from '../platform/http/mount.ts'
import { pacer, requireTurn } from '../tracking/ingest/pace.ts'
import { bearsSign } from '../tracking/programs.ts'
import type { Serving } from '../tracking/served/served.ts'
import { requirePlay, type PlayClaims } from '../tracking/ingest/token.ts'
import { keepAnswer } from './answers.ts'
import { blankRun, findCurrent, lockRun, startRun } from './attempts.ts'
import { attemptOf, resultOf } from './run.ts'
import { answerTrial, draftRun, startTrial } from './trial.ts'

/** What the page of the video calls. Whose answers these are is said by the signed play token alone. */
export function viewerRoutes(mount: Mount, services: Serving): void {
  const { db } = services
  const wait = pacer({ burst: 40, everyMs: 1_000 })

  /** A preview acts like any other viewing, and a program is told the same; neither leaves anything behind. */
  const isTrial = ({ kind }: PlayClaims, request: FastifyRequest) =>
    kind === 'preview' || bearsSign(request.headers['user-agent'] ?? null)

  /** Who writes the questions tries those of the draft; who looks at the link of somebody else is asked what they are asked. */
  const isOfDraft = ({ kind, delivery }: PlayClaims) => kind === 'preview' && delivery === undefined

  async function claimsOf(playToken: string): Promise<PlayClaims> {
    const now = Date.now()
    const claims = requirePlay(services.keys, playToken, now)
    requireTurn(wait(claims.session, now))
    await services.links.require(claims)
    return claims
  }

  mount(startAttempt, async ({ params: { quizId }, body: { playToken, again = false }, request }) => {
    const claims = await claimsOf(playToken)
    return db.as({ organizationId: claims.org }, async (tx) => {
      if (isOfDraft(claims))
        return attemptOf(await startTrial(tx, claims, { again, blank: () => draftRun(tx, claims, quizId) }))
      const quiz = await findCurrent(tx, claims, quizId)
      if (isTrial(claims, request))
        return attemptOf(await startTrial(tx, claims, { again, blank: () => blankRun(tx, quiz) }))
      return attemptOf(await startRun(tx, { claims, quiz, again, now: new Date() }))
    })
  })

  mount(answerQuestion, async ({ params: { quizId, attemptId }, body, request }) => {
    const { playToken, tookMs, ...reply } = body
    const claims = await claimsOf(playToken)
    const { viewerKey } = claims
    return db.as({ organizationId: claims.org }, async (tx) => {
      if (isTrial(claims, request)) {
        const run = await answerTrial(tx, claims, { attemptId, reply })
        return { result: resultOf(run, reply.itemId), attempt: attemptOf(run) }
      }
      // First of all whose attempt this is: the answer of an earlier request belongs to its viewer alone.
      const before = await lockRun(tx, { quizId, attemptId, viewerKey })
      const key = { endpoint: answerQuestion, request, actorId: attemptId, tx }
      const earlier = await replayed(key)
      // Written by the line below.
      if (earlier) return earlier.body as Reply<typeof answerQuestion>
      const run = await keepAnswer(tx, { run: before, claims, reply, tookMs, now: new Date() })
      const answered = { result: resultOf(run, reply.itemId), attempt: attemptOf(run) }
      await remember(key, { status: 200, body: answered })
      return answered
    })
  })
}
