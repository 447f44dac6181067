import * as z from 'zod/mini'
import { asRole, roles } from '#contract/roles.ts'
import { row, type Scope, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { enters } from '../../platform/http/entering.ts'

/** A person with the rights of this moment. */
export const ScheduleOwner = z.object({
  userId: z.string(),
  role: z.enum(roles),
  name: z.string(),
  email: z.string(),
  /** Null for a superadmin. */
  organizationId: z.nullable(z.string()),
  groupIds: z.array(z.string()),
})
export type ScheduleOwner = z.infer<typeof ScheduleOwner>

const OwnerRow = z.extend(z.omit(ScheduleOwner, { role: true }), { role: z.nullable(z.string()) })

/** Undefined when they may not enter any more: disabled, gone, without a role, or their organization is switched off. */
export async function ownerNow(tx: Tx, userId: string): Promise<ScheduleOwner | undefined> {
  const found = await row(
    tx,
    OwnerRow,
    sql`select u.id as "userId", u.role, u.name, u.email, u.organization_id as "organizationId",
        coalesce((select array_agg(m.group_id order by m.group_id) from group_members m
          join groups g on g.id = m.group_id and g.deleted_at is null where m.user_id = u.id and m.groupadmin), '{}') as "groupIds"
      from users u left join organizations o on o.id = u.organization_id
      where u.id = ${userId} and ${sql.raw(enters('u', 'o'))}`,
  )
  const role = asRole(found?.role)
  return found && role ? { ...found, role } : undefined
}

/** The organization whose rows they may read. */
export function scopeOfOwner({ organizationId }: ScheduleOwner): Scope {
  return organizationId === null ? 'system' : { organizationId }
}
