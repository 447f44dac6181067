import { hasRow, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'

/** Whether a person is named to sign in when the company's own sign-in fails; a trigger of the database holds what these ask beforehand. */
export const isBreakGlass = (userId: SQL): SQL =>
  sql`exists (select from sign_in_policies b where b.break_glass_id = ${userId})`

/** Before somebody is removed, switched off, or given another role. */
export async function requireNotBreakGlass(tx: Tx, userId: string): Promise<void> {
  if (await hasRow(tx, sql`select where ${isBreakGlass(sql`${userId}::uuid`)}`))
    throw refuse('conflict', { reason: { code: 'break_glass' } })
}
