import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { seesUser, type Visibility } from '../platform/http/visibility.ts'
import { hasColumn, hasRow } from './cells.ts'
import type { Matrix } from './current.ts'
import { isSwitchedOff } from '../people.ts'

/** Returns a condition on cells `s`. A day is kept only for who was asked, has not completed the video and is not excused for good. */
const isOverdue = sql`s.late_at <= now() and s.late_at < 'infinity' and s.waived_until <= now()`

/**
 * Returns rows of `id` and `name`: people in sight who were asked to watch a video by a day that is over, and have not. The same people
 * have an overdue cell in the training matrix.
 */
export function overduePeople(visibility: Visibility, { cells }: Matrix): SQL {
  return sql`with late as (select distinct s.user_id from ${cells} s where ${isOverdue})
    select u.id, u.name from late join users u on u.id = late.user_id
    where ${all([
      sql`u.organization_id = ${visibility.organizationId} and u.deleted_at is null and not ${isSwitchedOff('u')}`,
      seesUser(visibility, sql`u.id`),
    ])}`
}

/** Returns rows of (organization_id, user_id, name, video_id, title, due_at) for the cells that the training matrix calls overdue. */
export function overdueCells(visibility: Visibility, { cells }: Matrix): SQL {
  const { organizationId } = visibility
  return sql`with late as (select s.* from ${cells} s where ${isOverdue})
    select v.organization_id, u.id as user_id, u.name, v.id as video_id, v.title, s.late_at as due_at
    from late s join users u on u.id = s.user_id and ${hasRow} join videos v on v.id = s.video_id and ${hasColumn}
    where ${all([sql`u.organization_id = ${organizationId} and v.organization_id = ${organizationId}`, seesUser(visibility, sql`u.id`)])}`
}

/** Returns these rows for all organizations that are active, without what changed in the last seconds. */
export const overdueCellsOfAll = sql`select v.organization_id, u.id as user_id, u.name, v.id as video_id, v.title, s.late_at as due_at
  from training_cells s join organizations o on o.id = s.organization_id and o.deleted_at is null and o.state = 'active'
  join users u on u.id = s.user_id and ${hasRow} join videos v on v.id = s.video_id and ${hasColumn} where ${isOverdue}`
