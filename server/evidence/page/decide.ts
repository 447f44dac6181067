import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { EvidenceDecision } from '#contract/evidence/evidence.ts'
import { sessionFlags, spanFlags } from '#contract/tracking/track-limits.ts'
import { privacyOf } from '#server/directory/organizations/privacy.ts'
import { arrayOf, requireRow, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { refuse } from '#server/platform/errors.ts'
import { audit } from '#server/platform/http/audit.ts'
import { personBehind, type Caller } from '#server/platform/http/bearer.ts'
import { lookAgain } from '../../tracking/aggregate.ts'
import { dropDecision, keepDecision } from '../../tracking/decisions.ts'
import { followViewing } from '../../duty/completions.ts'
import { lockVideo } from '../../tracking/video-lock.ts'
import type { Subject, SubjectVideo } from './subject.ts'

type Deciding = {
  caller: Caller
  request: FastifyRequest
  organizationId: string
  subject: Subject
  video: SubjectVideo
  sessionId: string
}

/**
 * Writes down that a person watched, whatever sign the reports bear, so that what they brought counts from now on. Nobody decides so about
 * themselves.
 */
export async function letCount(tx: Tx, deciding: Deciding, reason: string): Promise<EvidenceDecision> {
  const { caller, organizationId, subject, video, sessionId } = deciding
  const by = personBehind(caller)
  if (by.id === subject.id) throw refuse('forbidden')
  const viewerKey = await lockedViewer(tx, deciding)
  const decided = await keepDecision(tx, { sessionId, organizationId, userId: subject.id, reason, by })
  await lookAgain(tx, { videoId: video.id, viewerKeys: [viewerKey], follow: followViewing })
  await note(tx, deciding, { action: 'evidence.counted', after: { video: video.title, reason } })
  return decided
}

/** Takes the decision back, as if nobody had decided. What was completed stays completed. */
export async function letDoubt(tx: Tx, deciding: Deciding): Promise<void> {
  const { organizationId, video, sessionId } = deciding
  const viewerKey = await lockedViewer(tx, deciding)
  if (!(await dropDecision(tx, { sessionId, organizationId }))) return
  await lookAgain(tx, { videoId: video.id, viewerKeys: [viewerKey], follow: followViewing })
  await note(tx, deciding, { action: 'evidence.doubted', before: { video: video.title } })
}

const ViewerKey = z.object({ viewerKey: z.string() })

/**
 * Locks the results of the video until all is done, and returns the key of the viewer. Refuses a session of somebody else, and one in which
 * nobody has doubts.
 */
async function lockedViewer(
  tx: Tx,
  { organizationId, subject, video, sessionId }: Deciding,
): Promise<string> {
  const { showsPersons } = await privacyOf(tx, organizationId)
  if (!showsPersons) throw refuse('not_found')
  await lockVideo(tx, video.id)
  const { viewerKey } = await requireRow(
    tx,
    ViewerKey,
    sql`select viewer_key as "viewerKey" from play_sessions where id = ${sessionId} and organization_id = ${organizationId}
      and video_id = ${video.id} and viewer_key = any(${arrayOf(subject.keys, 'text')})
      and flags & ${spanFlags.program | sessionFlags.bot} <> 0`,
  )
  return viewerKey
}

type Noted = { action: AuditAction; before?: unknown; after?: unknown }

function note(tx: Tx, { caller, request, organizationId, subject }: Deciding, noted: Noted): Promise<void> {
  return audit(tx, { caller, request }, { organizationId, entity: 'user', entityId: subject.id, ...noted })
}
