import * as z from 'zod/mini'
import { Policies } from '#contract/directory/organizations.ts'
import {
  defaultQuizSettings,
  Quiz,
  QuizDraft,
  QuizVersion,
  type QuizVersionDetail,
} from '#contract/quizzes/quizzes.ts'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { readCount } from '../platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { isExcused } from '../duty/obligations.ts'

export const QuizVideo = z.object({
  videoId: z.string(),
  organizationId: z.string(),
  /** Of the version that plays now; null while none does. */
  versionId: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
  policies: Policies,
})
export type QuizVideo = z.infer<typeof QuizVideo>

/** `lock`: for the rest of the transaction nobody else writes the questions of this video. */
export async function findVideo(tx: Tx, videoId: string, lock = false): Promise<QuizVideo | undefined> {
  return row(
    tx,
    QuizVideo,
    sql`select v.id as "videoId", v.organization_id as "organizationId", n.id as "versionId", n.duration_ms as "durationMs", o.policies
      from videos v join organizations o on o.id = v.organization_id left join video_versions n on n.id = v.current_version_id
      where v.id = ${videoId} and v.deleted_at is null ${lock ? sql`for update of v` : sql``}`,
  )
}

const KeptQuiz = z.object({
  id: z.string(),
  draft: QuizDraft,
  currentVersionId: z.nullable(z.string()),
  /** The draft says something else than the current version; without one, whether there is something to publish. */
  isChanged: z.boolean(),
  updatedAt: z.string(),
  updatedBy: Quiz.shape.updatedBy,
})
type KeptQuiz = Omit<z.infer<typeof KeptQuiz>, 'updatedAt'> & { updatedAt: Date }

export async function findQuiz(tx: Tx, videoId: string): Promise<KeptQuiz | undefined> {
  const found = await row(
    tx,
    KeptQuiz,
    sql`select q.id, q.draft, q.current_version_id as "currentVersionId", q.updated_at as "updatedAt",
        (select json_build_object('id', u.id, 'name', u.name) from users u where u.id = q.updated_by and u.name is not null) as "updatedBy",
        case when v.id is null then jsonb_array_length(q.draft -> 'questions') > 0
          else q.draft -> 'settings' <> v.settings or q.draft -> 'questions' <> coalesce(
            (select jsonb_agg(i.question order by i.position) from quiz_items i where i.version_id = v.id), '[]') end as "isChanged"
      from quizzes q left join quiz_versions v on v.id = q.current_version_id where q.video_id = ${videoId}`,
  )
  return found && { ...found, updatedAt: new Date(found.updatedAt) }
}

export async function saveDraft(
  tx: Tx,
  { videoId, organizationId }: Pick<QuizVideo, 'videoId' | 'organizationId'>,
  { draft, by }: { draft: QuizDraft; by: string | null },
): Promise<void> {
  await tx.execute(
    sql`insert into quizzes (organization_id, video_id, draft, updated_by)
      values (${organizationId}, ${videoId}, ${JSON.stringify(draft)}::jsonb, ${by})
      on conflict (video_id) do update set draft = excluded.draft, updated_at = now(), updated_by = excluded.updated_by`,
  )
}

type VersionChoice = { quizId: string; versionId?: string }

/** Newest first; all of them, or one. */
function findVersions(tx: Tx, { quizId, versionId }: VersionChoice): Promise<QuizVersion[]> {
  return rows(
    tx,
    QuizVersion,
    sql`select v.id, v.number, (select count(*)::int from quiz_items i where i.version_id = v.id) as questions,
        v.max_score as "maxScore", ${isoText(sql`v.published_at`)} as "publishedAt", u.name as "publishedBy",
        (select count(*)::int from quiz_attempts a where a.version_id = v.id) as attempts,
        v.id is not distinct from q.current_version_id as "isCurrent"
      from quiz_versions v join quizzes q on q.id = v.quiz_id left join users u on u.id = v.published_by
      where v.quiz_id = ${quizId} ${versionId === undefined ? sql`` : sql`and v.id = ${versionId}`} order by v.number desc`,
  )
}

const DraftRow = z.extend(QuizDraft, { quizId: z.string() })

/** What a version asks, with what is right; undefined when the video has no such version. */
export async function readVersion(
  tx: Tx,
  { videoId, versionId }: { videoId: string; versionId: string },
): Promise<QuizVersionDetail | undefined> {
  const found = await row(
    tx,
    DraftRow,
    sql`select q.id as "quizId", v.settings,
        coalesce((select jsonb_agg(i.question order by i.position) from quiz_items i where i.version_id = v.id), '[]') as questions
      from quiz_versions v join quizzes q on q.id = v.quiz_id where v.id = ${versionId} and q.video_id = ${videoId}`,
  )
  if (!found) return undefined
  const { quizId, settings, questions } = found
  const [version] = await findVersions(tx, { quizId, versionId })
  return version && { ...version, settings, questions }
}

/** Everything that the page of the questions shows. */
export async function readWhole(tx: Tx, { videoId, organizationId, policies }: QuizVideo): Promise<Quiz> {
  const owedBy = await readCount(
    tx,
    sql`select count(distinct o.user_id)::int as n from obligations o
      where o.organization_id = ${organizationId} and o.video_id = ${videoId} and o.state = 'open' and not ${isExcused}`,
  )
  const about = { videoId, asksNothing: policies.trackingMode === 'completed_only', owedBy }
  const quiz = await findQuiz(tx, videoId)
  if (!quiz) {
    const draft = { settings: defaultQuizSettings, questions: [] }
    return { ...about, id: null, draft, isChanged: false, versions: [], updatedAt: null, updatedBy: null }
  }
  const { id, draft, isChanged, updatedAt, updatedBy } = quiz
  const versions = await findVersions(tx, { quizId: id })
  return { ...about, id, draft, isChanged, versions, updatedAt: updatedAt.toISOString(), updatedBy }
}
