import { sql, type SQL } from '../platform/db/sql.ts'
import { all, hasWords } from '../platform/db/search.ts'
import { needsVideo } from '../alerts/lists.ts'
import { hasTag } from './tags.ts'

export type VideoFilter = {
  organizationId?: string | undefined
  projectId?: string | undefined
  state?: string | undefined
  tag?: string | undefined
  keyword?: string | undefined
  attention?: 'failed_videos' | undefined
}

/** Condition on `videos v`: what a list shows, a change in bulk is about, and a file holds. */
export function matchingVideos(filter: VideoFilter): SQL {
  const { organizationId, projectId, state, tag, keyword, attention } = filter
  return all([
    sql`v.deleted_at is null`,
    organizationId && sql`v.organization_id = ${organizationId}`,
    projectId && sql`v.project_id = ${projectId}`,
    state && sql`v.state = ${state}`,
    tag && hasTag(tag),
    keyword && hasWords(sql`v.search`, keyword),
    attention && needsVideo(organizationId ?? null),
  ])
}
