import * as z from 'zod/mini'
import type { QuizResults } from '#contract/quizzes/quiz-results.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { firstAttempts, person } from '../attempts-of.ts'
import type { Head } from './head.ts'
import { isToRecipient } from '../../deliveries.ts'

/** Bars of the histogram. */
const bins = 10

export const People = z.object({
  attempted: z.number(),
  completed: z.number(),
  attempts: z.number(),
  passed: z.number(),
  /** Of `passed`: recipients of a transmission of the video. */
  passedAssigned: z.number(),
})
export type People = z.infer<typeof People>

export async function peopleOf(tx: Tx, versionId: string, videoId: string): Promise<People> {
  const none = { attempted: 0, completed: 0, attempts: 0, passed: 0, passedAssigned: 0 }
  const found = await row(
    tx,
    People,
    sql`select count(*)::int as attempted, count(*) filter (where is_completed)::int as completed,
        coalesce(sum(attempts), 0)::int as attempts, count(*) filter (where has_passed)::int as passed,
        count(*) filter (where has_passed and user_id in (select d.user_id from transmissions t
          join deliveries d on d.transmission_id = t.id
          where t.video_id = ${videoId} and t.state <> 'draft' and ${isToRecipient('d')}))::int as "passedAssigned"
      from (select ${person}, any_value(a.user_id) as user_id, count(*) as attempts,
          bool_or(a.completed_at is not null) as is_completed, bool_or(a.passed is true) as has_passed
        from quiz_attempts a where a.version_id = ${versionId} group by 1) people`,
  )
  return found ?? none
}

const Totals = z.object({
  mean: z.number(),
  median: z.number(),
  deviation: z.nullable(z.number()),
  histogram: z.array(z.number()),
  medianMs: z.number(),
  passedAtFirst: z.number(),
})
type Totals = z.infer<typeof Totals>

/** Of first completed attempts; scores as shares of the full score. */
async function totalsOf(tx: Tx, versionId: string): Promise<Totals | undefined> {
  return row(
    tx,
    Totals,
    sql`with first as materialized (
        select f.passed, least(1, greatest(0, f.score / nullif(f.max_score, 0))) as share, f.took_ms::float8 as took
        from (${firstAttempts(sql`a.version_id = ${versionId}`)}) f),
      bars as (select least(${bins}, floor(share * ${bins} + 1e-9) + 1) as bar, count(*)::int as n from first group by 1)
      select avg(share) as mean, percentile_cont(0.5) within group (order by share) as median, stddev_samp(share) as deviation,
        count(*) filter (where passed)::int as "passedAtFirst",
        coalesce(percentile_cont(0.5) within group (order by took), 0) as "medianMs",
        (select array_agg(coalesce(n, 0) order by bar) from generate_series(1, ${bins}) bar left join bars using (bar)) as histogram
      from first where share is not null having count(*) > 0`,
  )
}

export async function scoresOf(
  tx: Tx,
  { versionId, people, head }: { versionId: string; people: People; head: Head },
): Promise<QuizResults['scores']> {
  const { attempted, completed, attempts, passed, passedAssigned } = people
  if (completed < head.smallestGroup) return null
  const totals = await totalsOf(tx, versionId)
  if (!totals) return null
  const { passedAtFirst, ...scores } = totals
  return {
    ...scores,
    passed,
    passedOfAttempted: passed / attempted,
    passedOfAssigned: head.assigned === 0 ? null : passedAssigned / head.assigned,
    passedAtFirst: passedAtFirst / completed,
    attemptsPerPerson: attempts / attempted,
  }
}
