import * as z from 'zod/mini'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { showsPersons } from '#server/directory/organizations/privacy.ts'
import { QuizResultVersion } from '#contract/quizzes/quiz-results.ts'
import { QuizSettings } from '#contract/quizzes/quizzes.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { isToRecipient } from '../../deliveries.ts'

const Version = z.extend(QuizResultVersion, {
  questionCount: z.number(),
  maxScore: z.number(),
  passMark: QuizSettings.shape.passMark,
})
type Version = z.infer<typeof Version>

export const Head = z.object({
  videoId: z.string(),
  organizationId: z.string(),
  slug: z.string(),
  durationMs: z.nullable(z.number()),
  smallestGroup: z.number(),
  /** Viewing is recorded second by second, not only whether it was completed. */
  isRecorded: z.boolean(),
  assigned: z.number(),
  versions: z.array(Version),
})
export type Head = z.infer<typeof Head>

/** A video with the versions of its questions, newest first; refuses what is not there, or not any more, with `not_found`. */
export function findHead(tx: Tx, videoId: string): Promise<Head> {
  return requireRow(
    tx,
    Head,
    sql`select v.id as "videoId", v.organization_id as "organizationId", o.slug, n.duration_ms as "durationMs",
        coalesce((o.policies ->> 'smallestGroup')::int, ${defaultPolicies.smallestGroup}) as "smallestGroup",
        ${showsPersons(sql`o.id`)} as "isRecorded",
        (select count(distinct d.user_id)::int from transmissions t join deliveries d on d.transmission_id = t.id
          where t.video_id = v.id and t.organization_id = v.organization_id and t.state <> 'draft' and ${isToRecipient('d')}) as assigned,
        coalesce((select json_agg(json_build_object('id', q.id, 'number', q.number,
            'publishedAt', to_char(q.published_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'isCurrent', q.id = z.current_version_id is true, 'maxScore', q.max_score,
            'passMark', (q.settings ->> 'passMark')::float8,
            'questionCount', (select count(*) from quiz_items i where i.version_id = q.id),
            'attempts', (select count(*) from quiz_attempts a where a.version_id = q.id)) order by q.number desc)
          from quizzes z join quiz_versions q on q.quiz_id = z.id where z.video_id = v.id), '[]') as versions
      from videos v join organizations o on o.id = v.organization_id
      left join video_versions n on n.id = v.current_version_id
      where v.id = ${videoId} and v.deleted_at is null`,
  )
}

/** The version asked for; else the newest that was answered, or the newest. Undefined while none is published. */
export function versionOf({ versions }: Head, wanted: string | undefined): Version | undefined {
  if (wanted === undefined) return versions.find(({ attempts }) => attempts > 0) ?? versions[0]
  const found = versions.find(({ id }) => id === wanted)
  if (!found) throw refuse('not_found')
  return found
}
