import * as z from 'zod/mini'
import { relativeLeast, type AudienceVersion, type RelativeRetention } from '#contract/audience/audience.ts'
import { rows, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import type { AudienceVideo } from './scope.ts'

const VideoRetention = z.object({ id: z.string(), mean: z.number() })
type VideoRetention = z.infer<typeof VideoRetention>

/**
 * Mean of the retention curve over its seconds, of this version and of what else plays in the organization, is half to one and a
 * half times as long and has been played by enough viewers.
 */
function heldOf(
  tx: Tx,
  video: AudienceVideo,
  { id, durationMs }: AudienceVersion,
): Promise<VideoRetention[]> {
  return rows(
    tx,
    VideoRetention,
    sql`with similar_ones as (
        select n.id, greatest(1, ceil((n.duration_ms - 500) / 1000.0))::int as seconds
        from video_versions n join videos v on v.id = n.video_id
        where n.organization_id = ${video.organizationId} and v.deleted_at is null
          and (n.id = ${id} or (n.id = v.current_version_id and v.id <> ${video.id}
            and n.duration_ms between ${durationMs * 0.5}::float8 and ${durationMs * 1.5}::float8))),
      known as (
        select s.id, s.seconds, sum(a.viewers) as viewers from similar_ones s join audience_days a on a.version_id = s.id
        where a.organization_id = ${video.organizationId}
        group by 1, 2 having sum(a.viewers) >= ${video.smallestGroup}::int)
      select k.id, coalesce(sum(h.viewers_delta * greatest(0, k.seconds - h.sec)), 0)::float8 / (k.seconds * k.viewers)::float8 as mean
      from known k left join video_heat h on h.version_id = k.id and h.organization_id = ${video.organizationId}
      group by k.id, k.seconds, k.viewers`,
  )
}

export async function relativeOf(
  tx: Tx,
  video: AudienceVideo,
  version: AudienceVersion,
): Promise<RelativeRetention | null> {
  const held = await heldOf(tx, video, version)
  const own = held.find(({ id }) => id === version.id)
  if (!own) return null
  const others = held.filter(({ id }) => id !== version.id)
  return { videos: others.length, percentile: percentileOf(own.mean, others) }
}

function percentileOf(mean: number, others: readonly VideoRetention[]): number | null {
  if (others.length < relativeLeast) return null
  const below = others.filter((other) => other.mean < mean).length
  const equal = others.filter((other) => other.mean === mean).length
  return (below + equal / 2) / others.length
}
