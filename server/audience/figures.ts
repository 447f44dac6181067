import { AudienceFigures, type AudienceVersion } from '#contract/audience/audience.ts'
import { row, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { all } from '#server/platform/db/search.ts'
import type { AudienceScope } from './scope.ts'

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

/** Every figure by its definition in the glossary, from the sums that the aggregation keeps. */
export async function figuresOf(
  tx: Tx,
  scope: AudienceScope,
  version: AudienceVersion,
): Promise<AudienceFigures> {
  const { durationMs } = version
  const { video, since } = scope
  const mine = (day: 'day' | 'played_on') =>
    all([
      sql`version_id = ${version.id} and organization_id = ${video.organizationId}`,
      since !== null && sql`${sql.raw(day)} >= ${since}`,
    ])
  const sum = (column: string) => sql.raw(`coalesce(sum(${column}), 0)`)
  const share = (part: string, whole: string) =>
    sql.raw(`sum(${part})::float8 / nullif(sum(${whole}), 0)::float8`)
  const found = await row(
    tx,
    AudienceFigures,
    sql`select ${sum('impressions')}::int as impressions, ${sum('plays')}::int as plays,
        ${share('seen_plays', 'impressions')} as "playRate", ${share('seeing_viewers', 'seeing')} as "viewerPlayRate",
        ${sum('viewers')}::int as viewers, ${sum('named')}::int as named,
        ${sum('watch_ms')}::float8 as "watchMs", ${sum('wall_ms')}::float8 as "attentionMs",
        ${share('covered_ms', 'plays')} / ${durationMs}::int as engagement, ${share('watch_ms', 'plays')} / ${durationMs}::int as intensity,
        (select count(*)::int from viewer_videos where ${mine('played_on')} and completed_at is not null and played_on is not null) as completed,
        json_build_array(${sum('quarter')}, ${sum('half')}, ${sum('three_quarters')}, ${sum('whole')}) as quartiles
      from audience_days where ${mine('day')}`,
  )
  return found ?? noFigures
}
