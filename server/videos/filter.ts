import { sql, type SQL } from '../platform/db/sql.ts'
import { all, hasWords } from '../platform/db/search.ts'
import { needsVideo } from '../alerts/lists.ts'
import { saidQuery, saying } from './captions/said.ts'
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
    keyword && sql`v.id = any(array(${found(keyword, organizationId)}))`,
    attention && needsVideo(organizationId ?? null),
  ])
}

/**
 * Each half by its own index: what has the words in its title or description, and in what they are said. As an array it is found once;
 * as a set of rows the planner would look it up again for each video.
 */
function found(keyword: string, organizationId: string | undefined): SQL {
  const inOrganization = (column: SQL) => organizationId && sql`${column} = ${organizationId}`
  const written = all([inOrganization(sql`r.organization_id`), hasWords(sql`r.search`, keyword)])
  const said = saying(saidQuery(keyword), {
    video: sql`r.deleted_at is null`,
    captions: inOrganization(sql`c.organization_id`) || undefined,
  })
  return sql`select r.id from videos r where ${written} union all ${said}`
}
