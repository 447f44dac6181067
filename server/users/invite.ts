import type { User } from '#contract/users.ts'
import { arrayOf } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { refuse } from '../errors.ts'
import { issue, revoke, type Acting } from '../identity/invitations.ts'

type Change = { before?: User; after?: User }

/**
 * Keeps the invitation of a person what the person is: a new one for whoever gets a role or another address, none for whoever
 * loses it, is disabled or removed.
 */
export async function followPerson(acting: Acting, { before, after }: Change): Promise<void> {
  const isInvited = after?.state === 'invited' && after.role !== null
  if (!isInvited) return endInvitations(acting, before, after)
  const isSame = before?.state === 'invited' && before.role === after.role && before.email === after.email
  if (isSame) return keepGroups(acting, after)
  if (before) await revoke(acting, toPerson(before))
  await revoke(acting, toPerson(after))
  const { organizationId, email, name, role, groups, id: userId } = after
  const groupIds = groups.map((group) => group.id)
  if (role === null || (await issue(acting, { organizationId, email, name, role, groupIds, userId }))) return
  throw refuse('too_many_requests', {
    detail: 'This address has been invited too often today. Please try again tomorrow.',
    retryAfter: 3_600,
  })
}

/** Whoever is active has no need of one, and whoever may not enter no right to one. */
async function endInvitations(acting: Acting, before?: User, after?: User): Promise<void> {
  const isShutOut = !after || after.state === 'disabled'
  const wasInvited = before?.state === 'invited' && before.role !== null
  if (before && (isShutOut || wasInvited)) await revoke(acting, toPerson(before))
}

const toPerson = ({ organizationId, id, email }: User) =>
  sql`organization_id = ${organizationId} and (user_id = ${id} or email = ${email})`

async function keepGroups({ tx }: Acting, { organizationId, id, groups }: User): Promise<void> {
  const groupIds = arrayOf(
    groups.map((group) => group.id),
    'uuid',
  )
  await tx.execute(
    sql`update invitations set group_ids = ${groupIds}, updated_at = now()
      where organization_id = ${organizationId} and user_id = ${id} and state = 'pending' and group_ids <> ${groupIds}`,
  )
}
