import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { listVideoEngagement, reportUserEngagement, VideoEngagement } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, countOf } from '../db/search.ts'
import { behind, orderBy, pageOf, slice, type Sorted } from '../http/keyset.ts'
import { reachNow } from '../plays/reach.ts'
import { kindOf, type ReachKind } from '../plays/reach-worth.ts'
import * as grounds from './ground.ts'
import { compared, during, headOf, ofVideos, owned, paired, personSet, shows, utcDay } from './ground.ts'
import type { Ground } from './ground.ts'
import { keyText, orderFrom, type Cut } from './order.ts'
import { hasLongPast, reached } from './reach.ts'
import { totalOf, viewerDays, watchedByDay, watching } from './watching.ts'

/** Somebody known by name is one viewer, whichever link they came by. */
const viewer = (alias: string) => sql.raw(`coalesce(${alias}.user_id::text, ${alias}.viewer_key)`)

/**
 * `per_video` (viewings of the period; of these the forgotten ones, the known and the finished by now; and completions of the period),
 * `per_version` (viewers of the period who are known, and how far they have got by now), `people` (n: different viewers).
 */
async function tables(tx: Tx, ground: Ground): Promise<SQL> {
  const members = personSet(ground)
  if (members) return fromDays(ground, members)
  const [reach, longPast] = await together(reachNow(tx, ground.organization?.id), hasLongPast(tx, ground))
  return fromSums(ground, { reach, longPast })
}

/** How many different viewers the videos have together: those of one are its viewings, those of some have to be told apart. */
function viewersOf(ground: Ground): SQL {
  const { project, video } = ground.subjects
  if (video) return sql`select coalesce(sum(viewings), 0) as n from per_video`
  if (project)
    return sql`select count(distinct ${viewer('d')}) as n from ${viewerDays(ground)} and d.plays > 0`
  return sql`select coalesce(sum(r.n), 0) as n from summed r where r.kind = ${kindOf('viewers')}`
}

function fromSums(ground: Ground, { reach, longPast }: { reach: SQL; longPast: boolean }): SQL {
  const isTold = shows(ground, sql`r.organization_id`)
  const sum = (column: string, where: SQL) =>
    sql`coalesce(sum(r.${sql.raw(column)}) filter (where ${where}), 0)`
  const kind = (name: ReachKind) => sql`r.kind = ${kindOf(name)}`
  const videos = ofVideos(ground.subjects, sql`v.video_id`)
  const ofSubjects =
    videos &&
    sql`and r.subject in (select v.video_id from video_versions v where ${videos} union select v.id from video_versions v where ${videos})`
  const kinds: ReachKind[] = ['viewings', 'completed', 'versions']
  if (!videos) kinds.push('viewers')
  return sql`summed as materialized (
      select r.kind, r.subject, sum(r.n) as n, sum(r.forgotten) as forgotten, ${sum('known', isTold)} as known, ${sum('finished', isTold)} as finished,
        ${sum('n', isTold)} as told, sum(r.seen_ms) as seen_ms, sum(r.covered_ms) as covered_ms, sum(r.watch_ms) as watch_ms
      from ${reached(ground, { reach, kinds, longPast })} ${ofSubjects ?? sql``} group by 1, 2),
    per_video as (select r.subject as video_id, ${sum('n', kind('viewings'))} as viewings, ${sum('forgotten', kind('viewings'))} as forgotten,
        ${sum('known', kind('viewings'))} as known, ${sum('finished', kind('viewings'))} as finished, ${sum('n', kind('completed'))} as completed
      from summed r where ${kind('viewings')} or ${kind('completed')} group by 1),
    per_version as (select r.subject as version_id, v.video_id, v.duration_ms, r.n, r.seen_ms, r.covered_ms, r.watch_ms
      from summed r join video_versions v on v.id = r.subject where ${kind('versions')} and r.told > 0),
    people as (${viewersOf(ground)})`
}

/** The same for some of the people, from the days of each of them. */
function fromDays(ground: Ground, members: SQL): SQL {
  const ofThese = (column: SQL) => ofVideos(ground.subjects, column) ?? sql`true`
  const { video, transmission } = ground.subjects
  const theirs = all([owned(ground, sql`w.organization_id`), shows(ground, sql`w.organization_id`)])
  const isTheirs = all([
    sql`w.user_id = m.id`,
    owned(ground, sql`w.organization_id`),
    ofThese(sql`w.video_id`),
  ])
  const standing = sql`select w.video_id, w.version_id, w.viewer_key, w.user_id as viewer, w.completed_at, w.covered_ms, w.watch_ms,
      w.first_at, w.last_at, w.plays > 0 and not (w.completed_at is not null and w.covered_ms = 0) and ${theirs} as is_known from viewer_videos w`
  // Of one video, the completed have an index; of all others only those are asked who were there.
  const stood =
    video || transmission
      ? sql`select w.* from (select distinct viewer as id from visits) m cross join lateral (${standing} where ${isTheirs} offset 0) w
        union (${standing} where ${all([ofThese(sql`w.video_id`), sql`w.completed_at is not null`, during(ground, sql`w.completed_at`)])}
          and ${theirs} and ${grounds.among(sql`w.user_id`, sql`select id from members`)})`
      : sql`select w.* from members m cross join lateral (${standing} where ${isTheirs} offset 0) w`
  return sql`members as materialized (${members}),
    visits as materialized (select d.video_id, d.viewer_key, d.user_id as viewer, d.day from ${viewerDays(ground)} and d.plays > 0),
    stand as materialized (${stood}),
    viewings as materialized (select video_id, viewer, bool_or(viewer_key like 'gone:%') as is_forgotten from visits group by 1, 2),
    standing as materialized (select w.video_id, w.viewer, bool_or(w.completed_at is not null) as is_finished from stand w where w.is_known group by 1, 2),
    completions as materialized (select w.video_id, w.viewer from stand w where ${during(ground, sql`w.completed_at`)} group by 1, 2),
    per_video as (select video_id, sum(viewings) as viewings, sum(forgotten) as forgotten, sum(known) as known, sum(finished) as finished,
        sum(completed) as completed
      from (select v.video_id, count(*) as viewings, count(*) filter (where v.is_forgotten) as forgotten, count(s.viewer) as known,
          count(*) filter (where s.is_finished) as finished, 0 as completed
        from viewings v left join standing s on s.video_id = v.video_id and s.viewer = v.viewer group by 1
        union all select video_id, 0, 0, 0, 0, count(*) from completions group by 1) counted group by 1),
    per_version as (select w.version_id, w.video_id, n.duration_ms, count(*) as n, sum(least(w.covered_ms, n.duration_ms)) as seen_ms,
        sum(w.covered_ms) as covered_ms, sum(w.watch_ms) as watch_ms
      from (select distinct w.version_id, w.video_id, w.viewer_key, w.covered_ms, w.watch_ms from stand w
          join visits v on v.video_id = w.video_id and v.viewer_key = w.viewer_key
          where w.is_known and v.day between ${utcDay(sql`w.first_at`)} and ${utcDay(sql`w.last_at`)}) w
      join video_versions n on n.id = w.version_id group by 1, 2, 3),
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
  const [now, before] = await grounds.withoutLoops(tx, () =>
    compared(ground, (one) => together(sumsOf(tx, one), watchedByDay(tx, one))),
  )
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
  const [total, found] = await grounds.withoutLoops(tx, () =>
    together(
      row<{ n: number }>(
        tx,
        sql`with ${sources} select ${countOf(sql`per_video where viewings > 0 or completed > 0`)} as n`,
      ),
      findVideos(tx, ground, query),
    ),
  )
  const toItem = (video: FoundVideo): VideoEngagement => video
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
