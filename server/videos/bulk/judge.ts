import * as z from 'zod/mini'
import type { VideoAction } from '#contract/videos/record-bulk.ts'
import { rowReasons } from '#contract/operations.ts'
import { Video } from '#contract/videos/videos.ts'
import { rows } from '../../platform/db/client.ts'
import { tagLimits } from '#contract/videos/tags.ts'
import { hasTag } from '../tags.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { PendingRow, Work } from '../../operations/kinds.ts'
import { entityIds, sortOut } from '../../operations/rows.ts'

/** A project of the organization of `v` that is there. */
export function isProject(projectId: SQL | string): SQL {
  return sql`exists (select 1 from projects p where p.id = ${projectId}::uuid and p.organization_id = v.organization_id
    and p.deleted_at is null)`
}

/** Somebody is about to get it, or to decide whether they do. */
const isBeingSent = sql`exists (select 1 from transmissions t where t.video_id = v.id
  and t.organization_id = v.organization_id
  and t.state in ('pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused'))`

/**
 * Why an action leaves a video `v` as it is, a word of `rowReasons`; null where it changes it. The preview counts by it, and it is
 * asked again at the moment of the change.
 */
export function blockedReasonOf(asked: VideoAction): SQL {
  switch (asked.action) {
    case 'remove':
      return sql`case when ${isBeingSent} then 'being_sent' end`
    case 'move':
      return sql`case when ${asked.projectId !== null} and not ${isProject(asked.projectId ?? sql`null`)} then 'project_gone'
        when v.project_id is not distinct from ${asked.projectId}::uuid then 'already_there' end`
    case 'change':
      return sql`case when v.privacy = ${asked.privacy} then 'already_so' end`
    case 'tag':
      return sql`case when ${hasTag(asked.tag)} then 'tagged_already'
        when cardinality(v.tags) >= ${tagLimits.tags}::int then 'too_many_tags' end`
    case 'untag':
      return sql`case when not ${hasTag(asked.tag)} then 'not_tagged' end`
  }
}

/** Of a video that an operation is about, as it is now. */
export const JudgedVideo = z.extend(
  z.pick(Video, { id: true, title: true, projectId: true, privacy: true, state: true, tags: true }),
  { blockedReason: z.nullable(z.enum(rowReasons)) },
)
export type JudgedVideo = z.infer<typeof JudgedVideo>

export const columns = sql`v.id, v.title, v.project_id as "projectId", v.privacy, v.state, v.tags`

/** Locks the videos of these rows, in one order, and divides them by what hinders. */
export async function lockVideos(work: Work, asked: VideoAction, pending: readonly PendingRow[]) {
  const { tx, actor, visibility } = work
  const found = await rows(
    tx,
    JudgedVideo,
    sql`select ${columns}, case when ${actor.role === 'groupadmin'} then 'not_allowed' else ${blockedReasonOf(asked)} end as "blockedReason"
      from videos v where v.organization_id = ${visibility.organizationId} and v.deleted_at is null and v.id = any(${entityIds(pending)})
      order by v.id for update of v`,
  )
  return sortOut(pending, found)
}
