import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { seesUser, type Visibility } from '../platform/http/visibility.ts'
import type { Matrix } from './cells/matrix.ts'

/**
 * Rows of `id` and `name`: people in sight who were asked to watch a video by a day that is over, and have not. The same people have
 * an overdue cell in the training matrix.
 */
export function overduePeople(visibility: Visibility, { given, cells }: Matrix): SQL {
  // A day is kept only for who was asked, has not completed the video and is not excused for good.
  return sql`with ${given} late as (select distinct s.user_id from ${cells} s where s.late_at <= now() and s.late_at < 'infinity' and s.waived_until <= now())
    select u.id, u.name from late join users u on u.id = late.user_id
    where ${all([
      sql`u.organization_id = ${visibility.organizationId} and u.deleted_at is null and u.state <> 'disabled'`,
      seesUser(visibility, sql`u.id`),
    ])}`
}
