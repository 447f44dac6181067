import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { enoughPeople } from '#contract/quiz-results.ts'
import type { listQuizMetrics, QuizMetrics, reportQuizMetrics } from '#contract/report-quizzes.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, countOf, isoText } from '../db/search.ts'
import { behind, orderBy, pageOf, slice, type Sorted } from '../http/keyset.ts'
import { firstAttempts, itemSums, person, type ItemRow } from '../plays/attempts.ts'
import { facilityOf, reliabilityOf } from '../plays/statistics.ts'
import { compared, during, headOf, ofVideos, owned, paired, persons, stepsOf, utcDay } from './ground.ts'
import type { DayCount, Ground } from './ground.ts'
import { keyText, orderFrom, type Cut } from './order.ts'

/** Where no one organization is asked about, or it has not decided otherwise. */
const defaultSmallestGroup = 5

function smallest(policies: SQL): SQL {
  return sql`coalesce((${policies} ->> 'smallestGroup')::int, ${defaultSmallestGroup})`
}

/** Conditions on an attempt `a` of whom the reader may see, in the versions whose attempts have an index by time. */
function answered(ground: Ground): SQL {
  const versions = sql`select q.id from quiz_versions q where ${owned(ground, sql`q.organization_id`)}`
  return all([
    sql`a.version_id in (${versions})`,
    ofVideos(ground.subjects, sql`a.video_id`),
    persons(ground, sql`a.user_id`),
  ])
}

/** Attempts that were completed in the period. */
function completed(ground: Ground): SQL {
  return sql`select a.version_id, ${person} as person, a.completed_at, a.passed from quiz_attempts a
    where ${all([during(ground, sql`a.completed_at`), answered(ground)])}`
}

type Sums = Record<'quizzes' | 'attempts' | 'people' | 'persons' | 'passed', number>
type Firsts = { first: number; firstPassed: number; medianScore: number | null; smallestGroup: number }

function firstsOf(tx: Tx, ground: Ground) {
  const versions = sql`a.version_id in (select version_id from (${completed(ground)}) done)`
  const first = firstAttempts(all([versions, persons(ground, sql`a.user_id`)]))
  const policy = ground.organization
    ? sql`(select ${smallest(sql`policies`)} from organizations where id = ${ground.organization.id})`
    : sql`${defaultSmallestGroup}::int`
  return row<Firsts>(
    tx,
    sql`select count(*)::int as first, count(*) filter (where f.passed)::int as "firstPassed",
        percentile_cont(0.5) within group (order by f.score / nullif(f.max_score, 0)) as "medianScore", ${policy} as "smallestGroup"
      from (${first}) f where ${during(ground, sql`f.completed_at`)}`,
  )
}

async function read(tx: Tx, ground: Ground) {
  const done = completed(ground)
  const [[sums, firsts], days] = await together(
    together(
      row<Sums>(
        tx,
        sql`select count(distinct version_id)::int as quizzes, count(*)::int as attempts, count(distinct person)::int as persons,
            count(distinct (version_id, person))::int as people,
            count(distinct (version_id, person)) filter (where passed)::int as passed from (${done}) done`,
      ),
      firstsOf(tx, ground),
    ),
    rows<DayCount>(
      tx,
      sql`select ${utcDay(sql`completed_at`)} as day, count(*)::int as n from (${done}) done group by 1`,
    ),
  )
  if (!sums || !firsts) throw new Error('an aggregate gives one row')
  const { passed, ...counts } = sums
  const { first, firstPassed, medianScore, smallestGroup } = firsts
  const isShown = counts.persons >= smallestGroup
  const areFirstShown = first >= smallestGroup
  const measures = {
    passed: isShown ? passed : null,
    firstPassed: areFirstShown ? firstPassed : null,
    medianScore: areFirstShown ? medianScore : null,
  }
  return { counts: { ...counts, first }, measures, smallestGroup, days }
}

export async function quizMetrics(tx: Tx, ground: Ground): Promise<Reply<typeof reportQuizMetrics>> {
  const [now, before] = await compared(ground, (one) => read(tx, one))
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
  const found = await rows<Found>(
    tx,
    sql`select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.video_id as "videoId",
        r.title, r.deleted_at is null as exists, r.number, r.attempts, r.people, r.passed, ${isoText(sql`r.last_at`)} as "lastAt",
        ${keyText(order)} as key
      from (select q.id, q.organization_id, o.name as organization_name, z.video_id, v.title, v.deleted_at, q.number, m.attempts,
          m.people, case when m.people >= ${smallest(sql`o.policies`)} then m.passed end as passed, m.last_at
        from (select version_id, count(*)::int as attempts, count(distinct person)::int as people,
            count(distinct person) filter (where passed)::int as passed, max(completed_at) as last_at
          from (${completed(ground)}) done group by 1) m
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
  const versions = sql`(select distinct version_id from (${completed(ground)}) done) versions`
  const [total, found] = await together(
    row<{ n: number }>(tx, sql`select ${countOf(versions)} as n`),
    findQuizzes(tx, ground, query),
  )
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
