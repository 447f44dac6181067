import { hasRow, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/bearer.ts'

/** The organization in which something is created: a superadmin names one, everybody else is in one. */
export async function organizationToCreateIn(
  tx: Tx,
  caller: Caller,
  named: string | undefined,
): Promise<string> {
  if (caller.organizationId !== null) {
    if (named !== undefined && named !== caller.organizationId)
      throw refuse('validation_failed', { fields: { organizationId: ['not_found'] } })
    return caller.organizationId
  }
  if (named === undefined) throw refuse('validation_failed', { fields: { organizationId: ['required'] } })
  const found = await hasRow(tx, sql`select 1 from organizations where id = ${named} and deleted_at is null`)
  if (!found) throw refuse('validation_failed', { fields: { organizationId: ['not_found'] } })
  return named
}
