import type { AudienceVersion } from '#contract/audience/audience.ts'
import { rows, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { Heat } from '../tracking/curves.ts'
import type { AudienceScope } from './scope.ts'

/** What the aggregation has added up, for all time or since the first day of the period. */
export function heatOf(tx: Tx, { video, since }: AudienceScope, version: AudienceVersion): Promise<Heat[]> {
  const mine = sql`version_id = ${version.id} and organization_id = ${video.organizationId}`
  if (since === null)
    return rows(
      tx,
      Heat,
      sql`select sec, viewers_delta as "coveredDelta", passes_delta as "passesDelta", seek_in as "seekIn", seek_out as "seekOut",
          pauses, exits
        from video_heat where ${mine} order by sec`,
    )
  return rows(
    tx,
    Heat,
    sql`select sec, sum(sessions_delta)::int as "coveredDelta", sum(passes_delta)::int as "passesDelta", sum(seek_in)::int as "seekIn",
        sum(seek_out)::int as "seekOut", sum(pauses)::int as pauses, sum(exits)::int as exits
      from video_heat_days where ${mine} and day >= ${since} group by sec order by sec`,
  )
}
