import type { AudienceVersion } from '#contract/audience.ts'
import { rows, type Tx } from '#server/db/client.ts'
import { sql } from '#server/db/drizzle.ts'
import type { Heat } from './curves.ts'
import { has, sittings, type Ground } from './ground.ts'

/** What the fold has added up; only the counts of a period are looked up in the sessions that began in it. */
export function heatOf(tx: Tx, ground: Ground, version: AudienceVersion): Promise<Heat[]> {
  return ground.since === null ? heatOfAllTime(tx, ground, version) : heatOfPeriod(tx, ground, version)
}

function heatOfAllTime(tx: Tx, { video }: Ground, version: AudienceVersion): Promise<Heat[]> {
  return rows<Heat>(
    tx,
    sql`select sec, viewers_delta as "coveredDelta", passes_delta as "passesDelta", seek_in as "seekIn", seek_out as "seekOut",
        pauses, exits
      from video_heat where version_id = ${version.id} and organization_id = ${video.organizationId} order by sec`,
  )
}

function heatOfPeriod(tx: Tx, ground: Ground, version: AudienceVersion): Promise<Heat[]> {
  const ms = (key: 'from' | 'to') => sql.raw(`(e.data->>'${key}')::float8`)
  return rows<Heat>(
    tx,
    sql`with s as materialized (select p.id, p.position from play_sessions p where ${sittings(ground, version)} and ${has('played')}),
      jumps as (select e.type, e.position_ms, ${ms('to')} as to_ms, ${ms('from')} as from_ms
        from play_events e join s on s.id = e.session_id
        where e.organization_id = ${ground.video.organizationId} and e.type in ('seek', 'pause')),
      counts as (
        select sec, sessions_delta as covered, passes_delta as passes, 0 as ins, 0 as outs, 0 as pauses, 0 as exits
        from video_heat_days where version_id = ${version.id} and organization_id = ${ground.video.organizationId}
          and day >= ${ground.since}
        union all select floor(to_ms / 1000)::int, 0, 0, 1, 0, 0, 0 from jumps where type = 'seek' and to_ms is not null
        union all select floor(from_ms / 1000)::int, 0, 0, 0, 1, 0, 0 from jumps where type = 'seek' and from_ms is not null
        union all select position_ms / 1000, 0, 0, 0, 0, 1, 0 from jumps where type = 'pause'
        union all select position / 1000, 0, 0, 0, 0, 0, 1 from s)
      select sec, sum(covered)::int as "coveredDelta", sum(passes)::int as "passesDelta", sum(ins)::int as "seekIn",
        sum(outs)::int as "seekOut", sum(pauses)::int as pauses, sum(exits)::int as exits
      from counts where sec >= 0 group by sec order by sec`,
  )
}
