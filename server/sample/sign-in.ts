import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { insertedId } from '../platform/db/rows.ts'

/** A connection that is set up and off, with a domain that nobody has proved: the demo signs nobody in elsewhere. */
export async function addConnection(tx: Tx, organizationId: string): Promise<void> {
  const groupId = await insertedId(
    tx,
    sql`select id from groups where organization_id = ${organizationId} and deleted_at is null and kind = 'static' order by id limit 1`,
  )
  const rules = [
    { claim: 'groups', value: 'training-admins', role: 'admin', groupId: null },
    { claim: 'groups', value: 'team-leads', role: 'groupadmin', groupId },
  ]
  await tx.execute(
    sql`insert into sign_in_connections (organization_id, kind, name, issuer, client_id, is_on, creates, grants, second_step, rules)
      values (${organizationId}, 'oidc', 'Company account', 'https://login.example.com/realms/staff', 'sendreel', false, true, 'admin', 'told',
        ${JSON.stringify(rules)}::jsonb)`,
  )
  await tx.execute(
    sql`insert into sign_in_domains (organization_id, domain, token, checked_at, finding)
      values (${organizationId}, 'staff.example.com', '5e0d3c1b7a9f48266d1c0b9e8f7a6d5c4b3a2910', now() - interval '2 hours', 'missing')`,
  )
}
