import type { TestServer } from '../server.ts'
import { addDelivery } from './viewing.ts'

/** The same second, so many days ago. */
export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
export const dayOf = (date: Date) => date.toISOString().slice(0, 10)

type Sending = { organizationId: string; videoId: string; versionId: string; userId: string; at: Date }

/** A message that was sent and taken by the mail server at that time. */
export async function addPastDelivery(server: TestServer, { at, ...facts }: Sending) {
  const made = await addDelivery(server, facts)
  await server.services.db.system.query(
    `with t as (update transmissions set created_at = $2 where id = $1)
      update deliveries set accepted_at = $2 where transmission_id = $1`,
    [made.transmissionId, at],
  )
  return made
}

type Watching = {
  organizationId: string
  videoId: string
  versionId: string
  userId: string
  at: Date
  /** Media milliseconds: what was covered, and what was played with repeats counted. */
  coveredMs: number
  watchMs: number
  completed?: boolean
  delivery?: { transmissionId: string; deliveryId: string }
}

/** What the aggregation leaves behind when somebody has watched a version for the first time. */
export async function addPastViewing({ services }: TestServer, watching: Watching): Promise<void> {
  const { organizationId, videoId, versionId, userId, at, coveredMs, watchMs, delivery } = watching
  const completedAt = watching.completed ? at : null
  const whose = [organizationId, videoId, versionId, userId, at, watchMs]
  await services.db.system.query(
    `insert into play_sessions (id, organization_id, video_id, version_id, user_id, viewer_key, started_at, last_at, watch_ms)
      values (uuidv7(), $1, $2, $3, $4::uuid, 'recipient:' || $4::uuid, $5, $5, $6)`,
    whose,
  )
  await services.db.system.query(
    `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, watch_ms, plays,
        covered_ms, completed_at) values ($1, $2, $3, $4::uuid, 'recipient:' || $4::uuid, $5, $5, $6, 1, $7, $8)`,
    [...whose, coveredMs, completedAt],
  )
  const onDay = [organizationId, videoId, dayOf(at), watchMs]
  await services.db.system.query(
    `insert into viewer_days as t (organization_id, video_id, day, watch_ms, viewer_key, user_id, sessions, plays)
      values ($1, $2, $3, $4, 'recipient:' || $5::uuid, $5::uuid, 1, 1)
      on conflict (organization_id, day, video_id, viewer_key) do update set sessions = t.sessions + 1, plays = t.plays + 1,
        watch_ms = t.watch_ms + excluded.watch_ms`,
    [...onDay, userId],
  )
  await services.db.system.query(
    `insert into day_rollups as t (organization_id, video_id, day, watch_ms, sessions, plays) values ($1, $2, $3, $4, 1, 1)
      on conflict (organization_id, day, video_id) do update set sessions = t.sessions + 1, plays = t.plays + 1,
        watch_ms = t.watch_ms + excluded.watch_ms`,
    onDay,
  )
  if (!delivery) return
  await services.db.system.query(
    `insert into delivery_viewing (transmission_id, delivery_id, organization_id, opened_at, first_play_at, last_at, covered_ms,
        watch_ms, completed_at) values ($1, $2, $3, $4, $4, $4, $5, $6, $7)`,
    [delivery.transmissionId, delivery.deliveryId, organizationId, at, coveredMs, watchMs, completedAt],
  )
}

/** The figures of a report without those of the period before. */
export function valuesOf(body: object): Record<string, unknown> {
  const entries = Object.entries(body as Record<string, unknown>)
  return Object.fromEntries(entries.map(([name, figure]) => [name, isFigure(figure) ? figure.value : figure]))
}

const isFigure = (value: unknown): value is { value: unknown } =>
  typeof value === 'object' && value !== null && 'value' in value
