import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { EvidenceVideo, type listEvidence } from '#contract/evidence.ts'
import { sessionFlags } from '#contract/track-limits.ts'
import { arrayOf, rows, together, type Tx } from '#server/platform/db/client.ts'
import { idsOf } from '#server/platform/db/rows.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { isoText } from '#server/platform/db/search.ts'
import { never } from '#server/platform/http/keyset.ts'
import { readList } from '#server/platform/http/list.ts'
import { failedOf } from '#server/quizzes/failing.ts'
import { recordOf, servedRecordStates } from '#server/tracking/served-run.ts'
import { lengthOf } from '../../tracking/credit.ts'
import { within } from '../../tracking/ranges.ts'
import { stateOfAll, type Sources } from '../../tracking/sources.ts'
import { isDiscreet, type Subject } from './subject.ts'

type ListRequest = {
  organizationId: string
  subject: Subject
  query: ParsedQuery<typeof listEvidence>
  request: FastifyRequest
}

/**
 * Videos that were sent to the person, that they watched, or of which parts were handed out to them. Where only completions are
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

const Listed = z.object({ id: z.string() })
type Listed = z.infer<typeof Listed>

export async function findVideos(tx: Tx, asked: ListRequest) {
  const { query, request } = asked
  const discreet = await isDiscreet(tx, asked.organizationId)
  const page = await readList(tx, {
    query,
    request,
    Row: Listed,
    columns: sql`e.video_id as id`,
    from: sql`${videosOf(asked, discreet)} e`,
    where: sql`true`,
    order: { by: sql`e.at`, id: sql`e.video_id`, type: 'timestamptz', descending: true },
  })
  const known = new Map<string, EvidenceVideo>()
  for (const item of await describe(tx, asked, page.items))
    known.set(item.video.id, discreet ? onlyCompletion(item) : item)
  return { ...page, items: page.items.flatMap(({ id }) => known.get(id) ?? []) }
}

function onlyCompletion({ video, completedAt }: EvidenceVideo): EvidenceVideo {
  const day = completedAt === null ? null : `${completedAt.slice(0, 10)}T00:00:00.000Z`
  const untold = { durationMs: null, coverage: [], share: 0, state: null, lastAt: null, failed: null }
  return { video, completedAt: day, ...untold }
}

const VideoRow = z.extend(
  z.pick(EvidenceVideo, { video: true, durationMs: true, completedAt: true, failed: true }),
  { coverage: z.nullable(z.string()) },
)
type VideoRow = z.infer<typeof VideoRow>

/** Of several versions the one that was last watched; completed is a video in whichever of them. */
async function describe(tx: Tx, asked: ListRequest, listed: readonly Listed[]): Promise<EvidenceVideo[]> {
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

const SourceRow = z.object({
  record: z.enum(servedRecordStates),
  isOpened: z.boolean(),
  videoId: z.string(),
  coverage: z.nullable(z.string()),
  served: z.nullable(z.string()),
  flags: z.number(),
  /** Epoch milliseconds at which the server last heard of it. */
  lastAt: z.number(),
})
type SourceRow = z.infer<typeof SourceRow>
type KnownSources = Sources & Pick<SourceRow, 'videoId' | 'lastAt'>

async function readSources(
  tx: Tx,
  { organizationId, subject }: ListRequest,
  videoIds: SQL,
): Promise<Map<string, KnownSources[]>> {
  const own = sql`organization_id = ${organizationId} and video_id = any(${videoIds})
    and viewer_key = any(${arrayOf(subject.keys, 'text')})`
  const found = await rows(
    tx,
    SourceRow,
    sql`select coalesce(p.video_id, s.video_id) as "videoId", p.coverage::text as coverage, s.parts::text as served,
        coalesce(p.flags, 0) as flags, coalesce(p.impression_ms is not null or p.flags & ${sessionFlags.played} <> 0, false) as "isOpened",
        (extract(epoch from coalesce(p.last_at, s.last_at)) * 1000)::float8 as "lastAt",
        ${recordOf({ run: sql`p.run`, from: sql`p.started_at`, to: sql`p.last_at` })} as record
      from (select * from play_sessions where ${own}) p
      full join (select * from served_parts where ${own}) s on s.session_id = p.id`,
  )
  const sources = found.map((session) =>
    Object.assign(session, {
      isBot: (session.flags & sessionFlags.bot) !== 0,
      coverage: parseRanges(session.coverage ?? ''),
      served: session.served === null ? null : parseRanges(session.served),
    }),
  )
  return Map.groupBy(
    sources.filter(({ isBot }) => !isBot),
    ({ videoId }) => videoId,
  )
}
