import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { enoughPeople } from '#contract/quiz-results.ts'
import type { listQuizMetrics, QuizMetrics, reportQuizMetrics } from '#contract/report-quizzes.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, isoText } from '../db/search.ts'
import { behind, orderBy, pageOf, slice, type Sorted } from '../http/keyset.ts'
import { itemSums, type ItemRow } from '../plays/attempts.ts'
import { facilityOf, reliabilityOf } from '../plays/statistics.ts'
import { compared, during, headOf, paired, persons, stepsOf } from './ground.ts'
import type { DayCount, Ground } from './ground.ts'
import { keyText, orderFrom, type Cut } from './order.ts'
import { differentPeople, medianShare, ofKind, taken, takenVersions, takingsOf } from './quiz-takings.ts'
import type { Takings } from './quiz-takings.ts'

/** Where no one organization is asked about, or it has not decided otherwise. */
const defaultSmallestGroup = 5

function smallest(policies: SQL): SQL {
  return sql`coalesce((${policies} ->> 'smallestGroup')::int, ${defaultSmallestGroup})`
}

type Figures = Record<
  'quizzes' | 'attempts' | 'people' | 'persons' | 'passed' | 'first' | 'firstPassed' | 'smallestGroup',
  number
> & { medianScore: number | null; days: DayCount[] }

async function read(tx: Tx, ground: Ground, takings: Takings) {
  const policy = ground.organization
    ? sql`(select ${smallest(sql`policies`)} from organizations where id = ${ground.organization.id})`
    : sql`${defaultSmallestGroup}::int`
  const sum = (kinds: SQL) => sql`coalesce(sum(n) filter (where ${kinds}), 0)::int`
  const found = await row<Figures>(
    tx,
    sql`with ${taken(ground, takings)},
      scores as (select share, sum(n) as n from taken where ${ofKind('firstFailed', 'firstPassed')} and share >= 0 group by 1 having sum(n) > 0)
      select ${sum(ofKind('attempts'))} as attempts, ${sum(ofKind('ofVersion'))} as people, ${sum(ofKind('passed'))} as passed,
        ${sum(ofKind('firstFailed', 'firstPassed'))} as first, ${sum(ofKind('firstPassed'))} as "firstPassed",
        (select count(*)::int from ${takenVersions} v) as quizzes,
        ${differentPeople(ground, takings)}::int as persons, ${medianShare} as "medianScore", ${policy} as "smallestGroup",
        (select coalesce(json_agg(json_build_object('day', day, 'n', n)), '[]')
          from (select day, sum(n) as n from taken where ${ofKind('attempts')} group by 1) d) as days
      from taken`,
  )
  if (!found) throw new Error('an aggregate gives one row')
  const { passed, firstPassed, medianScore, smallestGroup, days, ...counts } = found
  const isShown = counts.persons >= smallestGroup
  const areFirstShown = counts.first >= smallestGroup
  const measures = {
    passed: isShown ? passed : null,
    firstPassed: areFirstShown ? firstPassed : null,
    medianScore: areFirstShown ? medianScore : null,
  }
  return { counts, measures, smallestGroup, days }
}

export async function quizMetrics(tx: Tx, ground: Ground): Promise<Reply<typeof reportQuizMetrics>> {
  const takings = await takingsOf(tx, ground)
  const [now, before] = await compared(ground, (one) => read(tx, one, takings))
  return {
    ...(await headOf(tx, ground)),
    ...paired(now.counts, before.counts),
    ...paired<typeof now.measures>(now.measures, before.measures),
    smallestGroup: now.smallestGroup,
    steps: stepsOf(ground, now.days, before.days),
  }
}

/** What is not shown comes behind the least. */
const keys = {
  title: { by: sql`lower(r.title)`, type: 'text' },
  people: { by: sql`r.people::float8`, type: 'float8' },
  attempts: { by: sql`r.attempts::float8`, type: 'float8' },
  passRate: { by: sql`coalesce(r.passed / r.people::float8, -1)`, type: 'float8' },
  lastAt: { by: sql`r.last_at`, type: 'timestamptz' },
} as const

type ListQuery = Pick<ParsedQuery<typeof listQuizMetrics>, 'sort'>
type Found = Omit<QuizMetrics, 'hardest' | 'reliability'> & Sorted
export type FoundQuiz = QuizMetrics & Sorted

export async function findQuizzes(tx: Tx, ground: Ground, query: ListQuery & Cut): Promise<FoundQuiz[]> {
  const order = orderFrom(keys, query.sort)
  const takings = await takingsOf(tx, ground)
  const last = all([
    sql`a.version_id = m.version_id`,
    during(ground, sql`a.completed_at`),
    persons(ground, sql`a.user_id`),
  ])
  const sum = (kind: SQL) => sql`coalesce(sum(n) filter (where ${kind}), 0)::int`
  const found = await rows<Found>(
    tx,
    sql`with ${taken(ground, takings)}
      select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.video_id as "videoId",
        r.title, r.deleted_at is null as exists, r.number, r.attempts, r.people, r.passed, ${isoText(sql`r.last_at`)} as "lastAt",
        ${keyText(order)} as key
      from (select q.id, q.organization_id, o.name as organization_name, z.video_id, v.title, v.deleted_at, q.number, m.attempts,
          m.people, case when m.people >= ${smallest(sql`o.policies`)} then m.passed end as passed, t.last_at
        from (select subject as version_id, ${sum(ofKind('attempts'))} as attempts, ${sum(ofKind('ofVersion'))} as people,
            ${sum(ofKind('passed'))} as passed
          from taken where subject in ${takenVersions} group by 1) m
        cross join lateral (select max(a.completed_at) as last_at from quiz_attempts a where ${last}) t
        join quiz_versions q on q.id = m.version_id join quizzes z on z.id = q.quiz_id
        join videos v on v.id = z.video_id join organizations o on o.id = q.organization_id) r
      where ${all([query.after !== undefined && behind(order, query.after)])} order by ${orderBy(order)} ${slice(query)}`,
  )
  const items = await itemSums(
    tx,
    found.map(({ id }) => id),
    persons(ground, sql`a.user_id`),
  )
  return found.map((one) =>
    Object.assign(one, judgementOf(items.filter(({ versionId }) => versionId === one.id))),
  )
}

type Asked = { ground: Ground; query: ParsedQuery<typeof listQuizMetrics>; request: FastifyRequest }

export async function answeredQuizzes(tx: Tx, { ground, query, request }: Asked) {
  const takings = await takingsOf(tx, ground)
  const versions = sql`with ${taken(ground, takings)} select count(*)::int as n from ${takenVersions} v`
  const [total, found] = await together(row<{ n: number }>(tx, versions), findQuizzes(tx, ground, query))
  const toItem = (one: FoundQuiz): QuizMetrics => one
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}

/** From all first attempts with a version; with too few people for an estimate there is none. */
function judgementOf(items: readonly ItemRow[]): Pick<QuizMetrics, 'hardest' | 'reliability'> {
  const rated = items
    .filter(({ n }) => n >= enoughPeople.question)
    .map((item) => ({ prompt: item.prompt, facility: facilityOf(item, item.points) ?? 0 }))
    .toSorted((a, b) => a.facility - b.facility)
  const isEnough = (items[0]?.n ?? 0) >= enoughPeople.reliability
  return { hardest: rated[0] ?? null, reliability: isEnough ? (reliabilityOf(items)?.cic ?? null) : null }
}
