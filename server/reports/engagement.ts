import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { listVideoEngagement, reportUserEngagement, VideoEngagement } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, countOf } from '../db/search.ts'
import { behind, orderBy, pageOf, slice, type Sorted } from '../http/keyset.ts'
import * as grounds from './ground.ts'
import { compared, during, headOf, ofVideos, owned, paired, persons, shows, type Ground } from './ground.ts'
import { keyText, orderFrom, type Cut } from './order.ts'
import { addDays } from './span.ts'
import { totalOf, viewerDays, watchedByDay, watching } from './watching.ts'

/** Somebody known by name is one viewer, whichever link they came by. */
const viewer = (alias: string) => sql.raw(`coalesce(${alias}.user_id::text, ${alias}.viewer_key)`)

/**
 * `visits`: who played which video in the period. `measured`: how these viewers and versions stand by now, as far as their parts are
 * still known and may be shown. `completions`: which videos were completed in the period, by whom; these are never forgotten.
 */
function tables(ground: Ground): SQL {
  const completed = all([
    owned(ground, sql`w.organization_id`),
    // Nothing is completed after the last visit, and these have an index.
    sql`w.last_at >= ${`${ground.span.from}T00:00:00Z`}::timestamptz`,
    during(ground, sql`w.completed_at`),
    ofVideos(ground.subjects, sql`w.video_id`),
    persons(ground, sql`w.user_id`),
  ])
  const isKnown = sql`${shows(ground, sql`w.organization_id`)} and w.plays > 0 and not (w.completed_at is not null and w.covered_ms = 0)`
  return sql`visits as materialized (
      select d.video_id, d.viewer_key, ${viewer('d')} as viewer from ${viewerDays(ground)} and d.plays > 0 group by 1, 2, 3
    ), viewings as materialized (select video_id, viewer from visits group by 1, 2),
    measured as materialized (
      select v.video_id, v.viewer, w.completed_at, w.covered_ms, w.watch_ms, least(1, w.covered_ms::float8 / nullif(n.duration_ms, 0)) as share
      from visits v join viewer_videos w on w.video_id = v.video_id and w.viewer_key = v.viewer_key
      join video_versions n on n.id = w.version_id
      where ${isKnown} and ${owned(ground, sql`w.organization_id`)} and ${there(ground)}
    ), completions as materialized (
      select w.video_id, ${viewer('w')} as viewer from viewer_videos w where ${completed} group by 1, 2)`
}

/** A version that somebody saw before or after the period only is not what they saw in it. */
function there({ span }: Ground): SQL {
  return sql`w.last_at >= ${`${span.from}T00:00:00Z`}::timestamptz
    and w.first_at < ${`${addDays(span.to, 1)}T00:00:00Z`}::timestamptz`
}

/** Over `measured`. */
const soFar = sql`avg(share) as covered,
  case when sum(watch_ms) > 0 then greatest(0, 1 - sum(covered_ms)::float8 / sum(watch_ms)) end as rewatched`

type Sums = {
  counts: Record<'videos' | 'viewings' | 'viewers' | 'completed', number>
  measures: Record<'covered' | 'rewatched' | 'finished', number | null>
  forgotten: number
  told: boolean
}

function sumsOf(tx: Tx, ground: Ground): Promise<Sums | undefined> {
  return row<Sums>(
    tx,
    sql`with ${tables(ground)}
      select json_build_object('videos', (select count(*) from (select from viewings group by video_id) v),
          'viewings', (select count(*) from viewings), 'viewers', (select count(*) from (select from viewings group by viewer) v),
          'completed', (select count(*) from completions)) as counts,
        (select json_build_object('covered', covered, 'rewatched', rewatched, 'finished', finished) from (select ${soFar},
          (select avg(done) from (select max((completed_at is not null)::int) as done from measured group by video_id, viewer) m)::float8 as finished
          from measured) s) as measures,
        (select count(*)::int from visits where viewer_key like 'gone:%') as forgotten, ${grounds.toldOf(ground)} as told`,
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

export function findVideos(tx: Tx, ground: Ground, query: ListQuery & Cut): Promise<FoundVideo[]> {
  const order = orderFrom(keys, query.sort)
  return rows<FoundVideo>(
    tx,
    sql`with ${tables(ground)}, found as (
        select v.id, v.organization_id, o.name as organization_name, v.title, v.deleted_at, c.duration_ms, coalesce(s.viewers, 0) as viewers,
          m.covered, m.rewatched, coalesce(e.completed, 0) as completed,
          case when ${shows(ground, sql`v.organization_id`)} then coalesce(w.ms, 0) end as watched_ms
        from (select video_id from viewings union select video_id from completions) x
        join videos v on v.id = x.video_id
        join organizations o on o.id = v.organization_id
        left join video_versions c on c.id = v.current_version_id
        left join (select video_id, count(*)::int as viewers from viewings group by 1) s on s.video_id = v.id
        left join (select video_id, ${soFar} from measured group by 1) m on m.video_id = v.id
        left join (select video_id, count(*)::int as completed from completions group by 1) e on e.video_id = v.id
        left join (select w.video_id, sum(w.watch_ms)::float8 as ms from ${watching(ground)} group by 1) w on w.video_id = v.id)
      select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.title, r.deleted_at is null as exists,
        r.duration_ms as "durationMs", r.viewers, r.covered, r.completed, r.rewatched, r.watched_ms as "watchedMs", ${keyText(order)} as key
      from found r where ${all([query.after !== undefined && behind(order, query.after)])}
      order by ${orderBy(order)} ${slice(query)}`,
  )
}

type Asked = { ground: Ground; query: ParsedQuery<typeof listVideoEngagement>; request: FastifyRequest }

export async function engagingVideos(tx: Tx, { ground, query, request }: Asked) {
  const [total, found] = await together(
    row<{ n: number }>(
      tx,
      sql`with ${tables(ground)} select ${countOf(sql`(select video_id from viewings union select video_id from completions) videos`)} as n`,
    ),
    findVideos(tx, ground, query),
  )
  const toItem = (video: FoundVideo): VideoEngagement => video
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
