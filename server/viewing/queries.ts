import type { Policies } from '#contract/organizations.ts'
import { finishedOf } from '#contract/quiz-faults.ts'
import type { QuizDraft } from '#contract/quizzes.ts'
import type { Database } from '#server/db/client.ts'
import type { PlayClaims } from '#server/plays/token.ts'
import { asksNothing } from '#server/plays/completion.ts'

/** What one address of the video page stands for. Without a delivery the link is not (or not any more) a personal one. */
export type Watchable = {
  videoId: string
  title: string
  state: 'uploading' | 'processing' | 'ready' | 'failed' | 'archived'
  privacy: 'public' | 'link' | 'organization' | 'private'
  organizationId: string
  organization: string
  /** As they are stored: what was added later may be missing. */
  policies: Pick<Policies, 'maxRate' | 'completionThreshold'> & Partial<Policies>
  /** Key and size of the organization's picture. */
  logo: { key: string; width: number; height: number } | null
  transmissionId: string | null
  deliveryId: string | null
  userId: string | null
  sender: string | null
  /** Why the personal link opens nothing any more; null: it does. */
  linkEnd: 'revoked' | 'stopped' | 'ended' | null
  linkRevokedReason: string | null
  /** By when this recipient is asked to have watched, and the time zone in which it is said. */
  dueAt: string | null
  timeZone: string
  versionId: string | null
  durationMs: number | null
  width: number | null
  height: number | null
  poster: string | null
  ready: boolean
  /** Where this recipient stopped; null for everybody else. */
  position: number | null
  /** They have watched some of it before. */
  watched: boolean
  /** Where the video asks something; null: it asks nothing. */
  quiz: { id: string; stops: { atMs: number | null; gate: boolean }[] } | null
}

const lookUp = {
  name: 'watchable',
  text: `select v.id as "videoId", v.title, v.state, v.privacy, o.id as "organizationId", o.name as organization, o.policies,
      case when l.key is not null then json_build_object('key', l.key, 'width', l.width, 'height', l.height) end as logo,
      t.id as "transmissionId", case when t.id is null then null else d.id end as "deliveryId",
      case when t.id is null then null else d.user_id end as "userId", t.sender_name as sender,
      case when t.id is null then null when d.link_revoked_at is not null then 'revoked'
        when u.id is null or u.deleted_at is not null or u.state in ('disabled', 'deleted') then 'stopped'
        when t.links_end_at <= now() then 'ended' end as "linkEnd", d.link_revoked_reason as "linkRevokedReason",
      to_char(t.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "dueAt", o.time_zone as "timeZone",
      r.id as "versionId", r.duration_ms as "durationMs", r.width, r.height, coalesce(r.poster_small, r.poster) as poster,
      r.ready_at is not null as ready, w.position, coalesce(w.plays > 0, false) as watched,
      case when q.id is not null then json_build_object('id', q.id, 'stops', (
        select coalesce(json_agg(json_build_object('atMs', i.at_ms, 'gate', i.gate) order by i.at_ms, i.position), '[]')
        from quiz_items i where i.version_id = q.current_version_id)) end as quiz
    from videos v
    join organizations o on o.id = v.organization_id and o.deleted_at is null and o.state = 'active'
    left join pictures l on l.key = o.logo
    left join deliveries d on d.link_hash = $2::bytea and d.organization_id = v.organization_id
    left join transmissions t on t.id = d.transmission_id and t.video_id = v.id
    left join users u on u.id = d.user_id and u.organization_id = d.organization_id
    left join video_versions r on r.id = coalesce(t.version_id, v.current_version_id) and r.video_id = v.id
    left join quizzes q on q.video_id = v.id and q.current_version_id is not null and not ${asksNothing}
    left join viewer_videos w on w.version_id = r.id and w.viewer_key = 'recipient:' || d.user_id and t.id is not null
    where v.id = $1 and v.deleted_at is null limit 1`,
}

/** What a trial of the draft asks, and where; null where nothing is finished. */
export async function findDraftStops(db: Database, { video, durMs }: PlayClaims): Promise<Watchable['quiz']> {
  const found = await db.system.query<{ id: string; draft: QuizDraft }>(
    'select id, draft from quizzes where video_id = $1',
    [video],
  )
  const [quiz] = found.rows
  const stops = quiz ? finishedOf(quiz.draft, durMs).map(({ atMs, gate }) => ({ atMs, gate })) : []
  return quiz && stops.length > 0 ? { id: quiz.id, stops } : null
}

/** By the id in the address and the SHA-256 of the personal secret, if there is one; public, so no tenant is known before. */
export async function findWatchable(
  db: Database,
  address: { videoId: string; linkHash: Buffer | null },
): Promise<Watchable | undefined> {
  const found = await db.system.query<Watchable>({ ...lookUp, values: [address.videoId, address.linkHash] })
  return found.rows[0]
}
