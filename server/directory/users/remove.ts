import * as z from 'zod/mini'
import { User } from '#contract/directory/users.ts'
import { arrayOf, rows, setCause, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { revoke } from '../../identity/invitations.ts'
import { forgetSecrets } from '../../identity/removal.ts'
import { endAccessOf } from '../../identity/session.ts'
import type { Acting } from '../../operations/kinds.ts'

/** This is needed to bring somebody back. The rest of the person lies in their own row until it is erased. */
export const FormerState = z.object({
  state: User.shape.state,
  /** Somebody has put the person into these groups; memberships by rule are worked out anew. */
  groups: z.array(z.object({ groupId: z.string(), groupadmin: z.boolean() })),
})
export type FormerState = z.infer<typeof FormerState>
type PersonRemoval = { before: FormerState; after: { deletedAt: string } }

const RemovedRow = z.extend(FormerState, { id: z.string(), deletedAt: z.string() })

/**
 * Removes people. Memberships, access and waiting invitations end; evidence of viewing, deliveries and the audit stay. Secrets are gone for
 * good, so whoever comes back with a role is invited again. The caller has locked the people and may remove them.
 */
export async function removePeople(
  acting: Acting,
  organizationId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, PersonRemoval>> {
  if (userIds.length === 0) return new Map()
  const { tx, caller } = acting
  const whose = arrayOf(userIds, 'uuid')
  await setCause(tx, 'removal')
  const gone = await rows(
    tx,
    RemovedRow,
    sql`with kept as (
        select u.id, u.state, coalesce((select json_agg(json_build_object('groupId', m.group_id, 'groupadmin', m.groupadmin))
          from group_members m where m.user_id = u.id and not m.by_rule), '[]') as groups
        from users u where u.organization_id = ${organizationId} and u.id = any(${whose}))
      update users u set state = 'deleted', deleted_at = now(), updated_at = now() from kept where u.id = kept.id
      returning u.id, kept.state, kept.groups, ${isoText(sql`u.deleted_at`)} as "deletedAt"`,
  )
  await tx.execute(
    sql`delete from group_members where organization_id = ${organizationId} and user_id = any(${whose})`,
  )
  await forgetSecrets(tx, userIds)
  await endAccessOf(tx, sql`u.id = any(${whose})`, { reason: 'removed', by: caller.userId })
  await revoke(
    acting,
    sql`organization_id = ${organizationId} and (user_id = any(${whose})
      or email in (select email from users where id = any(${whose})))`,
  )
  return new Map(gone.map(({ id, deletedAt, ...before }) => [id, { before, after: { deletedAt } }] as const))
}

/**
 * Removes people who have never been sent anything nor come in, as if they had never been there: without their external id, so that the same
 * file may bring them again. The caller has locked them.
 */
export async function removeNewcomers(
  tx: Tx,
  organizationId: string,
  userIds: readonly string[],
): Promise<void> {
  const whose = arrayOf(userIds, 'uuid')
  await tx.execute(
    sql`delete from group_members where organization_id = ${organizationId} and user_id = any(${whose})`,
  )
  await tx.execute(
    sql`update users set state = 'deleted', deleted_at = now(), updated_at = now(), external_id = null
      where organization_id = ${organizationId} and id = any(${whose})`,
  )
}
