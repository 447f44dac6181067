import { EvidenceDecision } from '#contract/evidence/evidence.ts'
import { hasRow, requireRow, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'

type DecidedSession = { sessionId: string; organizationId: string }
type Decision = DecidedSession & { userId: string; reason: string; by: { id: string; name: string } }

/** Writes down the decision that this session counts, whatever is doubted about it. When it is said again, the last reason stands. */
export function keepDecision(
  tx: Tx,
  { sessionId, organizationId, userId, reason, by }: Decision,
): Promise<EvidenceDecision> {
  return requireRow(
    tx,
    EvidenceDecision,
    sql`insert into viewing_decisions as d (session_id, organization_id, user_id, reason, decided_by, decided_by_name)
      values (${sessionId}, ${organizationId}, ${userId}, ${reason}, ${by.id}, ${by.name})
      on conflict (session_id) do update set reason = excluded.reason, decided_by = excluded.decided_by,
        decided_by_name = excluded.decided_by_name, decided_at = now()
      returning d.reason, d.decided_by_name as by, ${isoText(sql`d.decided_at`)} as at`,
  )
}

/** Takes a decision back. Returns false where nobody has decided. */
export function dropDecision(tx: Tx, { sessionId, organizationId }: DecidedSession): Promise<boolean> {
  return hasRow(
    tx,
    sql`delete from viewing_decisions where session_id = ${sessionId} and organization_id = ${organizationId} returning 1`,
  )
}
