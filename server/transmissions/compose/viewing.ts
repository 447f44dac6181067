import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import type { FieldProblem } from '#contract/problems.ts'
import type { readTransmissionPlan } from '#contract/transmissions/transmissions.ts'
import type { Viewing } from '#contract/tracking/viewing.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { showsPersons } from '../../directory/organizations/privacy.ts'
import { hasDone } from '../../duty/completions.ts'

type NamedViewing = NonNullable<Reply<typeof readTransmissionPlan>['viewing']>
type Narrowed = { organizationId: string; viewing: Viewing }

/** This condition on a person holds when they have watched, or not watched, in this way. */
export function watchedSo({ organizationId, viewing }: Narrowed, userId: SQL): SQL {
  const videoId = sql`${viewing.videoId}::uuid`
  const done = hasDone({ organizationId: sql`${organizationId}`, userId, videoId })
  switch (viewing.kind) {
    case 'not_completed':
      return sql`not ${done}`
    case 'late':
      return sql`exists (select from training_cells c where c.organization_id = ${organizationId} and c.user_id = ${userId}
        and c.video_id = ${videoId} and c.late_at <= now() and c.waived_until <= now()) and not ${done}`
    case 'not_seen':
      return sql`not coalesce((select range_agg(w.coverage) from viewer_videos w where w.organization_id = ${organizationId}
        and w.user_id = ${userId} and w.version_id = (select v.current_version_id from videos v where v.id = ${videoId}))
        @> int4range(${viewing.fromMs}, ${viewing.toMs}), false)`
    case 'answered_wrongly':
      return sql`(select not w.correct from quiz_attempts a join quiz_answers w on w.attempt_id = a.id join quiz_items i on i.id = w.item_id
        where a.organization_id = ${organizationId} and a.user_id = ${userId} and a.video_id = ${videoId} and i.key = ${viewing.questionKey}
        order by a.started_at desc, a.id desc, w.try limit 1)`
  }
}

const Names = z.object({ title: z.string(), question: z.nullable(z.string()) })

/** Adds the title of the video and the newest words of the question. */
export async function namedViewing(tx: Tx, { organizationId, viewing }: Narrowed): Promise<NamedViewing> {
  const key = viewing.kind === 'answered_wrongly' ? viewing.questionKey : null
  const names = await row(
    tx,
    Names,
    sql`select v.title, (select i.question->>'prompt' from quiz_items i join quiz_versions n on n.id = i.version_id
          join quizzes q on q.id = n.quiz_id
        where q.video_id = v.id and q.organization_id = v.organization_id and i.key = ${key}::uuid order by n.number desc limit 1) as question
      from videos v where v.id = ${viewing.videoId} and v.organization_id = ${organizationId}`,
  )
  return { viewing, title: names?.title ?? '', question: names?.question ?? null }
}

const Known = z.object({ video: z.boolean(), question: z.boolean(), shows: z.boolean() })

/**
 * Returns the problems, by field, for which nobody can be chosen so: the video or the question is not of this organization, or the
 * organization does not tell how single persons watched.
 */
export async function viewingProblems(
  tx: Tx,
  { organizationId, viewing }: Narrowed,
): Promise<Record<string, FieldProblem[]>> {
  const asked = viewing.kind === 'answered_wrongly' ? viewing.questionKey : null
  const known = await row(
    tx,
    Known,
    sql`select exists (select from videos where id = ${viewing.videoId} and organization_id = ${organizationId} and deleted_at is null) as video,
      (${asked}::uuid is null or exists (select from quizzes q join quiz_versions n on n.quiz_id = q.id join quiz_items i on i.version_id = n.id
        where q.organization_id = ${organizationId} and q.video_id = ${viewing.videoId} and i.key = ${asked}::uuid)) as question,
      ${showsPersons(sql`${organizationId}::uuid`)} as shows`,
  )
  if (!known?.video) return { 'audience.viewing.videoId': ['not_found'] }
  if (!known.question) return { 'audience.viewing.questionKey': ['not_found'] }
  const isTold = known.shows || viewing.kind === 'not_completed' || viewing.kind === 'late'
  return isTold ? {} : { 'audience.viewing': ['not_told'] }
}
