import type { AudienceFigures, AudienceVersion } from '#contract/audience.ts'
import { row, type Tx } from '#server/db/client.ts'
import { sql } from '#server/db/drizzle.ts'
import { has, sittings, type Ground } from './ground.ts'
import { secondsOf } from './curves.ts'

export const noFigures: AudienceFigures = {
  impressions: 0,
  plays: 0,
  playRate: null,
  viewerPlayRate: null,
  viewers: 0,
  named: 0,
  watchMs: 0,
  attentionMs: 0,
  engagement: null,
  intensity: null,
  completed: 0,
  quartiles: [0, 0, 0, 0],
}

/** The instants (ms) whose covering counts for the quartiles; the last one is the last that the curve looks at. */
export function quartileInstants(durationMs: number): [number, number, number, number] {
  const at = (share: number) => Math.floor(durationMs * share)
  const last = (secondsOf(durationMs) - 1) * 1_000 + 500
  return [at(0.25), at(0.5), at(0.75), Math.min(last, durationMs - 1)]
}

/** Every figure by its definition in the glossary, from the sessions themselves. */
export async function figuresOf(tx: Tx, ground: Ground, version: AudienceVersion): Promise<AudienceFigures> {
  const { durationMs } = version
  const [first, second, third, last] = quartileInstants(durationMs).map(
    (at) => sql`count(*) filter (where played and coverage @> ${at}::int)::int`,
  )
  const found = await row<AudienceFigures>(
    tx,
    sql`with s as materialized (
        select p.viewer_key, p.user_id, p.watch_ms, p.wall_ms, p.coverage, ${has('impressed')} as seen, ${has('played')} as played,
          (select coalesce(sum(upper(r) - lower(r)), 0) from unnest(p.coverage) r) as covered_ms
        from play_sessions p where ${sittings(ground, version)})
      select count(*) filter (where seen)::int as impressions,
        count(*) filter (where played)::int as plays,
        count(*) filter (where seen and played)::float8 / nullif(count(*) filter (where seen), 0) as "playRate",
        count(distinct viewer_key) filter (where seen and played)::float8
          / nullif(count(distinct viewer_key) filter (where seen), 0) as "viewerPlayRate",
        count(distinct viewer_key) filter (where played)::int as viewers,
        count(distinct viewer_key) filter (where played and user_id is not null)::int as named,
        coalesce(sum(watch_ms), 0)::float8 as "watchMs",
        coalesce(sum(wall_ms), 0)::float8 as "attentionMs",
        (avg(least(1, covered_ms::float8 / ${durationMs}::int)) filter (where played))::float8 as engagement,
        (avg(watch_ms::float8 / ${durationMs}::int) filter (where played))::float8 as intensity,
        (select count(*)::int from viewer_videos w where w.version_id = ${version.id}
          and w.organization_id = ${ground.video.organizationId} and w.completed_at is not null
          and w.viewer_key in (select viewer_key from s where played)) as completed,
        json_build_array(${first}, ${second}, ${third}, ${last}) as quartiles
      from s`,
  )
  return found ?? noFigures
}
