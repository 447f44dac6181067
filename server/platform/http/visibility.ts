import { arrayOf } from '../db/client.ts'
import { sql, type SQL } from '../db/sql.ts'
import type { Caller } from './bearer.ts'

/** What a caller sees of an organization: all of it, or (a groupadmin) these groups and their members. */
export type Visibility = { organizationId: string; groupIds: readonly string[] | undefined }

export function visibilityOf(caller: Caller, organizationId: string): Visibility {
  return { organizationId, groupIds: caller.role === 'groupadmin' ? caller.groupIds : undefined }
}

/** Condition on the alias of a table of users; nothing to add for who sees everybody. */
export function seesUser(visibility: Visibility, userId: SQL): SQL | undefined {
  if (!visibility.groupIds) return undefined
  return sql`exists (select 1 from group_members seen where seen.user_id = ${userId}
    and seen.group_id = any(${arrayOf(visibility.groupIds, 'uuid')}))`
}

export function seesGroup(visibility: Visibility, groupId: SQL): SQL | undefined {
  return visibility.groupIds && sql`${groupId} = any(${arrayOf(visibility.groupIds, 'uuid')})`
}
