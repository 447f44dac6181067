import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  type listQuizMetrics,
  QuizMetrics,
  type reportQuizMetrics,
} from '#contract/reports/report-quizzes.ts'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, all, isoText } from '../platform/db/search.ts'
import {
  behind,
  keyOf,
  orderBy,
  orderFrom,
  pageOf,
  slice,
  type ListQuery,
  Sorted,
} from '../platform/http/lists/keyset.ts'
import { hardestQuestions, person } from '../quizzes/attempts-of.ts'
import { catchUpItems } from '../quizzes/item-figures.ts'
import {
  compared,
  during,
  headOf,
  paired,
  persons,
  stepsOf,
  DayCount,
  type ReportScope,
  dayIn,
  ofVideos,
  owned,
} from './scope.ts'
import { oldest, readOrCached, type Reading } from './cached.ts'
import { Count } from '../platform/db/rows.ts'

/** Where no one organization is asked about, or it has not decided otherwise. */
const defaultSmallestGroup = 5

function smallest(policies: SQL): SQL {
  return sql`coalesce((${policies} ->> 'smallestGroup')::int, ${defaultSmallestGroup})`
}

const VersionSums = z.extend(z.object({ attempts: z.number(), people: z.number(), passed: z.number() }), {
  version_id: z.string(),
})
type VersionSums = z.infer<typeof VersionSums>
const AttemptSums = z.extend(
  z.object({
    attempts: z.number(),
    people: z.number(),
    persons: z.number(),
    passed: z.number(),
    first: z.number(),
    firstPassed: z.number(),
  }),
  { medianScore: z.nullable(z.number()), days: z.array(DayCount), versions: z.array(VersionSums) },
)
type AttemptSums = z.infer<typeof AttemptSums>

/** CTE `taken`: the attempts that were completed in the period; `share` of the full score, null where there is none to reach. */
function taken(scope: ReportScope): SQL {
  return sql`taken as (select a.version_id, ${person} as person, a.passed, a.is_first, a.score / nullif(a.max_score, 0) as share,
      ${dayIn(scope, sql`a.completed_at`)} as day from quiz_attempts a
    where ${all([
      owned(scope, sql`a.organization_id`),
      during(scope, sql`a.completed_at`),
      persons(scope, sql`a.user_id`),
      ofVideos(scope.subjects, sql`a.video_id`),
    ])})`
}

/** CTE `per_version` over `taken`: attempts, different people, and those of them who passed. */
const perVersion = sql`per_version as (select version_id, sum(attempts)::int as attempts, count(*)::int as people,
    count(*) filter (where has_passed)::int as passed
  from (select version_id, person, count(*) as attempts, bool_or(passed) as has_passed from taken group by 1, 2) t group by 1)`

/** The median of `share` over CTE `scores` (`share`, `n`), as PERCENTILE_CONT gives it. */
const medianShare = sql`(select low + (middle - floor(middle)) * (high - low)
    from (select min(share) filter (where upto > floor(middle)) as low, min(share) filter (where upto > ceil(middle)) as high, max(middle) as middle
      from (select share, sum(n) over (order by share)::float8 as upto, (sum(n) over () - 1)::float8 / 2 as middle from scores) ranked) m)`

/** What was answered in the period: in all, by day and by version of questions. */
export const quizzes: Reading<AttemptSums> = {
  name: 'quizzes',
  async read(tx, scope) {
    const sum = (column: string) => sql.raw(`coalesce(sum(${column}), 0)::int as ${column}`)
    const found = await row(
      tx,
      AttemptSums,
      sql`with ${taken(scope)}, ${perVersion},
        scores as (select share, count(*) as n from taken where is_first and share is not null group by 1)
        select ${sum('attempts')}, ${sum('people')}, ${sum('passed')}, coalesce(json_agg(v), '[]') as versions,
          (select count(*)::int from taken where is_first) as first, (select count(*)::int from taken where is_first and passed) as "firstPassed",
          (select count(*)::int from (select distinct person from taken) p) as persons, ${medianShare} as "medianScore",
          (select coalesce(json_agg(json_build_object('day', day, 'n', n)), '[]') from (select day, count(*) as n from taken group by 1) d) as days
        from per_version v`,
    )
    if (!found) throw new Error('an aggregate gives one row')
    return found
  },
}

async function read(tx: Tx, scope: ReportScope, smallestGroup: number) {
  const { found, asOf } = await readOrCached(tx, scope, quizzes)
  const { passed, firstPassed, medianScore, versions, days, ...counts } = found
  const isShown = counts.persons >= smallestGroup
  const areFirstShown = counts.first >= smallestGroup
  const measures = {
    passed: isShown ? passed : null,
    firstPassed: areFirstShown ? firstPassed : null,
    medianScore: areFirstShown ? medianScore : null,
  }
  return { counts: { ...counts, quizzes: versions.length }, measures, days, asOf }
}

async function smallestGroupOf(tx: Tx, { organization }: ReportScope): Promise<number> {
  if (!organization) return defaultSmallestGroup
  const found = await row(
    tx,
    Count,
    sql`select ${smallest(sql`policies`)} as n from organizations where id = ${organization.id}`,
  )
  return found?.n ?? defaultSmallestGroup
}

export async function quizMetrics(tx: Tx, scope: ReportScope): Promise<Reply<typeof reportQuizMetrics>> {
  const smallestGroup = await smallestGroupOf(tx, scope)
  const [now, before] = await compared(scope, (one) => read(tx, one, smallestGroup))
  return {
    ...(await headOf(tx, scope, oldest(now.asOf, before.asOf))),
    ...paired(now.counts, before.counts),
    ...paired<typeof now.measures>(now.measures, before.measures),
    smallestGroup,
    steps: stepsOf(scope, now.days, before.days),
  }
}

/** What is not shown comes behind the least. */
const keys = {
  title: { by: called(sql`r.title`), type: 'text' },
  people: { by: sql`r.people::float8`, type: 'float8' },
  attempts: { by: sql`r.attempts::float8`, type: 'float8' },
  passRate: { by: sql`coalesce(r.passed / r.people::float8, -1)`, type: 'float8' },
  lastAt: { by: sql`r.last_at`, type: 'timestamptz' },
} as const

type RowsQuery = Pick<ParsedQuery<typeof listQuizMetrics>, 'sort'>
const QuizMetricsRow = z.extend(z.omit(QuizMetrics, { hardest: true }), Sorted.shape)
type QuizMetricsRow = z.infer<typeof QuizMetricsRow>
export type FoundQuiz = QuizMetrics & Sorted

export async function findQuizzes(
  tx: Tx,
  scope: ReportScope,
  query: RowsQuery & ListQuery,
): Promise<FoundQuiz[]> {
  const order = orderFrom(query.sort, keys, sql`r.id`)
  const { versions } = (await readOrCached(tx, scope, quizzes)).found
  const perVersionNow = sql`json_to_recordset(${JSON.stringify(versions)}::json) m(version_id uuid, attempts int, people int, passed int)`
  const last = all([
    sql`a.version_id = m.version_id`,
    during(scope, sql`a.completed_at`),
    persons(scope, sql`a.user_id`),
  ])
  const found = await rows(
    tx,
    QuizMetricsRow,
    sql`select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.video_id as "videoId",
        r.title, r.deleted_at is null as exists, r.number, r.attempts, r.people, r.passed, ${isoText(sql`r.last_at`)} as "lastAt",
        ${keyOf(order)} as key
      from (select q.id, q.organization_id, o.name as organization_name, z.video_id, v.title, v.deleted_at, q.number, m.attempts,
          m.people, case when m.people >= ${smallest(sql`o.policies`)} then m.passed end as passed, t.last_at
        from ${perVersionNow}
        cross join lateral (select max(a.completed_at) as last_at from quiz_attempts a where ${last}) t
        join quiz_versions q on q.id = m.version_id join quizzes z on z.id = q.quiz_id
        join videos v on v.id = z.video_id join organizations o on o.id = q.organization_id) r
      where ${all([query.after !== undefined && behind(order, query.after)])} order by ${orderBy(order)} ${slice(query)}`,
  )
  for (const { id, organizationId, people } of found)
    await catchUpItems(tx, { organizationId, versionId: id, people })
  const hardest = await hardestQuestions(
    tx,
    found.map(({ id }) => id),
    persons(scope, sql`a.user_id`),
  )
  const byVersion = new Map(hardest.map(({ versionId, ...question }) => [versionId, question]))
  return found.map((one) => Object.assign(one, { hardest: byVersion.get(one.id) ?? null }))
}

type ListRequest = {
  scope: ReportScope
  query: ParsedQuery<typeof listQuizMetrics>
  request: FastifyRequest
}

export async function answeredQuizzes(tx: Tx, { scope, query, request }: ListRequest) {
  const total = (await readOrCached(tx, scope, quizzes)).found.versions.length
  const found = await findQuizzes(tx, scope, query)
  return pageOf({ request, query, total: { n: total, counted: true }, found })
}
