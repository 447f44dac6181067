import * as z from 'zod/mini'
import { enoughPeople } from '#contract/quizzes/quiz-results.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'

/** Who is known by name is one person, whichever link or session they answered through. `a`: a row of quiz_attempts. */
export const person = sql`coalesce(a.user_id::text, a.viewer_key)`

/** The first completed attempt of each person with each version: what statistics are made of. `where`: a condition on `a`. */
export function firstAttempts(where: SQL): SQL {
  return sql`select a.* from quiz_attempts a where a.is_first and ${where}`
}

/**
 * Tells of every question of these first attempts whether it was answered right. The first try counts, and what was not answered is
 * wrong. Each answer is looked up by its key; left to itself, the planner may go through all answers to a question for each person.
 */
function graded(where: SQL): SQL {
  return sql`select i.id as item_id, w.correct is true as correct
    from (${firstAttempts(where)}) f join quiz_items i on i.version_id = f.version_id
    left join lateral (select q.correct from quiz_answers q where q.attempt_id = f.id and q.item_id = i.id and q.try = 1 limit 1) w on true`
}

const HardestQuestion = z.object({ versionId: z.string(), prompt: z.string(), right: z.number() })
type HardestQuestion = z.infer<typeof HardestQuestion>

/**
 * Finds for each of these versions the question that the smallest share of people, 0 to 1, got right, where at least `enoughPeople` are
 * counted. The figures that are kept tell it for everybody; for some people (`member`, a condition on `a`) their answers are gone through.
 */
export function hardestQuestions(
  tx: Tx,
  versionIds: readonly string[],
  member: SQL | undefined,
): Promise<HardestQuestion[]> {
  const named = sql`= any(${arrayOf(versionIds, 'uuid')})`
  const counted = member
    ? sql`select item_id, count(*) as n, count(*) filter (where correct) as "right"
        from (${graded(all([sql`a.version_id ${named}`, member]))}) g group by item_id`
    : sql`select s.item_id, s.n, (select coalesce(sum((m ->> 2)::int), 0) from jsonb_array_elements(s.marks) m
          where (m ->> 0)::float8 >= k.points - 1e-9) as "right"
        from quiz_item_stats s join quiz_items k on k.id = s.item_id where s.version_id ${named}`
  return rows(
    tx,
    HardestQuestion,
    sql`select distinct on (i.version_id) i.version_id as "versionId", i.question ->> 'prompt' as prompt, c."right"::float8 / c.n as "right"
      from quiz_items i join (${counted}) c on c.item_id = i.id where c.n >= ${enoughPeople}
      order by i.version_id, c."right"::float8 / c.n, i.position`,
  )
}
