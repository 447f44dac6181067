import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { countsEver } from './obligations.ts'

/**
 * These name the cells that are meant, as values or as columns of what stands to the left of a `lateral`. Without a person or a video, all
 * cells are meant.
 */
export type Whose = { organizationId: SQL; userId?: SQL | undefined; videoId?: SQL | undefined }

export const own = (alias: string, { organizationId, userId, videoId }: Whose) =>
  all([
    sql`${sql.raw(alias)}.organization_id = ${organizationId}`,
    userId && sql`${sql.raw(alias)}.user_id = ${userId}`,
    videoId && sql`${sql.raw(alias)}.video_id = ${videoId}`,
  ])

/**
 * This condition on `obligations o` holds when no later cycle of the same person has begun. One begins only after what was done and ends,
 * or was replaced.
 */
export const isPresent = sql`(o.state <> 'done' or not (o.followed or (o.valid_until is not null and exists (select from obligations n
  where n.assignment_id = o.assignment_id and n.user_id = o.user_id and n.cycle > o.cycle))))`

/**
 * Lists the obligations of assignments that stand, done ones among them, as `o` of assignments `a`. Nobody owes what was left, ended or
 * exempted. It lists only obligations towards which counts what was watched since they began.
 */
export const obliged = (whose: Whose): SQL => sql`obligations o join assignments a on a.id = o.assignment_id
  where ${own('o', whose)} and not ${countsEver('o')} and o.state <> 'ended' and a.state in ('active', 'paused') and ${isPresent}`
