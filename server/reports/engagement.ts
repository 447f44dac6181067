import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  type listVideoEngagement,
  type reportUserEngagement,
  VideoEngagement,
} from '#contract/reports/reports.ts'
import { row, rows, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, all, withoutLoops } from '../platform/db/search.ts'
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
import {
  compared,
  dayIn,
  during,
  headOf,
  ofVideos,
  onDays,
  owned,
  paired,
  personSet,
  shows,
  stepsOf,
  toldOf,
  untold,
  DayCount,
} from './scope.ts'
import type { ReportScope } from './scope.ts'
import { viewerDaysIn } from './days-in-zone.ts'
import { oldest, readOrCached, type Reading } from './cached.ts'
import { totalOf, watchedByDay, watching } from './watching.ts'

const Videos = z.extend(
  z.object({
    viewings: z.number(),
    forgotten: z.number(),
    known: z.number(),
    finished: z.number(),
    completed: z.number(),
  }),
  { video_id: z.string() },
)
type Videos = z.infer<typeof Videos>
const Versions = z.extend(
  z.object({
    duration_ms: z.number(),
    n: z.number(),
    seen_ms: z.number(),
    covered_ms: z.number(),
    watch_ms: z.number(),
  }),
  { version_id: z.string(), video_id: z.string() },
)
type Versions = z.infer<typeof Versions>
const Engagement = z.object({
  videos: z.array(Videos),
  versions: z.array(Versions),
  viewers: z.number(),
  completions: z.array(DayCount),
})
type Engagement = z.infer<typeof Engagement>

/**
 * `videos`: viewings of the period; of these the forgotten ones, the known and the finished by now; and completions of the period.
 * `versions`: viewers of the period who are known, and how far they have got by now. `viewers`: different ones. `completions`: by day.
 */
export const engagement: Reading<Engagement> = {
  name: 'engagementByDay',
  async read(tx, scope) {
    const found = await withoutLoops(tx, () =>
      row(
        tx,
        Engagement,
        sql`with ${counted(scope)} select (select coalesce(json_agg(v), '[]') from per_video v) as videos,
          (select coalesce(json_agg(v), '[]') from per_version v) as versions, (select n::int from people) as viewers,
          (select coalesce(json_agg(c), '[]') from completions_by_day c) as completions`,
      ),
    )
    if (!found) throw new Error('an aggregate gives one row')
    return found
  },
}

/** The same as CTEs `per_video`, `per_version` and `people` (n). */
function tables({ videos, versions, viewers }: Engagement): SQL {
  const rowsOf = (list: readonly object[], columns: string) =>
    sql`(select * from json_to_recordset(${JSON.stringify(list)}::json) v(${sql.raw(columns)}))`
  const perVideo = 'video_id uuid, viewings int, forgotten int, known int, finished int, completed int'
  const perVersion =
    'version_id uuid, video_id uuid, duration_ms int, n int, seen_ms bigint, covered_ms bigint, watch_ms bigint'
  return sql`per_video as ${rowsOf(videos, perVideo)}, per_version as ${rowsOf(versions, perVersion)},
    people as (select ${viewers}::int as n)`
}

/** Somebody known by name is one viewer, whichever link they came by. */
const viewer = (alias: string) => sql.raw(`coalesce(${alias}.user_id::text, ${alias}.viewer_key)`)

/** From the days of everybody whom the report is about. */
function counted(scope: ReportScope): SQL {
  const members = personSet(scope)
  const isOurs = (alias: string) =>
    all([
      owned(scope, sql.raw(`${alias}.organization_id`)),
      ofVideos(scope.subjects, sql.raw(`${alias}.video_id`)),
    ])
  const rowsOf = (table: SQL, as: string, where: SQL) => {
    const isMember = members && sql`${sql.raw(as)}.user_id in (select id from members)`
    return sql`${table} ${sql.raw(as)} where ${all([where, isMember])}`
  }
  const days = all([isOurs('d'), onDays(scope, sql`d.day`), sql`d.plays > 0`])
  const isDisclosed = all([
    isOurs('w'),
    sql`w.plays > 0 and not (w.completed_at is not null and w.covered_ms = 0)`,
    shows(scope, sql`w.organization_id`),
  ])
  const completed = all([isOurs('w'), during(scope, sql`w.completed_at`)])
  return sql`${members ? sql`members as (${members}), ` : sql``}
    visits as (select d.video_id, d.viewer_key, ${viewer('d')} as viewer, d.day::date as day from ${rowsOf(viewerDaysIn(scope), 'd', days)}),
    viewings as (select video_id, viewer, bool_or(viewer_key like 'gone:%') as is_forgotten from visits group by 1, 2),
    stand as (select f.* from (select w.video_id, w.version_id, w.viewer_key, ${viewer('w')} as viewer, w.completed_at, w.covered_ms, w.watch_ms,
        w.first_at, w.last_at from ${rowsOf(sql`viewer_videos`, 'w', isDisclosed)}) f
      where exists (select from viewings v where v.video_id = f.video_id and v.viewer = f.viewer)),
    standing as (select video_id, viewer, bool_or(completed_at is not null) as is_finished from stand group by 1, 2),
    known as (select video_id, count(*) as known, count(*) filter (where is_finished) as finished from standing group by 1),
    completing as (select w.video_id, ${viewer('w')} as viewer, min(w.completed_at) as at
      from ${rowsOf(sql`viewer_videos`, 'w', completed)} group by 1, 2),
    completions as (select video_id, count(*) as completed from completing group by 1),
    completions_by_day as (select ${dayIn(scope, sql`at`)}::text as day, count(*) as n from completing group by 1),
    watched as (select video_id, count(*) as viewings, count(*) filter (where is_forgotten) as forgotten from viewings group by 1),
    per_video as (select video_id, coalesce(viewings, 0) as viewings, coalesce(forgotten, 0) as forgotten, coalesce(known, 0) as known,
        coalesce(finished, 0) as finished, coalesce(completed, 0) as completed
      from watched full join completions using (video_id) left join known using (video_id)),
    per_version as (select w.version_id, w.video_id, n.duration_ms, count(*) as n, sum(least(w.covered_ms, n.duration_ms)) as seen_ms,
        sum(w.covered_ms) as covered_ms, sum(w.watch_ms) as watch_ms
      from stand w join video_versions n on n.id = w.version_id
      where exists (select from visits v where v.video_id = w.video_id and v.viewer_key = w.viewer_key
        and v.day between ${dayIn(scope, sql`w.first_at`)} and ${dayIn(scope, sql`w.last_at`)}) group by 1, 2, 3),
    people as (select count(*) as n from (select distinct viewer from viewings) p)`
}

/** Over `per_version`. */
const soFar = sql`sum(seen_ms::float8 / nullif(duration_ms, 0)) / nullif(sum(n) filter (where duration_ms > 0), 0)::float8 as covered,
  case when sum(watch_ms) > 0 then greatest(0, 1 - sum(covered_ms)::float8 / sum(watch_ms)::float8) end as rewatched`

const Sums = z.object({
  counts: z.object({ viewings: z.number(), completed: z.number(), videos: z.number(), viewers: z.number() }),
  measures: z.object({
    finished: z.nullable(z.number()),
    covered: z.nullable(z.number()),
    rewatched: z.nullable(z.number()),
  }),
  forgotten: z.number(),
  isDisclosed: z.boolean(),
})
type Sums = z.infer<typeof Sums>

async function sumsOf(tx: Tx, scope: ReportScope) {
  const { found, asOf } = await readOrCached(tx, scope, engagement)
  const sums = await row(
    tx,
    Sums,
    sql`with ${tables(found)}
      select json_build_object('videos', count(*) filter (where viewings > 0), 'viewings', coalesce(sum(viewings), 0),
          'viewers', (select n from people), 'completed', coalesce(sum(completed), 0)) as counts,
        (select json_build_object('covered', covered, 'rewatched', rewatched, 'finished',
            (select sum(finished)::float8 / nullif(sum(known), 0)::float8 from per_video)) from (select ${soFar} from per_version) s) as measures,
        coalesce(sum(forgotten), 0)::int as forgotten, ${toldOf(scope)} as "isDisclosed" from per_video`,
  )
  if (!sums) throw new Error('an aggregate gives one row')
  return { ...sums, completions: found.completions, asOf }
}

export async function userEngagement(
  tx: Tx,
  scope: ReportScope,
): Promise<Reply<typeof reportUserEngagement>> {
  const [now, before] = await compared(scope, (one) => together(sumsOf(tx, one), watchedByDay(tx, one)))
  const [[sums, days], [former, formerDays]] = [now, before]
  const watched = { value: totalOf(days), before: totalOf(formerDays) }
  return {
    ...(await headOf(tx, scope, oldest(sums.asOf, former.asOf))),
    ...paired(sums.counts, former.counts),
    ...paired(sums.measures, former.measures),
    forgotten: sums.forgotten,
    watchedMs: sums.isDisclosed ? watched : untold,
    steps: sums.isDisclosed ? stepsOf(scope, days, formerDays) : [],
    series: { completed: stepsOf(scope, sums.completions, former.completions) },
  }
}

/** What nothing is known about comes behind the least. */
const keys = {
  title: { by: called(sql`r.title`), type: 'text' },
  viewers: { by: sql`r.viewers::float8`, type: 'float8' },
  covered: { by: sql`coalesce(r.covered, -1)::float8`, type: 'float8' },
  completed: { by: sql`r.completed::float8`, type: 'float8' },
  rewatched: { by: sql`coalesce(r.rewatched, -1)::float8`, type: 'float8' },
  watchedMs: { by: sql`coalesce(r.watched_ms, -1)::float8`, type: 'float8' },
} as const

type RowsQuery = Pick<ParsedQuery<typeof listVideoEngagement>, 'sort'>
export const FoundVideo = z.extend(VideoEngagement, Sorted.shape)
export type FoundVideo = z.infer<typeof FoundVideo>

export async function findVideos(
  tx: Tx,
  scope: ReportScope,
  query: RowsQuery & ListQuery,
): Promise<FoundVideo[]> {
  const { found: read } = await readOrCached(tx, scope, engagement)
  return listVideos(tx, { scope, query, read })
}

type Listing = { scope: ReportScope; query: RowsQuery & ListQuery; read: Engagement }

function listVideos(tx: Tx, { scope, query, read }: Listing): Promise<FoundVideo[]> {
  const order = orderFrom(query.sort, keys, sql`r.id`)
  return rows(
    tx,
    FoundVideo,
    sql`with ${tables(read)}, found as (
        select v.id, v.organization_id, o.name as organization_name, v.title, v.deleted_at, c.duration_ms, x.viewings::int as viewers,
          m.covered, m.rewatched, x.completed::int as completed,
          case when ${shows(scope, sql`v.organization_id`)} then coalesce(w.ms, 0) end as watched_ms
        from per_video x
        join videos v on v.id = x.video_id
        join organizations o on o.id = v.organization_id
        left join video_versions c on c.id = v.current_version_id
        left join (select video_id, ${soFar} from per_version group by 1) m on m.video_id = v.id
        left join (select w.video_id, sum(w.watch_ms)::float8 as ms from ${watching(scope)} group by 1) w on w.video_id = v.id
        where x.viewings > 0 or x.completed > 0)
      select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.title, r.deleted_at is null as exists,
        r.duration_ms as "durationMs", r.viewers, r.covered, r.completed, r.rewatched, r.watched_ms as "watchedMs", ${keyOf(order)} as key
      from found r where ${all([query.after !== undefined && behind(order, query.after)])}
      order by ${orderBy(order)} ${slice(query)}`,
  )
}

type ListRequest = {
  scope: ReportScope
  query: ParsedQuery<typeof listVideoEngagement>
  request: FastifyRequest
}

export async function engagingVideos(tx: Tx, { scope, query, request }: ListRequest) {
  const { found: read } = await readOrCached(tx, scope, engagement)
  const total = read.videos.filter(({ viewings, completed }) => viewings > 0 || completed > 0).length
  const found = await listVideos(tx, { scope, query, read })
  return pageOf({ request, query, total: { n: total, counted: true }, found })
}
