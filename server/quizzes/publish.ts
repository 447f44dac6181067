import * as z from 'zod/mini'
import type { QuizFault, QuizFaultCode } from '#contract/quizzes/quiz-faults.ts'
import type { QuizDraft } from '#contract/quizzes/quizzes.ts'
import type { Reason } from '#contract/platform/reasons.ts'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse, type Refusal } from '../platform/errors.ts'
import { completeViewers } from '../duty/completions.ts'

/** Says the first fault in words, and where all of them are. */
export function unfinished(draft: QuizDraft, faults: readonly QuizFault[]): Refusal {
  const places = faults.map(({ key, field, code }) => {
    const index = draft.questions.findIndex((question) => question.key === key)
    const place = index < 0 ? 'questions' : `questions.${index}.${field}`
    return { place, reason: reasonOf(code, index + 1) }
  })
  const fields = Object.fromEntries(places.map(({ place }) => [place, ['invalid' as const]]))
  return refuse('validation_failed', { reason: places[0]?.reason, fields })
}

/** Number 0: of the questions as a whole. */
const reasonOf = (fault: QuizFaultCode, number: number): Reason =>
  number === 0
    ? { code: 'questions_unfinished', params: { fault } }
    : { code: 'question_unfinished', params: { number, fault } }

type Publication = { organizationId: string; quizId: string; draft: QuizDraft; publishedBy: string | null }

const AddedVersion = z.object({ id: z.string(), number: z.number() })

/** A new version, which is asked from now on and never changes. Gives its number and its id. */
export async function addVersion(
  tx: Tx,
  { organizationId, quizId, draft, publishedBy }: Publication,
): Promise<{ id: string; number: number }> {
  const maxScore = draft.questions.reduce((sum, { points }) => sum + points, 0)
  const added = await row(
    tx,
    AddedVersion,
    sql`insert into quiz_versions (organization_id, quiz_id, number, settings, max_score, published_by)
      select ${organizationId}, ${quizId}, coalesce(max(number), 0) + 1, ${JSON.stringify(draft.settings)}::jsonb, ${maxScore},
        ${publishedBy} from quiz_versions where quiz_id = ${quizId} returning id, number`,
  )
  if (!added) throw new Error('the version was not written')
  await tx.execute(
    sql`insert into quiz_items (organization_id, version_id, key, position, kind, at_ms, gate, points, question, teaches_from_ms,
        teaches_to_ms)
      select ${organizationId}, ${added.id}, (q ->> 'key')::uuid, n - 1, q ->> 'kind', (q ->> 'atMs')::int, (q ->> 'gate')::boolean,
        (q ->> 'points')::float8, q, (q -> 'teaches' ->> 0)::int, (q -> 'teaches' ->> 1)::int
      from jsonb_array_elements(${JSON.stringify(draft.questions)}::jsonb) with ordinality as given(q, n)`,
  )
  await tx.execute(sql`update quizzes set current_version_id = ${added.id} where id = ${quizId}`)
  return added
}

export async function withdraw(tx: Tx, quizId: string): Promise<void> {
  await tx.execute(sql`update quizzes set current_version_id = null where id = ${quizId}`)
}

const Waiting = z.object({ viewerKey: z.string() })

/** Other questions insist on an answer now: whoever waited only for one that is gone has completed the video. */
export async function completeWaiting(tx: Tx, videoId: string): Promise<void> {
  const waiting = await rows(
    tx,
    Waiting,
    sql`select viewer_key as "viewerKey" from viewer_videos
      where video_id = ${videoId} and covered_at is not null and completed_at is null order by viewer_key`,
  )
  const viewerKeys = waiting.map(({ viewerKey }) => viewerKey)
  if (viewerKeys.length > 0) await completeViewers(tx, { videoId, viewerKeys })
}
