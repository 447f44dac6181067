import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { EvidenceVideo, type listEvidence } from '#contract/evidence/evidence.ts'
import { Failed } from '#contract/quizzes/failed.ts'
import { arrayOf, rows, together, type Tx } from '#server/platform/db/client.ts'
import { Id, idsOf } from '#server/platform/db/rows.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { isoText } from '#server/platform/db/search.ts'
import { privacyOf } from '#server/directory/organizations/privacy.ts'
import { never } from '#server/platform/http/lists/keyset.ts'
import { readList } from '#server/platform/http/lists/list.ts'
import { failedOf } from '#server/quizzes/failing.ts'
import { signsOfPerson, standingBy } from '#server/matrix/standing.ts'
import { lengthOf } from '../../tracking/credit.ts'
import { epochMs } from '../../tracking/lists.ts'
import { within } from '../../tracking/ranges.ts'
import {
  sourceColumns,
  SourceRow,
  sourcesOf,
  stateOfAll,
  type Sources,
} from '../../tracking/served/sources.ts'
import type { Subject } from './subject.ts'

type ListRequest = {
  organizationId: string
  subject: Subject
  query: ParsedQuery<typeof listEvidence>
  request: FastifyRequest
}

/**
 * Lists videos that were sent to the person, that they watched, or of which parts were handed out to them. Where only completions are
 * recorded, neither a sign of watching nor its order is told.
 */
function videosOf({ organizationId, subject }: ListRequest, discreet: boolean): SQL {
  const keys = arrayOf(subject.keys, 'text')
  if (discreet)
    return sql`(select video_id, ${never}::timestamptz as at from (
        select t.video_id from deliveries d join transmissions t on t.id = d.transmission_id
          where d.user_id = ${subject.id} and d.organization_id = ${organizationId}
        union all select w.video_id from viewer_videos w where w.user_id = ${subject.id}
          and w.organization_id = ${organizationId} and w.completed_at is not null) signs group by 1)`
  return sql`(select video_id, coalesce(max(last_at), ${never}::timestamptz) as at from (
      select t.video_id, null::timestamptz as last_at from deliveries d join transmissions t on t.id = d.transmission_id
        where d.user_id = ${subject.id} and d.organization_id = ${organizationId}
      union all select w.video_id, w.last_at from viewer_videos w
        where w.user_id = ${subject.id} and w.organization_id = ${organizationId}
      union all select s.video_id, s.last_at from served_parts s
        where s.viewer_key = any(${keys}) and s.organization_id = ${organizationId}) signs group by 1)`
}

export async function findVideos(tx: Tx, asked: ListRequest) {
  const { query, request } = asked
  const discreet = !(await privacyOf(tx, asked.organizationId)).showsPersons
  const page = await readList(tx, {
    query,
    request,
    Row: Id,
    columns: sql`e.video_id as id`,
    from: sql`${videosOf(asked, discreet)} e`,
    where: sql`true`,
    order: { by: sql`e.at`, id: sql`e.video_id`, type: 'timestamptz', descending: true },
  })
  const signs = await signsOfPerson(tx, {
    organizationId: asked.organizationId,
    userId: asked.subject.id,
    videoIds: page.items.map(({ id }) => id),
    shows: !discreet,
  })
  const known = new Map<string, EvidenceVideo>()
  for (const described of await describe(tx, asked, page.items)) {
    const { failed, ...item } = discreet ? onlyCompletion(described) : described
    const { video, completedAt, coverage } = item
    const watched = { completedAt, failed, hasWatched: coverage.length > 0 }
    known.set(video.id, { ...item, standing: standingBy(signs.get(video.id) ?? null, watched) })
  }
  return { ...page, items: page.items.flatMap(({ id }) => known.get(id) ?? []) }
}

type Described = Omit<EvidenceVideo, 'standing'> & { failed: Failed | null }

function onlyCompletion({ video, completedAt }: Described): Described {
  const day = completedAt === null ? null : `${completedAt.slice(0, 10)}T00:00:00.000Z`
  const untold = { durationMs: null, coverage: [], share: 0, state: null, lastAt: null, failed: null }
  return { video, completedAt: day, ...untold }
}

const VideoRow = z.extend(z.pick(EvidenceVideo, { video: true, durationMs: true, completedAt: true }), {
  failed: z.nullable(Failed),
  coverage: z.nullable(z.string()),
})

/** Describes videos. Among several versions it takes the one that was last watched; a video is completed in whichever of them. */
async function describe(tx: Tx, asked: ListRequest, listed: readonly { id: string }[]): Promise<Described[]> {
  const { organizationId, subject } = asked
  const ids = idsOf(listed)
  const [found, sources] = await together(
    rows(
      tx,
      VideoRow,
      sql`select json_build_object('id', v.id, 'title', v.title, 'exists', v.deleted_at is null) as video,
          w.duration_ms as "durationMs", w.coverage, ${isoText(sql`w.completed_at`)} as "completedAt",
          case when w.completed_at is null then
            ${failedOf(sql`a.organization_id = v.organization_id and a.user_id = ${subject.id} and a.video_id = v.id`)} end as failed
        from videos v
        left join lateral (select r.duration_ms, range_agg(x.coverage)::text as coverage,
            (select min(c.completed_at) from viewer_videos c where c.video_id = v.id and c.user_id = ${subject.id}) as completed_at
          from viewer_videos x join video_versions r on r.id = x.version_id
          where x.video_id = v.id and x.user_id = ${subject.id} group by r.id order by max(x.last_at) desc limit 1) w on true
        where v.organization_id = ${organizationId} and v.id = any(${ids})`,
    ),
    readSources(tx, asked, ids),
  )
  return found.map((item) => {
    const own = sources.get(item.video.id) ?? []
    const seen = within(parseRanges(item.coverage ?? ''), item.durationMs ?? 0)
    const last = Math.max(...own.map(({ lastAt }) => lastAt))
    return Object.assign(item, {
      coverage: seen,
      share: item.durationMs ? lengthOf(seen) / item.durationMs : 0,
      state: stateOfAll(own),
      lastAt: own.length === 0 ? null : new Date(last).toISOString(),
    })
  })
}

const WatchedRow = z.extend(SourceRow, {
  videoId: z.string(),
  /** The server last heard of it at this instant, in epoch milliseconds. */
  lastAt: z.number(),
})
type Watched = Sources & Pick<z.infer<typeof WatchedRow>, 'videoId' | 'lastAt'>

/** Reads what both sources know of the sessions of people, by their video. */
async function readSources(
  tx: Tx,
  { organizationId, subject }: ListRequest,
  videoIds: SQL,
): Promise<Map<string, Watched[]>> {
  const own = sql`organization_id = ${organizationId} and video_id = any(${videoIds})
    and viewer_key = any(${arrayOf(subject.keys, 'text')})`
  const found = await rows(
    tx,
    WatchedRow,
    sql`select coalesce(p.video_id, s.video_id) as "videoId", ${sourceColumns},
        ${sql.raw(epochMs('coalesce(p.last_at, s.last_at)'))} as "lastAt"
      from (select * from play_sessions where ${own}) p
      full join (select * from served_parts where ${own}) s on s.session_id = p.id`,
  )
  const sources = found.map((one) => Object.assign(one, sourcesOf(one, parseRanges(one.coverage))))
  return Map.groupBy(
    sources.filter(({ isBot }) => !isBot),
    ({ videoId }) => videoId,
  )
}
