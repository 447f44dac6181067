import { asRole, type Role } from '#contract/roles.ts'
import { row, type Scope, type Tx } from '../../db/client.ts'
import { sql } from '../../db/drizzle.ts'
import { enters } from '../../http/bearer.ts'

/** A person with the rights of this moment. */
export type Owner = {
  userId: string
  role: Role
  name: string
  email: string
  /** Null for a superadmin. */
  organizationId: string | null
  groupIds: string[]
}

/** Undefined when they may not enter any more: disabled, gone, without a role, or their organization is switched off. */
export async function ownerNow(tx: Tx, userId: string): Promise<Owner | undefined> {
  const found = await row<Omit<Owner, 'role'> & { role: string | null }>(
    tx,
    sql`select u.id as "userId", u.role, u.name, u.email, u.organization_id as "organizationId",
        coalesce((select array_agg(m.group_id order by m.group_id) from group_members m
          join groups g on g.id = m.group_id and g.deleted_at is null where m.user_id = u.id and m.groupadmin), '{}') as "groupIds"
      from users u left join organizations o on o.id = u.organization_id
      where u.id = ${userId} and ${sql.raw(enters('u', 'o'))}`,
  )
  const role = asRole(found?.role)
  return found && role ? { ...found, role } : undefined
}

/** The wall behind which they read. */
export function scopeOfOwner({ organizationId }: Owner): Scope {
  return organizationId === null ? 'system' : { organizationId }
}
