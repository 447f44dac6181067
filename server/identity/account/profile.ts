import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { Account, type AccountInput } from '#contract/identity/account.ts'
import type * as z from 'zod/mini'
import { row } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { requireUnchanged } from '../../platform/http/mount.ts'

/** A signed-in person's request within its transaction. */
/** `lock`: as it is now, and nobody else changes it until the transaction ends. */
export async function readProfile(
  { tx, caller }: Omit<CallContext, 'request'>,
  lock = false,
): Promise<Account> {
  const found = await row(
    tx,
    Account,
    sql`select u.name, u.email, u.phone, u.avatar, u.role, ${caller.organizationName}::text as "organizationName",
        ${isoText(sql`u.password_changed_at`)} as "passwordChangedAt", ${isoText(sql`u.updated_at`)} as "updatedAt"
      from users u where u.id = ${caller.userId} and u.deleted_at is null ${lock ? sql`for update of u` : sql``}`,
  )
  if (!found) throw refuse('unauthenticated')
  return found
}

export async function updateProfile(by: CallContext, input: z.output<typeof AccountInput>): Promise<Account> {
  const { tx, caller, request } = by
  const before = await readProfile(by, true)
  requireUnchanged(request, new Date(before.updatedAt))
  await tx.execute(
    sql`update users set name = ${input.name}, phone = ${input.phone || null}, updated_at = now()
      where id = ${caller.userId}`,
  )
  const after = await readProfile(by)
  await note(by, 'account.changed', {
    before: { name: before.name, phone: before.phone },
    after: { name: after.name, phone: after.phone },
  })
  return after
}

export function note(by: CallContext, action: AuditAction, change: object): Promise<void> {
  const { organizationId, userId } = by.caller
  return audit(by.tx, by, { organizationId, action, entity: 'user', entityId: userId, ...change })
}
