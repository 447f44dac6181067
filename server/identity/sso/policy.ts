import * as z from 'zod/mini'
import { signInPolicies, type OrganizationSignIn } from '#contract/identity/sign-in-domains.ts'
import { hasRow, row, rows, type Tx } from '../../platform/db/client.ts'
import { readCount } from '../../platform/db/rows.ts'
import { called, isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import { requireUnchanged } from '../../platform/http/mount.ts'
import { alive } from '../session.ts'

const PolicyRow = z.object({
  signIn: z.enum(signInPolicies),
  breakGlassId: z.nullable(z.string()),
  updatedAt: z.string(),
})
const untouched = { signIn: 'offered', breakGlassId: null, updatedAt: new Date(0).toISOString() } as const

async function policyOf(tx: Tx, orgId: string): Promise<z.infer<typeof PolicyRow>> {
  const found = await row(
    tx,
    PolicyRow,
    sql`select sign_in as "signIn", break_glass_id as "breakGlassId", ${isoText(sql`updated_at`)} as "updatedAt"
      from sign_in_policies where organization_id = ${orgId}`,
  )
  return found ?? untouched
}

export const isRequired = (tx: Tx, orgId: string): Promise<boolean> =>
  hasRow(tx, sql`select from sign_in_policies where organization_id = ${orgId} and sign_in = 'required'`)

const Candidate = z.object({ id: z.string(), name: z.string(), email: z.string() })
type Candidate = z.infer<typeof Candidate>

/** Active administrators who can enter without the connection. */
function candidatesFor(tx: Tx, orgId: string, which: SQL): Promise<Candidate[]> {
  return rows(
    tx,
    Candidate,
    sql`select u.id, u.name, u.email from users u where u.organization_id = ${orgId} and u.role = 'admin' and u.state = 'active'
        and u.deleted_at is null and u.delete_after is null and ${which}
        and (u.password_hash is not null or exists (select from passkeys k where k.user_id = u.id))
      order by ${called(sql`u.name`)}, u.id limit 100`,
  )
}

/** Of people `u`: sessions `s` that did not begin by a connection. */
const otherwise = (orgId: string, breakGlassId: string | null): SQL =>
  sql`u.organization_id = ${orgId} and u.id is distinct from ${breakGlassId}::uuid and ${alive}
    and not exists (select from connection_sessions c where c.session_id = s.id)`

export async function signInOf(tx: Tx, orgId: string): Promise<OrganizationSignIn> {
  const policy = await policyOf(tx, orgId)
  const candidates = await candidatesFor(tx, orgId, sql`true`)
  const breakGlass = await row(
    tx,
    Candidate,
    sql`select u.id, u.name, u.email from users u where u.organization_id = ${orgId} and u.id = ${policy.breakGlassId}`,
  )
  const sessionsToEnd = await readCount(
    tx,
    sql`select count(*)::int as n from sessions s join users u on u.id = s.user_id
      where ${otherwise(orgId, policy.breakGlassId)}`,
  )
  return { ...policy, candidates, breakGlass: breakGlass ?? null, sessionsToEnd }
}

type Policy = { signIn: 'offered' | 'required'; breakGlassId: string | null }

/** With `required` every session that began otherwise ends at once, the one of whoever asks for it among them. */
export async function setSignIn(
  tx: Tx,
  orgId: string,
  { by, policy }: { by: Requester; policy: Policy },
): Promise<OrganizationSignIn> {
  await tx.execute(sql`select from organizations where id = ${orgId} for no key update`)
  const before = await policyOf(tx, orgId)
  requireUnchanged(by.request, new Date(before.updatedAt))
  await requireWays(tx, orgId, policy)
  const { signIn, breakGlassId } = policy
  await tx.execute(
    sql`insert into sign_in_policies as p (organization_id, sign_in, break_glass_id) values (${orgId}, ${signIn}, ${breakGlassId})
      on conflict (organization_id) do update set sign_in = excluded.sign_in, break_glass_id = excluded.break_glass_id, updated_at = now()`,
  )
  const ended =
    signIn === 'required' ? await endOtherwise(tx, orgId, { breakGlassId, by: by.caller.userId }) : 0
  const nameOf = async (id: string | null) =>
    (await row(tx, Candidate, sql`select id, name, email from users where id = ${id}`))?.name ?? null
  await audit(tx, by, {
    organizationId: orgId,
    entity: 'organization',
    entityId: orgId,
    action: 'sign_in.policy_changed',
    before: {
      signIn: before.signIn,
      breakGlassId: before.breakGlassId,
      breakGlass: await nameOf(before.breakGlassId),
    },
    after: { signIn, breakGlassId, breakGlass: await nameOf(breakGlassId), ended },
  })
  return signInOf(tx, orgId)
}

async function requireWays(tx: Tx, orgId: string, { signIn, breakGlassId }: Policy): Promise<void> {
  if (breakGlassId === null) {
    if (signIn === 'required') throw refuse('validation_failed', { fields: { breakGlassId: ['required'] } })
    return
  }
  await tx.execute(sql`select from users where id = ${breakGlassId} for no key update`)
  const [fit] = await candidatesFor(tx, orgId, sql`u.id = ${breakGlassId}`)
  if (!fit) throw refuse('validation_failed', { fields: { breakGlassId: ['not_found'] } })
  if (signIn === 'offered') return
  const isOn = await hasRow(
    tx,
    sql`select from sign_in_connections where organization_id = ${orgId} and is_on`,
  )
  if (!isOn) throw refuse('conflict', { reason: { code: 'connection_missing' } })
}

type EndingOtherwise = { breakGlassId: string | null; by: string }

async function endOtherwise(tx: Tx, orgId: string, { breakGlassId, by }: EndingOtherwise): Promise<number> {
  const ended = await tx.execute(
    sql`update sessions s set revoked_at = now(), end_reason = 'sign_in_required', revoked_by = ${by} from users u
      where u.id = s.user_id and ${otherwise(orgId, breakGlassId)}`,
  )
  await tx.execute(
    sql`update flows f set used_at = now() from users u where u.id = f.user_id and u.organization_id = ${orgId}
      and u.id is distinct from ${breakGlassId}::uuid and f.used_at is null and f.purpose <> 'connection'`,
  )
  return ended.rowCount ?? 0
}
