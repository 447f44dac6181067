import * as z from 'zod/mini'
import { userStates } from '#contract/directory/users.ts'
import type { UserAction } from '#contract/directory/bulk.ts'
import { rowReasons } from '#contract/operations.ts'
import { rows } from '../../../platform/db/client.ts'
import { sql, type SQL } from '../../../platform/db/sql.ts'
import { all } from '../../../platform/db/search.ts'
import { seesGroup, type Visibility } from '../../../platform/http/visibility.ts'
import type { PendingRow, Work } from '../../../operations/kinds.ts'
import { isBreakGlass } from '../../../identity/sso/break-glass.ts'
import { entityIds, isAbove, sortOut, type Asker } from '../../../operations/rows.ts'
import { matchingUsers } from '../../people/filter.ts'

/**
 * This expression says why an action leaves a person `u` as they are, as a word of `rowReasons`; null where it changes them. The preview
 * counts by it, and it is asked again at the moment of the change.
 */
export function blockedReasonOf(judged: Asker, visibility: Visibility, asked: UserAction): SQL {
  const isMyself = sql`u.id = ${judged.userId}`
  const isTooHigh = isAbove(judged, sql`u.role`)
  const isNamed = isBreakGlass(sql`u.id`)
  switch (asked.action) {
    case 'remove':
      return sql`case when ${isMyself} then 'yourself' when ${isTooHigh} then 'above_role' when ${isNamed} then 'break_glass' end`
    case 'change':
      return asked.state === 'disabled'
        ? sql`case when ${isMyself} then 'yourself' when ${isTooHigh} then 'above_role'
            when u.state = 'disabled' then 'already_disabled' when ${isNamed} then 'break_glass' end`
        : sql`case when u.state = 'active' then 'already_active' when u.state = 'invited' then 'not_accepted'
            when ${isTooHigh} then 'above_role' end`
    case 'add_to_group':
      return sql`case when not ${isOpen(visibility, asked.groupId)} then 'group_gone'
        when ${isOpen(visibility, asked.groupId)} and ${groupIs(asked.groupId, sql`g.kind = 'rule'`)} then 'rule_group'
        when ${isMember(asked.groupId)} then 'already_member' end`
    case 'remove_from_group':
      return sql`case when not ${isOpen(visibility, asked.groupId)} then 'group_gone'
        when not ${isMember(asked.groupId)} then 'not_member'
        when ${isMember(asked.groupId, sql`m.by_rule`)} then 'by_rule'
        when ${judged.role === 'groupadmin'} and ${isMyself} then 'yourself' end`
    case 'invite':
      return sql`case when u.role is null then 'recipient' when u.state = 'disabled' then 'disabled'
        when u.state = 'active' then 'accepted' when ${isTooHigh} then 'above_role' end`
  }
}

function groupIs(groupId: string, condition: SQL | undefined): SQL {
  return sql`exists (select 1 from groups g where ${all([sql`g.id = ${groupId}`, condition])})`
}

function isOpen(visibility: Visibility, groupId: string): SQL {
  const here = sql`g.organization_id = ${visibility.organizationId} and g.deleted_at is null`
  return groupIs(groupId, all([here, seesGroup(visibility, sql`g.id`)]))
}

function isMember(groupId: string, condition?: SQL): SQL {
  const one = all([sql`m.group_id = ${groupId} and m.user_id = u.id`, condition])
  return sql`exists (select 1 from group_members m where ${one})`
}

/** This is a person whom an operation is about, as they are now. */
export const JudgedPerson = z.object({
  id: z.string(),
  blockedReason: z.nullable(z.enum(rowReasons)),
  name: z.string(),
  email: z.string(),
  role: z.nullable(z.enum(['admin', 'groupadmin'])),
  state: z.enum(userStates),
})
export type JudgedPerson = z.infer<typeof JudgedPerson>

/** Locks the people of these rows, in one order, and divides them by what hinders. */
export async function lockPeople(work: Work, asked: UserAction, pending: readonly PendingRow[]) {
  const { tx, actor, visibility } = work
  const found = await rows(
    tx,
    JudgedPerson,
    sql`select u.id, u.name, u.email, u.role, u.state, ${blockedReasonOf(actor, visibility, asked)} as "blockedReason" from users u
      where ${matchingUsers(visibility, {})} and u.id = any(${entityIds(pending)}) order by u.id for update of u`,
  )
  return sortOut(pending, found)
}
