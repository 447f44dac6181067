import type { Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all } from '../db/search.ts'
import { quizKinds, quizPartsNow, quizSumsNow } from '../plays/quiz-sums.ts'
import { byMonth } from '../plays/reach-worth.ts'
import { during, ofVideos, owned, persons, type Ground } from './ground.ts'
import { monthsEnd } from './reach.ts'

/** From where a report on quizzes is counted: from the sums of all people, or from what some of them add to these. */
export type Takings = { rows: SQL; isOfSome: boolean }

export async function takingsOf(tx: Tx, ground: Ground): Promise<Takings> {
  const organizationId = ground.organization?.id
  const member = persons(ground, sql`p.user_id`)
  return member
    ? { rows: await quizPartsNow(tx, { organizationId, member }), isOfSome: true }
    : { rows: await quizSumsNow(tx, organizationId), isOfSome: false }
}

/** Condition on a column with a version of questions: of the videos that are asked about. */
function ofVersions(ground: Ground, column: SQL): SQL | undefined {
  const videos = ofVideos(ground.subjects, sql`z.video_id`)
  return (
    videos &&
    sql`${column} in (select q.id from quizzes z join quiz_versions q on q.quiz_id = z.id where ${videos})`
  )
}

export const ofKind = (...names: (keyof typeof quizKinds)[]): SQL =>
  sql`kind in (${sql.raw(names.map((name) => `${quizKinds[name]}`).join(', '))})`

const byVersion = ofKind('ofVersion', 'passed', 'attempts', 'firstFailed', 'firstPassed')

/**
 * CTE `taken`: rows that add up to what was completed in the period, and to each person once. The months with which a year begins are
 * read by month, where steps are months too.
 */
export function taken(ground: Ground, { rows, isOfSome }: Takings): SQL {
  const { from, to } = ground.span
  const end = ground.spans.unit === 'month' && !isOfSome ? monthsEnd(ground) : from
  const person = isOfSome ? sql`s.person` : sql`null::text as person`
  const columns = sql`s.organization_id, s.subject, s.day, s.before, s.share, s.n, ${person}`
  const kinds = sql.raw(Object.values(quizKinds).join(', '))
  const monthKinds = sql.raw(
    Object.values(quizKinds)
      .map((number) => `${number + 10}`)
      .join(', '),
  )
  const days = sql`select s.kind, ${columns} from ${rows} s
    where s.kind in (${kinds}) and s.day between ${end}::date and ${to}::date`
  const counted =
    end === from
      ? days
      : sql`${days} union all select s.kind - ${byMonth}, ${columns} from ${rows} s
        where s.kind in (${monthKinds}) and s.day >= ${from}::date and s.day < ${end}::date`
  const videos = ofVideos(ground.subjects, sql`subject`)
  return sql`taken as materialized (select kind, subject, day, share, n, person from (${counted}) counted
    where ${all([
      owned(ground, sql`organization_id`),
      sql`before < ${from}::date`,
      videos &&
        sql`case when ${byVersion} then ${ofVersions(ground, sql`subject`)} when ${ofKind('ofVideo')} then ${videos} end`,
    ])})`
}

/** Versions that anybody has completed: while somebody is still to be taken out of the sums, there are rows that come to nothing. */
export const takenVersions = sql`(select subject from taken where ${ofKind('attempts')} group by 1 having sum(n) > 0)`

/**
 * How many people these are, each once whatever they answered. Sums tell it of an organization and of one video; people of a project
 * are told apart by their attempts.
 */
export function differentPeople(ground: Ground, { isOfSome }: Takings): SQL {
  if (isOfSome) return sql`(select count(distinct person) from taken where ${ofKind('ofVersion')})`
  const sum = (kind: SQL) => sql`(select coalesce(sum(n), 0) from taken where ${kind})`
  if (ground.subjects.video) return sum(ofKind('ofVideo'))
  const versions = ofVersions(ground, sql`a.version_id`)
  if (!versions) return sum(ofKind('people'))
  return sql`(select count(distinct coalesce(a.user_id::text, a.viewer_key)) from quiz_attempts a
    where ${all([owned(ground, sql`a.organization_id`), during(ground, sql`a.completed_at`), versions])})`
}

/** The median of `share` over CTE `scores` (`share`, `n`), as PERCENTILE_CONT gives it. */
export const medianShare = sql`(select low + (middle - floor(middle)) * (high - low)
    from (select min(share) filter (where upto > floor(middle)) as low, min(share) filter (where upto > ceil(middle)) as high, max(middle) as middle
      from (select share, sum(n) over (order by share)::float8 as upto, (sum(n) over () - 1)::float8 / 2 as middle from scores) ranked) m)`
