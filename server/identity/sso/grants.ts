import * as z from 'zod/mini'
import type { GrantedRole } from '#contract/identity/sso.ts'
import { arrayOf, rows, setCause, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import { endAccess } from '../session.ts'

type Where = { organizationId: string; userId: string; by: Actor; connection: string }

/** Other sessions of the person end, as with every change of a role. */
export async function giveRole(
  tx: Tx,
  { organizationId, userId, by, connection }: Where,
  { from, to }: { from: GrantedRole | null; to: GrantedRole | null },
): Promise<void> {
  await tx.execute(
    sql`update users set role = ${to}, updated_at = now() where id = ${userId} and organization_id = ${organizationId}`,
  )
  if (from === 'groupadmin')
    await tx.execute(
      sql`update group_members m set groupadmin = false, by_rule = g.kind = 'rule' from groups g
        where g.id = m.group_id and m.user_id = ${userId} and m.organization_id = ${organizationId} and m.groupadmin`,
    )
  await endAccess(tx, userId, { reason: to === null ? 'disabled' : 'role_changed' })
  const entry = {
    organizationId,
    entity: 'user',
    entityId: userId,
    before: { role: from },
    after: { role: to, connection },
  }
  await audit(tx, by, { ...entry, action: 'connection.person_changed' })
}

type Groups = { had: readonly string[]; groups: ReadonlyMap<string, boolean>; isGroupadmin: boolean }
const Changed = z.object({ id: z.string() })

/** Into the groups that the rules name now, and out of those that only they gave before. */
export async function giveGroups(
  tx: Tx,
  { organizationId, userId, by, connection }: Where,
  { had, groups, isGroupadmin }: Groups,
): Promise<void> {
  const wanted = [...groups].map(([id, administers]) => ({ id, administers: administers && isGroupadmin }))
  const gone = had.filter((id) => !groups.has(id))
  if (wanted.length === 0 && gone.length === 0) return
  await setCause(tx, 'sign_in')
  const left = await rows(
    tx,
    Changed,
    sql`delete from group_members where organization_id = ${organizationId} and user_id = ${userId} and not by_rule
      and group_id = any(${arrayOf(gone, 'uuid')}) returning group_id as id`,
  )
  const joined = await rows(
    tx,
    Changed,
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      select g.organization_id, g.id, ${userId}::uuid, w.administers
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w(id uuid, administers boolean)
      join groups g on g.id = w.id and g.organization_id = ${organizationId} and g.deleted_at is null
      where g.kind = 'static' or w.administers
      order by g.id for key share of g
      on conflict (group_id, user_id) do update set groupadmin = excluded.groupadmin,
          by_rule = group_members.by_rule and not excluded.groupadmin
        where group_members.groupadmin <> excluded.groupadmin
      returning group_id as id`,
  )
  if (left.length === 0 && joined.length === 0) return
  const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id)
  await audit(tx, by, {
    organizationId,
    entity: 'user',
    entityId: userId,
    action: 'connection.person_changed',
    before: { groups: ids(left) },
    after: { groups: ids(joined), connection },
  })
}
