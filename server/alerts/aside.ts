import { isTold } from '../platform/aside.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** What background work has stepped over, whoever it belongs to: the installation's business. */
export const setAsideItems: SQL = sql`select s.id, s.item as name, null::uuid as organization_id from set_aside s where ${isTold}`
