import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { type AudiencePeriod, AudienceVersion, type readAudience } from '#contract/audience/audience.ts'
import { shownOf, StoredChapters, type ShownChapter } from '#contract/videos/shown-chapters.ts'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { requireRow, row, rows, type Tx } from '#server/platform/db/client.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { all, isoText } from '#server/platform/db/search.ts'
import { refuse } from '#server/platform/errors.ts'
import { showsPersons } from '#server/directory/organizations/privacy.ts'

export const AudienceVideo = z.object({
  id: z.string(),
  organizationId: z.string(),
  /** Figures about fewer viewers would be figures about persons. */
  smallestGroup: z.number(),
  /** Nothing about single persons may be told. */
  isDiscreet: z.boolean(),
})
export type AudienceVideo = z.infer<typeof AudienceVideo>

/** What a question about the viewing of a video stands on: one version of it, and since when. */
export type AudienceScope = {
  video: AudienceVideo
  versions: AudienceVersion[]
  version: AudienceVersion | null
  period: AudiencePeriod
  /** First day (UTC) of the period; null: all time. */
  since: string | null
}

function videoOf(tx: Tx, videoId: string): Promise<AudienceVideo> {
  return requireRow(
    tx,
    AudienceVideo,
    sql`select v.id, v.organization_id as "organizationId",
        coalesce((o.policies->>'smallestGroup')::int, ${defaultPolicies.smallestGroup}::int) as "smallestGroup",
        not ${showsPersons(sql`o.id`)} as "isDiscreet"
      from videos v join organizations o on o.id = v.organization_id
      where v.id = ${videoId} and v.deleted_at is null and o.deleted_at is null`,
  )
}

type PeriodQuery = Pick<ParsedQuery<typeof readAudience>, 'versionId' | 'period'>

/** Refuses a video that is not (or not any more) there, and a version that is not one of its own, with `not_found`. */
export async function scopeOf(
  tx: Tx,
  videoId: string,
  { versionId, period }: PeriodQuery,
): Promise<AudienceScope> {
  const video = await videoOf(tx, videoId)
  const versions = await rows(
    tx,
    AudienceVersion,
    sql`select n.id, n.number, n.duration_ms as "durationMs", ${isoText(sql`n.ready_at`)} as "readyAt",
        n.id = v.current_version_id as "isCurrent"
      from video_versions n join videos v on v.id = n.video_id
      where n.video_id = ${video.id} and n.organization_id = ${video.organizationId} and n.ready_at is not null
        and n.duration_ms > 0
      order by n.number desc`,
  )
  const wanted = versionId === undefined ? currentOf(versions) : versions.find(({ id }) => id === versionId)
  if (versionId !== undefined && !wanted) throw refuse('not_found')
  return { video, versions, version: wanted ?? null, period, since: firstDay(period, new Date()) }
}

const Kept = z.object({ chapters: StoredChapters })

/** Those of a version that viewers are shown. */
export async function chaptersIn(tx: Tx, version: AudienceVersion | null): Promise<ShownChapter[]> {
  if (!version) return []
  const kept = sql`select chapters from video_chapters where version_id = ${version.id}`
  return shownOf((await row(tx, Kept, kept))?.chapters ?? null)
}

function currentOf(versions: AudienceVersion[]): AudienceVersion | undefined {
  return versions.find(({ isCurrent }) => isCurrent) ?? versions[0]
}

const days = { '7d': 7, '30d': 30, '90d': 90 } as const

/** Today (UTC) is the last day of a period. */
export function firstDay(period: AudiencePeriod, now: Date): string | null {
  if (period === 'all') return null
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return new Date(Date.UTC(year, month, day - days[period] + 1)).toISOString().slice(0, 10)
}

const bit = (flag: keyof typeof sessionFlags) => sql.raw(`${sessionFlags[flag]}`)

export const has = (flag: keyof typeof sessionFlags) => sql`p.flags & ${bit(flag)} <> 0`
/** The planner takes an inequality for common and an equation for rare; here the common case is a person. */
export const ofPeople = sql`p.flags & ${bit('bot')} <> ${bit('bot')}`

/** Condition on `play_sessions p`: sessions of people, with this version, that began in the period. */
export function sittings({ video, since }: AudienceScope, version: AudienceVersion): SQL {
  return all([
    sql`p.video_id = ${video.id} and p.organization_id = ${video.organizationId} and p.version_id = ${version.id}`,
    ofPeople,
    since !== null && sql`p.started_at >= ${since}::timestamp at time zone 'UTC'`,
  ])
}
