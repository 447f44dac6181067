import type { UserSelection } from '#contract/users.ts'
import { arrayOf, row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { all } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { matchingUsers } from './filter.ts'
import { Count } from '../../platform/db/rows.ts'

/** Condition on `users u`: the people whom somebody has selected and may see. */
export function selectedUsers(visibility: Visibility, selection: UserSelection): SQL {
  if ('userIds' in selection)
    return all([matchingUsers(visibility, {}), sql`u.id = any(${arrayOf(selection.userIds, 'uuid')})`])
  return all([
    matchingUsers(visibility, selection.filter),
    selection.exceptIds.length > 0 && sql`u.id <> all(${arrayOf(selection.exceptIds, 'uuid')})`,
  ])
}

/**
 * Refuses when the selection is about other people than its author was told: an id that is not there (or not theirs to see), or
 * a filter that finds another number by now.
 */
export async function requireSelection(
  tx: Tx,
  visibility: Visibility,
  selection: UserSelection,
): Promise<void> {
  const counted = await row(
    tx,
    Count,
    sql`select count(*)::int as n from users u where ${selectedUsers(visibility, selection)}`,
  )
  const n = counted?.n ?? 0
  if ('userIds' in selection) {
    if (n !== new Set(selection.userIds).size) throw refuse('not_found')
    return
  }
  if (n === 0) throw refuse('validation_failed', { fields: { filter: ['not_found'] } })
  if (n !== selection.expected)
    throw refuse('conflict', {
      reason: { code: 'people_changed', params: { found: n, expected: selection.expected } },
    })
}
