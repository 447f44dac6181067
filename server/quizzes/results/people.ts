import type { FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { type listQuizPeople, QuizPerson } from '#contract/quizzes/quiz-results.ts'
import type { Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { called, all, hasWords, isoText } from '../../platform/db/search.ts'
import { orderFrom, type Sorts } from '../../platform/http/lists/keyset.ts'
import { readList } from '../../platform/http/lists/list.ts'
import { person } from '../attempts-of.ts'
import { findHead, versionOf } from './head.ts'

type ListQuery = ParsedQuery<typeof listQuizPeople>
type ListRequest = { videoId: string; query: ListQuery; request: FastifyRequest }

/** Everybody with an attempt at the version, if there is one, named by the first that they completed, or else by their first. */
function people(versionId: string | null): SQL {
  return sql`(select p.*, u.name, u.email, u.search, u.deleted_at is null and u.id is not null as "exists" from (
      select (array_agg(a.id order by a.completed_at nulls last, a.id))[1] as id, (array_agg(a.user_id))[1] as user_id,
        count(*)::int as attempts, max(a.score / nullif(a.max_score, 0)) filter (where a.completed_at is not null) as best_score,
        (array_agg(a.score / nullif(a.max_score, 0) order by a.completed_at, a.id) filter (where a.completed_at is not null))[1]
          as first_score,
        bool_or(a.passed is true) filter (where a.completed_at is not null) as passed,
        max(greatest(a.started_at, a.completed_at)) as last_at
      from quiz_attempts a where a.version_id = ${versionId} group by ${person}) p
    left join users u on u.id = p.user_id) r`
}

/** Who has no score, or no name, comes before the least. */
const sorts: Sorts<ListQuery['sort']> = {
  name: { by: called(sql`coalesce(r.name, '')`), type: 'text' },
  firstScore: { by: sql`coalesce(r.first_score, -1)::float8`, type: 'float8' },
  bestScore: { by: sql`coalesce(r.best_score, -1)::float8`, type: 'float8' },
  attempts: { by: sql`r.attempts::float8`, type: 'float8' },
  lastAt: { by: sql`r.last_at`, type: 'timestamptz' },
}

const outcomes = {
  passed: sql`r.passed`,
  failed: sql`r.passed is false`,
  open: sql`r.passed is null`,
}

function matching({ q, outcome }: ListQuery): SQL {
  return all([q && hasWords(sql`r.search`, q), outcome && outcomes[outcome]])
}

/** Question by question, for the rows of one page. */
function strip(versionId: string | null): SQL {
  return sql`(select coalesce(json_agg(w.correct order by i.position), '[]') from quiz_items i
    left join quiz_answers w on w.item_id = i.id and w.attempt_id = r.id and w.try = 1 where i.version_id = ${versionId})`
}

export async function quizPeople(tx: Tx, { videoId, query, request }: ListRequest) {
  const versionId = versionOf(await findHead(tx, videoId), query.versionId)?.id ?? null
  return readList(tx, {
    query,
    request,
    Row: QuizPerson,
    columns: sql`r.id, r.user_id as "userId", r.name, r.email, r.exists, r.attempts, r.first_score as "firstScore",
      r.best_score as "bestScore", r.passed, ${isoText(sql`r.last_at`)} as "lastAt", ${strip(versionId)} as answers`,
    from: people(versionId),
    where: matching(query),
    order: orderFrom(query.sort, sorts, sql`r.id`),
  })
}
