import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { listVideoEngagement, reportUserEngagement, VideoEngagement } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, countOf } from '../db/search.ts'
import { behind, orderBy, pageOf, slice } from '../http/keyset.ts'
import { owned, seen, shows, since, sittings, stepOf, stepsOf, toldOf, type Ground } from './ground.ts'
import { keyText, orderFrom } from './order.ts'

/** Viewers of versions who were there in the period: what they have covered, completed and repeated so far. */
function viewings(ground: Ground): SQL {
  const where = all([
    owned(ground, sql`w.organization_id`),
    since(ground, sql`w.last_at`),
    sql`w.plays > 0`,
    seen(ground, sql`w.user_id`),
  ])
  // Where the parts are deleted already, or may not be shown, nothing is known about the share.
  const known = sql`${shows(ground, sql`w.organization_id`)} and not (w.completed_at is not null and w.covered_ms = 0)`
  const ifKnown = (value: SQL) => sql`case when ${known} then ${value} end`
  return sql`select w.video_id, coalesce(w.user_id::text, w.viewer_key) as viewer, w.completed_at,
      ${ifKnown(sql`w.covered_ms`)} as covered_ms, ${ifKnown(sql`w.watch_ms`)} as watch_ms,
      ${ifKnown(sql`least(1, w.covered_ms::float8 / nullif(n.duration_ms, 0))`)} as share
    from viewer_videos w join video_versions n on n.id = w.version_id where ${where}`
}

/** One viewer of two versions is one viewer, and each version has a share of its own. */
const measured = sql`count(distinct viewer)::int as viewers, avg(share) as covered,
  count(distinct (video_id, viewer)) filter (where completed_at is not null)::int as completed,
  case when sum(watch_ms) > 0 then greatest(0, 1 - sum(covered_ms)::float8 / sum(watch_ms)) end as rewatched`

function played(ground: Ground): SQL {
  const where = all([sittings(ground), seen(ground, sql`p.user_id`), shows(ground, sql`p.organization_id`)])
  return sql`from play_sessions p where ${where}`
}

type Sums = Omit<Reply<typeof reportUserEngagement>, 'organization' | 'steps' | 'watchedMs'> & {
  told: boolean
}

export async function userEngagement(tx: Tx, ground: Ground): Promise<Reply<typeof reportUserEngagement>> {
  const [sums, steps] = await together(
    row<Sums>(
      tx,
      sql`select ${toldOf(ground)} as told, count(distinct video_id)::int as videos,
        count(distinct (video_id, viewer))::int as viewings, ${measured} from (${viewings(ground)}) viewings`,
    ),
    rows<{ day: string; n: number }>(
      tx,
      sql`select ${stepOf(ground, sql`p.started_at`)}::text as day, sum(p.watch_ms)::float8 as n ${played(ground)} group by 1`,
    ),
  )
  const none = {
    videos: 0,
    viewings: 0,
    viewers: 0,
    covered: null,
    completed: 0,
    rewatched: null,
    told: true,
  }
  const { told, ...counted } = sums ?? none
  return {
    organization: ground.organization,
    ...counted,
    watchedMs: told ? steps.reduce((sum, { n }) => sum + n, 0) : null,
    steps: told ? stepsOf(ground, steps, 'watchedMs') : [],
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

type Asked = { ground: Ground; query: ParsedQuery<typeof listVideoEngagement>; request: FastifyRequest }

export async function engagingVideos(tx: Tx, { ground, query, request }: Asked) {
  const order = orderFrom(keys, query.sort)
  const [total, found] = await together(
    row<{ n: number }>(
      tx,
      sql`select ${countOf(sql`(select distinct video_id from (${viewings(ground)}) viewings) videos`)} as n`,
    ),
    rows<VideoEngagement & { key: string }>(
      tx,
      sql`select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.title,
          r.deleted_at is null as exists, r.duration_ms as "durationMs", r.viewers, r.covered, r.completed, r.rewatched,
          r.watched_ms as "watchedMs", ${keyText(order)} as key
        from (select v.id, v.organization_id, o.name as organization_name, v.title, v.deleted_at, c.duration_ms, m.viewers,
            m.covered, m.completed, m.rewatched, case when ${shows(ground, sql`v.organization_id`)} then coalesce(w.ms, 0) end as watched_ms
          from (select video_id, ${measured} from (${viewings(ground)}) viewings group by video_id) m
          join videos v on v.id = m.video_id
          join organizations o on o.id = v.organization_id
          left join video_versions c on c.id = v.current_version_id
          left join (select p.video_id, sum(p.watch_ms)::float8 as ms ${played(ground)} group by p.video_id) w
            on w.video_id = m.video_id) r
        where ${all([query.after !== undefined && behind(order, query.after)])} order by ${orderBy(order)} ${slice(query)}`,
    ),
  )
  const toItem = (video: VideoEngagement) => video
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
