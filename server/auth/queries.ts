import { asRole, type Role } from '#contract/roles.ts'
import { row, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'

/** Somebody with a role; people who only receive have no account. */
export type Account = {
  id: string
  email: string
  name: string
  role: Role
  organizationId: string | null
  organizationName: string | null
  groupIds: string[]
  passwordHash: string | null
  /** Neither the person nor the organization is switched off. */
  mayEnter: boolean
}

type AccountRow = Omit<Account, 'role'> & { role: string }

async function findAccount(tx: Tx, which: ReturnType<typeof sql>): Promise<Account | undefined> {
  const found = await row<AccountRow>(
    tx,
    sql`select u.id, u.email, u.name, u.role, u.organization_id as "organizationId", o.name as "organizationName",
        u.password_hash as "passwordHash",
        u.state in ('active', 'invited') and (o.id is null or (o.state = 'active' and o.deleted_at is null)) as "mayEnter",
        coalesce((select array_agg(m.group_id) from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
          where m.user_id = u.id and m.groupadmin), '{}') as "groupIds"
      from users u left join organizations o on o.id = u.organization_id
      where ${which} and u.role is not null and u.deleted_at is null`,
  )
  const role = asRole(found?.role)
  return found && role ? { ...found, role } : undefined
}

export function accountByEmail(tx: Tx, email: string): Promise<Account | undefined> {
  return findAccount(tx, sql`u.email = ${email}`)
}

export function accountById(tx: Tx, id: string): Promise<Account | undefined> {
  return findAccount(tx, sql`u.id = ${id}`)
}

export async function anybodyExists(tx: Tx): Promise<boolean> {
  const found = await row<{ some: boolean }>(tx, sql`select exists (select 1 from users) as some`)
  return found?.some ?? false
}

/** Ends every session of a person; returns how many were alive. */
export async function revokeSessions(tx: Tx, userId: string): Promise<number> {
  const ended = await tx.execute(
    sql`update sessions set revoked_at = now()
      where user_id = ${userId} and revoked_at is null and idle_expires_at > now() and expires_at > now()`,
  )
  return ended.rowCount ?? 0
}

/** New password; whoever proves the mailbox has accepted the invitation. */
export async function storePassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.execute(
    sql`update users set password_hash = ${passwordHash}, updated_at = now(),
        state = case when state = 'invited' then 'active' else state end
      where id = ${userId}`,
  )
}
