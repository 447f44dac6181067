import type { FastifyInstance } from 'fastify'
import {
  countEvidenceSession,
  doubtEvidenceSession,
  listEvidence,
  readEvidence,
  readEvidenceSession,
} from '#contract/evidence/evidence.ts'
import type { FastifyRequest } from 'fastify'
import type { Tx } from '#server/platform/db/client.ts'
import type { Caller } from '#server/platform/http/bearer.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import type { Services } from '#server/platform/http/services.ts'
import { visibilityOf } from '#server/platform/http/visibility.ts'
import { letCount, letDoubt } from './decide.ts'
import { readDetail } from './detail.ts'
import { findVideos } from './list.ts'
import { findEvidence } from './read.ts'
import { subjectOf, videoFor } from './subject.ts'

/** Shows what one person watched, and how that is known. */
export function evidenceRoutes(_app: FastifyInstance, mount: Mount, { keys }: Services): void {
  mount(listEvidence, async ({ tx, caller, params: { orgId, userId }, query, request }) => {
    const subject = await subjectOf(tx, visibilityOf(caller, orgId), userId)
    return findVideos(tx, { organizationId: orgId, subject, query, request })
  })

  mount(readEvidence, async ({ tx, caller, params: { orgId, userId, videoId }, query, request }) => {
    const visibility = visibilityOf(caller, orgId)
    const subject = await subjectOf(tx, visibility, userId)
    const video = await videoFor(tx, { visibility, subject, videoId })
    return findEvidence(tx, { visibility, subject, video, query, request, keys })
  })

  mount(readEvidenceSession, async ({ tx, caller, params: { orgId, userId, videoId, sessionId } }) => {
    const visibility = visibilityOf(caller, orgId)
    const subject = await subjectOf(tx, visibility, userId)
    const { id } = await videoFor(tx, { visibility, subject, videoId })
    return readDetail(tx, { organizationId: orgId, videoId: id, keys: subject.keys }, sessionId)
  })

  mount(countEvidenceSession, async (asked) => letCount(asked.tx, await decidingOf(asked), asked.body.reason))

  mount(doubtEvidenceSession, async (asked) => {
    await letDoubt(asked.tx, await decidingOf(asked))
    return {}
  })
}

type SessionRequest = {
  tx: Tx
  caller: Caller
  request: FastifyRequest
  params: { orgId: string; userId: string; videoId: string; sessionId: string }
}

async function decidingOf({
  tx,
  caller,
  request,
  params: { orgId, userId, videoId, sessionId },
}: SessionRequest) {
  const visibility = visibilityOf(caller, orgId)
  const subject = await subjectOf(tx, visibility, userId)
  const video = await videoFor(tx, { visibility, subject, videoId })
  return { caller, request, organizationId: orgId, subject, video, sessionId }
}
