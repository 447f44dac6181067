import type { UserSelection } from '#contract/directory/users.ts'
import type { Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { requireCount, selectedBy } from '../../operations/preview.ts'
import { matchingUsers } from './filter.ts'

const selectionOf = (selection: UserSelection) =>
  'userIds' in selection ? { ids: selection.userIds } : selection

/** This condition on `users u` holds for the people whom somebody has selected and may see. */
export function selectedUsers(visibility: Visibility, selection: UserSelection): SQL {
  return selectedBy(selectionOf(selection), sql`u.id`, (filter) => matchingUsers(visibility, filter ?? {}))
}

/** Refuses when the selection is about other people than its author was told. */
export async function requireSelection(
  tx: Tx,
  visibility: Visibility,
  selection: UserSelection,
): Promise<void> {
  await requireCount(tx, {
    from: sql`users u`,
    chosen: selectedUsers(visibility, selection),
    selection: selectionOf(selection),
    changed: 'people_changed',
  })
}
