import { expect } from 'vitest'
import type { Span, TrackBatch, TrackEvent } from '#contract/tracking/tracks.ts'
import { randomToken, sha256 } from '../../platform/keys.ts'
import { readPlay, startPlay } from '../../tracking/ingest/token.ts'
import type { TestServer } from '../server.ts'

type VideoFacts = {
  organizationId: string
  title?: string
  state?: string
  privacy?: string
  durationMs?: number
  ready?: boolean
}

/** A video with one version, as processing leaves it. */
export async function addVideo({ services }: TestServer, facts: VideoFacts) {
  const {
    organizationId,
    title = 'Fire drill',
    state = 'ready',
    privacy = 'link',
    durationMs = 60_000,
  } = facts
  const made = await services.db.system.query<{ videoId: string; versionId: string }>(
    `with v as (insert into videos (organization_id, title, state, privacy) values ($1, $2, $3, $4) returning id),
      r as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, width, height, poster,
          poster_small, ready_at)
        select $1, id, 1, 'drill.mp4', 1000, $5, 1280, 720, 'poster.jpg', 'poster-640.jpg', case when $6 then now() end from v
        returning id, video_id)
    select r.video_id as "videoId", r.id as "versionId" from r`,
    [organizationId, title, state, privacy, durationMs, facts.ready ?? true],
  )
  const ids = made.rows[0] ?? { videoId: '', versionId: '' }
  await services.db.system.query('update videos set current_version_id = $2 where id = $1', [
    ids.videoId,
    ids.versionId,
  ])
  return ids
}

type DeliveryFacts = { organizationId: string; videoId: string; versionId: string; userId: string }

/** A message that has been sent, and the secret of its personal link. */
export async function addDelivery({ services }: TestServer, facts: DeliveryFacts) {
  const { organizationId, videoId, versionId, userId } = facts
  const secret = randomToken()
  const made = await services.db.system.query<{ transmissionId: string; deliveryId: string }>(
    `with t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name,
          audience) values ($1, 'completed', 'Please watch', 'Hello', $2, $3, $4, 'Ada Sender', '{}') returning id)
      insert into deliveries (transmission_id, organization_id, user_id, address, state, link_hash)
      select id, $1, $4, $4 || '@example.test', 'accepted', $5 from t
      returning transmission_id as "transmissionId", id as "deliveryId"`,
    [organizationId, videoId, versionId, userId, sha256(secret)],
  )
  return { ...(made.rows[0] ?? { transmissionId: '', deliveryId: '' }), secret }
}

/** Opens the video page; gives its status, its text and what it hands to its script. */
export async function openPage(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const answer = await server.app.inject({
    url: path,
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', ...headers },
  })
  const data = /<script type="application\/json" id="watch">(.*?)<\/script>/.exec(answer.body)?.[1]
  return {
    status: answer.statusCode,
    html: answer.body,
    headers: answer.headers,
    data: data === undefined ? undefined : (JSON.parse(data) as { playToken: string; hls: string }),
  }
}

/** A token of the same page, as if it had been opened so many milliseconds ago and no record were kept of what is handed out. */
export function openedAgo({ services: { keys } }: TestServer, playToken: string, ms: number): string {
  const claims = readPlay(keys, playToken)
  if (typeof claims === 'string') throw new Error(claims)
  const { session: _session, iat: _iat, exp: _exp, run: _run, viewerKey, ...facts } = claims
  const userId = /^(?:recipient|user):(.+)$/.exec(viewerKey)?.[1]
  return startPlay(keys, { ...facts, ...(userId === undefined ? {} : { userId }) }, Date.now() - ms).token
}

export type Report = {
  playToken: string
  batch?: number
  elapsedMs?: number
  spans?: Span[]
  events?: TrackEvent[]
  position?: number
}

export function batchOf(report: Report): TrackBatch {
  const { playToken, batch = 0, elapsedMs = 0, spans = [], events = [], position = 0 } = report
  return {
    version: 1,
    playToken,
    batch,
    elapsedMs,
    spans,
    events,
    state: { position, visible: true },
    ended: false,
  }
}

/** Sends a batch that must be taken. */
export async function report(server: TestServer, facts: Report): Promise<void> {
  const answer = await server.send('POST', '/api/tracks', { body: batchOf(facts) })
  expect(answer).toMatchObject({ status: 200 })
}
