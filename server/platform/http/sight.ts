import { arrayOf } from '../db/client.ts'
import { sql, type SQL } from '../db/sql.ts'
import type { Caller } from './bearer.ts'

/** What a caller sees of an organization: all of it, or (a groupadmin) these groups and their members. */
export type Sight = { organizationId: string; groupIds: readonly string[] | undefined }

export function sightOf(caller: Caller, organizationId: string): Sight {
  return { organizationId, groupIds: caller.role === 'groupadmin' ? caller.groupIds : undefined }
}

/** Condition on the alias of a table of users; nothing to add for who sees everybody. */
export function seesUser(sight: Sight, userId: SQL): SQL | undefined {
  if (!sight.groupIds) return undefined
  return sql`exists (select 1 from group_members seen where seen.user_id = ${userId}
    and seen.group_id = any(${arrayOf(sight.groupIds, 'uuid')}))`
}

export function seesGroup(sight: Sight, groupId: SQL): SQL | undefined {
  return sight.groupIds && sql`${groupId} = any(${arrayOf(sight.groupIds, 'uuid')})`
}
