import type { Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { alive, type endReasons } from '../session.ts'

type Ending = { reason: (typeof endReasons)[number]; by?: string | undefined }

/** Ends the sessions `c` that began by connections, of those people `p` whom `which` names; returns how many were alive. */
export async function endSessionsOf(tx: Tx, which: SQL, { reason, by }: Ending): Promise<number> {
  const ended = await tx.execute(
    sql`update sessions s set revoked_at = now(), end_reason = ${reason}, revoked_by = ${by ?? null}
      from connection_sessions c join connection_people p on p.id = c.person_id
      where c.session_id = s.id and ${which} and ${alive}`,
  )
  return ended.rowCount ?? 0
}
