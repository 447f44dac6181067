import type { UserFilter } from '#contract/users.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, hasWords } from '../db/search.ts'
import { seesUser, type Sight } from '../http/sight.ts'

/** Condition on `users u`: the people of the organization whom the caller sees and the filter finds. */
export function matchingUsers(sight: Sight, { q, groupId, role, state }: UserFilter): SQL {
  return all([
    sql`u.organization_id = ${sight.organizationId} and u.deleted_at is null`,
    seesUser(sight, sql`u.id`),
    q && hasWords(sql`u.search`, q),
    groupId && sql`exists (select 1 from group_members c where c.user_id = u.id and c.group_id = ${groupId})`,
    role && (role === 'none' ? sql`u.role is null` : sql`u.role = ${role}`),
    state && sql`u.state = ${state}`,
  ])
}
