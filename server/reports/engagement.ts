import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { listVideoEngagement, reportUserEngagement, VideoEngagement } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, countOf } from '../db/search.ts'
import { behind, orderBy, pageOf, slice, type Sorted } from '../http/keyset.ts'
import { kindOf, reachNow, type ReachKind } from '../plays/reach.ts'
import * as grounds from './ground.ts'
import { compared, during, headOf, ofVideos, owned, paired, persons, shows, utcDay } from './ground.ts'
import type { Ground } from './ground.ts'
import { keyText, orderFrom, type Cut } from './order.ts'
import { isWhole, reached } from './reach.ts'
import { totalOf, viewerDays, watchedByDay, watching } from './watching.ts'

/** Somebody known by name is one viewer, whichever link they came by. */
const viewer = (alias: string) => sql.raw(`coalesce(${alias}.user_id::text, ${alias}.viewer_key)`)

/**
 * `per_video` (viewings of the period; of these the forgotten ones, the known and the finished by now; and completions of the period),
 * `per_version` (viewers of the period who are known, and how far they have got by now), `people` (n: different viewers).
 */
async function tables(tx: Tx, ground: Ground): Promise<SQL> {
  return isWhole(ground) ? fromSums(ground, await reachNow(tx, ground.organization?.id)) : fromDays(ground)
}

function fromSums(ground: Ground, reach: SQL): SQL {
  const isTold = shows(ground, sql`r.organization_id`)
  const sum = (column: string, where: SQL) =>
    sql`coalesce(sum(r.${sql.raw(column)}) filter (where ${where}), 0)`
  const kind = (name: ReachKind) => sql`r.kind = ${kindOf(name)}`
  return sql`summed as materialized (
      select r.kind, r.subject, sum(r.n) as n, sum(r.forgotten) as forgotten, ${sum('known', isTold)} as known, ${sum('finished', isTold)} as finished,
        ${sum('n', isTold)} as told, sum(r.seen_ms) as seen_ms, sum(r.covered_ms) as covered_ms, sum(r.watch_ms) as watch_ms
      from ${reached(ground, { reach, kinds: ['viewers', 'viewings', 'completed', 'versions'] })} group by 1, 2),
    per_video as (select r.subject as video_id, ${sum('n', kind('viewings'))} as viewings, ${sum('forgotten', kind('viewings'))} as forgotten,
        ${sum('known', kind('viewings'))} as known, ${sum('finished', kind('viewings'))} as finished, ${sum('n', kind('completed'))} as completed
      from summed r where ${kind('viewings')} or ${kind('completed')} group by 1),
    per_version as (select r.subject as version_id, v.video_id, v.duration_ms, r.n, r.seen_ms, r.covered_ms, r.watch_ms
      from summed r join video_versions v on v.id = r.subject where ${kind('versions')} and r.told > 0),
    people as (select coalesce(sum(r.n), 0) as n from summed r where ${kind('viewers')})`
}

/** The same for some of the videos, or of the people. */
function fromDays(ground: Ground): SQL {
  const theirs = all([
    owned(ground, sql`w.organization_id`),
    ofVideos(ground.subjects, sql`w.video_id`),
    persons(ground, sql`w.user_id`),
  ])
  // Nothing is completed after the last visit, and these have an index.
  const lately = sql`w.last_at >= ${`${ground.span.from}T00:00:00Z`}::timestamptz`
  const isKnown = sql`${shows(ground, sql`w.organization_id`)} and w.plays > 0 and not (w.completed_at is not null and w.covered_ms = 0)`
  return sql`visits as materialized (
      select d.video_id, d.viewer_key, ${viewer('d')} as viewer, d.day from ${viewerDays(ground)} and d.plays > 0),
    viewings as materialized (select video_id, viewer, bool_or(viewer_key like 'gone:%') as is_forgotten from visits group by 1, 2),
    standing as materialized (select w.video_id, ${viewer('w')} as viewer, bool_or(w.completed_at is not null) as is_finished
      from viewer_videos w where ${theirs} and ${isKnown} group by 1, 2),
    completions as materialized (select w.video_id, ${viewer('w')} as viewer from viewer_videos w
      where ${theirs} and ${lately} and ${during(ground, sql`w.completed_at`)} group by 1, 2),
    per_video as (select video_id, sum(viewings) as viewings, sum(forgotten) as forgotten, sum(known) as known, sum(finished) as finished,
        sum(completed) as completed
      from (select v.video_id, count(*) as viewings, count(*) filter (where v.is_forgotten) as forgotten, count(s.viewer) as known,
          count(*) filter (where s.is_finished) as finished, 0 as completed
        from viewings v left join standing s on s.video_id = v.video_id and s.viewer = v.viewer group by 1
        union all select video_id, 0, 0, 0, 0, count(*) from completions group by 1) counted group by 1),
    per_version as (select w.version_id, w.video_id, n.duration_ms, count(*) as n, sum(least(w.covered_ms, n.duration_ms)) as seen_ms,
        sum(w.covered_ms) as covered_ms, sum(w.watch_ms) as watch_ms
      from viewer_videos w join video_versions n on n.id = w.version_id
      where ${theirs} and ${isKnown} and ${lately} and exists (select from visits v where v.video_id = w.video_id and v.viewer_key = w.viewer_key
        and v.day between ${utcDay(sql`w.first_at`)} and ${utcDay(sql`w.last_at`)}) group by 1, 2, 3),
    people as (select count(distinct viewer) as n from viewings)`
}

/** Over `per_version`. */
const soFar = sql`sum(seen_ms::float8 / nullif(duration_ms, 0)) / nullif(sum(n) filter (where duration_ms > 0), 0)::float8 as covered,
  case when sum(watch_ms) > 0 then greatest(0, 1 - sum(covered_ms)::float8 / sum(watch_ms)::float8) end as rewatched`

type Sums = {
  counts: Record<'videos' | 'viewings' | 'viewers' | 'completed', number>
  measures: Record<'covered' | 'rewatched' | 'finished', number | null>
  forgotten: number
  told: boolean
}

async function sumsOf(tx: Tx, ground: Ground): Promise<Sums | undefined> {
  const sources = await tables(tx, ground)
  return row<Sums>(
    tx,
    sql`with ${sources}
      select json_build_object('videos', count(*) filter (where viewings > 0), 'viewings', coalesce(sum(viewings), 0),
          'viewers', (select n from people), 'completed', coalesce(sum(completed), 0)) as counts,
        (select json_build_object('covered', covered, 'rewatched', rewatched, 'finished',
            (select sum(finished)::float8 / nullif(sum(known), 0)::float8 from per_video)) from (select ${soFar} from per_version) s) as measures,
        coalesce(sum(forgotten), 0)::int as forgotten, ${grounds.toldOf(ground)} as told from per_video`,
  )
}

export async function userEngagement(tx: Tx, ground: Ground): Promise<Reply<typeof reportUserEngagement>> {
  const [now, before] = await compared(ground, (one) => together(sumsOf(tx, one), watchedByDay(tx, one)))
  const [[sums, days], [former, formerDays]] = [now, before]
  if (!sums || !former) throw new Error('an aggregate gives one row')
  const watched = { value: totalOf(days), before: totalOf(formerDays) }
  return {
    ...(await headOf(tx, ground)),
    ...paired(sums.counts, former.counts),
    ...paired(sums.measures, former.measures),
    forgotten: sums.forgotten,
    watchedMs: sums.told ? watched : grounds.untold,
    steps: sums.told ? grounds.stepsOf(ground, days, formerDays) : [],
  }
}

/** What nothing is known about comes behind the least. */
const keys = {
  title: { by: sql`lower(r.title)`, type: 'text' },
  viewers: { by: sql`r.viewers::float8`, type: 'float8' },
  covered: { by: sql`coalesce(r.covered, -1)::float8`, type: 'float8' },
  completed: { by: sql`r.completed::float8`, type: 'float8' },
  rewatched: { by: sql`coalesce(r.rewatched, -1)::float8`, type: 'float8' },
  watchedMs: { by: sql`coalesce(r.watched_ms, -1)::float8`, type: 'float8' },
} as const

type ListQuery = Pick<ParsedQuery<typeof listVideoEngagement>, 'sort'>
export type FoundVideo = VideoEngagement & Sorted

export async function findVideos(tx: Tx, ground: Ground, query: ListQuery & Cut): Promise<FoundVideo[]> {
  const order = orderFrom(keys, query.sort)
  const sources = await tables(tx, ground)
  return rows<FoundVideo>(
    tx,
    sql`with ${sources}, found as (
        select v.id, v.organization_id, o.name as organization_name, v.title, v.deleted_at, c.duration_ms, x.viewings::int as viewers,
          m.covered, m.rewatched, x.completed::int as completed,
          case when ${shows(ground, sql`v.organization_id`)} then coalesce(w.ms, 0) end as watched_ms
        from per_video x
        join videos v on v.id = x.video_id
        join organizations o on o.id = v.organization_id
        left join video_versions c on c.id = v.current_version_id
        left join (select video_id, ${soFar} from per_version group by 1) m on m.video_id = v.id
        left join (select w.video_id, sum(w.watch_ms)::float8 as ms from ${watching(ground)} group by 1) w on w.video_id = v.id
        where x.viewings > 0 or x.completed > 0)
      select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.title, r.deleted_at is null as exists,
        r.duration_ms as "durationMs", r.viewers, r.covered, r.completed, r.rewatched, r.watched_ms as "watchedMs", ${keyText(order)} as key
      from found r where ${all([query.after !== undefined && behind(order, query.after)])}
      order by ${orderBy(order)} ${slice(query)}`,
  )
}

type Asked = { ground: Ground; query: ParsedQuery<typeof listVideoEngagement>; request: FastifyRequest }

export async function engagingVideos(tx: Tx, { ground, query, request }: Asked) {
  const sources = await tables(tx, ground)
  const [total, found] = await together(
    row<{ n: number }>(
      tx,
      sql`with ${sources} select ${countOf(sql`per_video where viewings > 0 or completed > 0`)} as n`,
    ),
    findVideos(tx, ground, query),
  )
  const toItem = (video: FoundVideo): VideoEngagement => video
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
