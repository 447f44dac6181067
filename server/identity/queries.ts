import * as z from 'zod/mini'
import { FactorMethod, type SessionUser } from '#contract/identity/auth.ts'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { asRole, roles } from '#contract/roles.ts'
import { MfaPolicy } from '#contract/identity/security.ts'
import { hasRow, row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

/** Somebody with a role; people who only receive have no account. */
export const Account = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(roles),
  avatar: z.nullable(z.string()),
  organizationId: z.nullable(z.string()),
  organizationName: z.nullable(z.string()),
  groupIds: z.array(z.string()),
  passwordHash: z.nullable(z.string()),
  passwordExpired: z.nullable(z.enum(['breached', 'reset_by_admin'])),
  /** Second factors that are set up; recovery codes only beside another one. */
  methods: z.array(FactorMethod),
  /** The organization's own, without the installation's. */
  mfa: MfaPolicy,
  idleMinutes: z.number(),
  sessionHours: z.number(),
  /** Neither person nor organization is switched off, whoever was invited has a password, and the account is not past its end. */
  mayEnter: z.boolean(),
})
export type Account = z.infer<typeof Account>

const AccountRow = z.extend(z.omit(Account, { role: true }), { role: z.string() })
type AccountRow = z.infer<typeof AccountRow>

/** For whoever `u` is; a recovery code alone is no factor. */
const methodsOf = sql`array_remove(array[
    case when exists (select 1 from passkeys k where k.user_id = u.id) then 'passkey' end,
    case when exists (select 1 from totp_factors t where t.user_id = u.id) then 'totp' end,
    case when exists (select 1 from recovery_codes c where c.user_id = u.id and c.used_at is null)
      and (exists (select 1 from passkeys k where k.user_id = u.id) or exists (select 1 from totp_factors t where t.user_id = u.id))
      then 'recovery' end], null)`

const policy = (name: 'mfa' | 'idleMinutes' | 'sessionHours') =>
  sql`coalesce(o.policies->>${sql.raw(`'${name}'`)}, ${String(defaultPolicies[name])})`

async function findAccount(tx: Tx, which: ReturnType<typeof sql>): Promise<Account | undefined> {
  const found = await row(
    tx,
    AccountRow,
    sql`select u.id, u.email, u.name, u.role, u.avatar, u.organization_id as "organizationId", o.name as "organizationName",
        u.password_hash as "passwordHash", u.password_expired as "passwordExpired",
        ${methodsOf} as methods, ${policy('mfa')} as mfa, ${policy('idleMinutes')}::int as "idleMinutes",
        ${policy('sessionHours')}::int as "sessionHours",
        (u.state = 'active' or (u.state = 'invited' and u.password_hash is not null)) and (u.delete_after is null or u.delete_after > now())
          and (o.id is null or (o.state = 'active' and o.deleted_at is null)) as "mayEnter",
        coalesce((select array_agg(m.group_id) from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
          where m.user_id = u.id and m.groupadmin), '{}') as "groupIds"
      from users u left join organizations o on o.id = u.organization_id
      where ${which} and u.role is not null and u.deleted_at is null`,
  )
  const role = asRole(found?.role)
  return found && role ? { ...found, role } : undefined
}

/**
 * Whose address it is: the person who has proved the mailbox and chosen a password. Several organizations may have invited the
 * same address; none of them makes an account of it.
 */
export function accountByEmail(tx: Tx, email: string): Promise<Account | undefined> {
  return findAccount(tx, sql`u.email = ${email} and u.password_hash is not null`)
}

/** Undefined for null, which is nobody. */
export function accountById(tx: Tx, id: string | null): Promise<Account | undefined> {
  return findAccount(tx, sql`u.id = ${id}`)
}

/** Held until the transaction ends: whatever changes how this person proves who they are waits for each other. */
export async function lockedAccount(tx: Tx, id: string | null): Promise<Account | undefined> {
  await tx.execute(sql`select 1 from users where id = ${id} for no key update`)
  return accountById(tx, id)
}

export function anybodyExists(tx: Tx): Promise<boolean> {
  return hasRow(tx, sql`select 1 from users limit 1`)
}

export function toSessionUser(account: Account): SessionUser {
  const { id, email, name, role, avatar, organizationId, organizationName, groupIds, methods } = account
  const mfa = { enrolled: methods.length > 0, methods }
  return { id, email, name, role, avatar, organizationId, organizationName, groupIds, mfa }
}

/** New password; whoever proves the mailbox and had one before has accepted the invitation. */
export async function storePassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.execute(
    sql`update users set password_hash = ${passwordHash}, password_changed_at = now(), password_expired = null,
        updated_at = now(), state = case when state = 'invited' then 'active' else state end
      where id = ${userId}`,
  )
}
