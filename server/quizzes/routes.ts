import type { FastifyInstance } from 'fastify'
import { faultsOf, finishedOf } from '#contract/quizzes/quiz-check.ts'
import {
  publishQuiz,
  readQuiz,
  readQuizVersion,
  saveQuiz,
  tryQuiz,
  withdrawQuiz,
} from '#contract/quizzes/quizzes.ts'
import type { Tx } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type AuditEntry } from '../platform/http/audit.ts'
import type { CallContext } from '../platform/http/bearer.ts'
import { requireUnchanged, type Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import type { Serving } from '../tracking/served/served.ts'
import { startPlay } from '../tracking/ingest/token.ts'
import { addVersion, completeWaiting, unfinished, withdraw } from './publish.ts'
import { findQuiz, findVideo, readVersion, readWhole, saveDraft, type QuizVideo } from './queries.ts'
import { viewerRoutes } from './viewer-routes.ts'

export function quizzesRoutes(_app: FastifyInstance, mount: Mount, services: Serving): void {
  authorRoutes(mount)
  trialRoute(mount, services)
  viewerRoutes(mount, services)
}

function authorRoutes(mount: Mount): void {
  mount(readQuiz, async ({ tx, params: { videoId } }) => {
    return readWhole(tx, await found(tx, videoId))
  })

  mount(readQuizVersion, async ({ tx, params }) => {
    await found(tx, params.videoId)
    const version = await readVersion(tx, params)
    if (!version) throw refuse('not_found')
    return version
  })

  mount(saveQuiz, async ({ tx, caller, params: { videoId }, body, request }) => {
    const video = await found(tx, videoId, true)
    const before = await findQuiz(tx, videoId)
    requireUnchanged(request, before?.updatedAt ?? null)
    await saveDraft(tx, video, { draft: body, by: caller.userId })
    return readWhole(tx, video)
  })

  mount(publishQuiz, async ({ params: { videoId }, ...by }) => {
    const video = await found(by.tx, videoId, true)
    const quiz = await findQuiz(by.tx, videoId)
    requireUnchanged(by.request, quiz?.updatedAt ?? null)
    if (!quiz) throw refuse('conflict', { reason: { code: 'nothing_to_publish' } })
    if (video.durationMs === null) throw refuse('not_ready', { reason: { code: 'publish_when_playable' } })
    const faults = faultsOf(quiz.draft, video.durationMs)
    if (faults.length > 0) throw unfinished(quiz.draft, faults)
    if (!quiz.isChanged) throw refuse('conflict', { reason: { code: 'nothing_changed' } })
    const { organizationId } = video
    const { draft, id: quizId } = quiz
    const { number } = await addVersion(by.tx, {
      organizationId,
      quizId,
      draft,
      publishedBy: by.caller.userId,
    })
    await completeWaiting(by.tx, videoId)
    const { passMark, passRequired } = draft.settings
    const after = { version: number, questions: draft.questions.length, passMark, passRequired }
    await note(by, video, { action: 'quiz.published', after })
    return readWhole(by.tx, video)
  })

  mount(withdrawQuiz, async ({ params: { videoId }, ...by }) => {
    const video = await found(by.tx, videoId, true)
    const quiz = await findQuiz(by.tx, videoId)
    if (!quiz?.currentVersionId) throw refuse('conflict', { reason: { code: 'nobody_asked' } })
    await withdraw(by.tx, quiz.id)
    await completeWaiting(by.tx, videoId)
    await note(by, video, { action: 'quiz.withdrawn' })
    return readWhole(by.tx, video)
  })
}

/** The page of the video for who writes its questions: it asks those of the draft, and its token says that nothing is kept. */
function trialRoute(mount: Mount, { keys }: Services): void {
  mount(tryQuiz, async ({ tx, caller, params: { videoId } }) => {
    const { organizationId, versionId, durationMs, policies } = await found(tx, videoId)
    if (durationMs === null || versionId === null)
      throw refuse('not_ready', { reason: { code: 'try_when_playable' } })
    const quiz = await findQuiz(tx, videoId)
    if (!quiz || finishedOf(quiz.draft, durationMs).length === 0)
      throw refuse('conflict', { reason: { code: 'finish_a_question' } })
    const { token } = startPlay(keys, {
      org: organizationId,
      video: videoId,
      version: versionId,
      durMs: durationMs,
      kind: 'preview',
      userId: caller.userId,
      maxRate: policies.maxRate,
      theta: policies.completionThreshold,
    })
    return { address: `/w/video/${videoId}?preview=${token}` }
  })
}

async function found(tx: Tx, videoId: string, lock = false): Promise<QuizVideo> {
  const video = await findVideo(tx, videoId, lock)
  if (!video) throw refuse('not_found')
  return video
}

type QuizChange = Pick<AuditEntry, 'action' | 'after'>

function note({ tx, caller, request }: CallContext, video: QuizVideo, done: QuizChange): Promise<void> {
  const { organizationId, videoId: entityId } = video
  return audit(tx, { caller, request }, { organizationId, entity: 'video', entityId, ...done })
}
