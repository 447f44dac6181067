import * as z from 'zod/mini'
import type { User } from '#contract/directory/users.ts'
import { rows } from '../../platform/db/client.ts'
import { idsOf } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import {
  issue,
  issueMany,
  keepGroupsOf,
  revoke,
  tooManyMails,
  type Acting,
} from '../../identity/invitations.ts'

type PersonChange = { before?: User; after?: User }

/**
 * Makes the invitation of a person follow the person. Whoever gets a role or another address gets a new one; whoever loses the role, is
 * disabled or removed has none.
 */
export async function followPerson(acting: Acting, { before, after }: PersonChange): Promise<void> {
  const isInvited = after?.state === 'invited' && after.role !== null
  if (!isInvited) return endInvitations(acting, before, after)
  const isSame = before?.state === 'invited' && before.role === after.role && before.email === after.email
  if (isSame) return keepGroups(acting, after)
  if (before) await revoke(acting, toPerson(before))
  await revoke(acting, toPerson(after))
  const { organizationId, email, name, role, groups, id: userId } = after
  const groupIds = groups.map((group) => group.id)
  if (role === null || (await issue(acting, { organizationId, email, name, role, groupIds, userId }))) return
  throw await tooManyMails(acting, email)
}

/** Revokes invitations. Somebody who is active needs none, and somebody who may not enter has no right to one. */
async function endInvitations(acting: Acting, before?: User, after?: User): Promise<void> {
  const isShutOut = !after || after.state === 'disabled'
  const wasInvited = before?.state === 'invited' && before.role !== null
  if (before && (isShutOut || wasInvited)) await revoke(acting, toPerson(before))
}

const toPerson = ({ organizationId, id, email }: User) =>
  sql`organization_id = ${organizationId} and (user_id = ${id} or email = ${email})`

function keepGroups({ tx }: Acting, { organizationId, id, groups }: User): Promise<void> {
  return keepGroupsOf(
    tx,
    sql`organization_id = ${organizationId} and user_id = ${id}`,
    groups.map((group) => group.id),
  )
}

type Invitable = Pick<User, 'id' | 'name' | 'email' | 'role'>

const InvitationRow = z.object({ id: z.string(), groupIds: z.array(z.string()) })

/**
 * Invites people of one organization as what they are, with the groups that they are in; whoever has no role is left out. Returns the
 * invitation of each person, without people who have one waiting or to whom too many mails went today.
 */
export async function invitePeople(
  acting: Acting,
  organizationId: string,
  people: readonly Invitable[],
): Promise<ReadonlyMap<string, string>> {
  const ids = idsOf(people)
  if (people.length === 0) return new Map()
  const found = await rows(
    acting.tx,
    InvitationRow,
    sql`select user_id as id, array_agg(group_id) as "groupIds" from group_members where user_id = any(${ids}) group by user_id`,
  )
  const groups = new Map(found.map(({ id, groupIds }) => [id, groupIds]))
  const invited = people.flatMap(({ id, name, email, role }) =>
    role === null ? [] : { organizationId, name, email, role, groupIds: groups.get(id) ?? [], userId: id },
  )
  const sent = await issueMany(acting, invited)
  return new Map(
    invited.flatMap(({ email, userId }) => {
      const invitationId = sent.get(email)
      return invitationId === undefined ? [] : [[userId, invitationId] as const]
    }),
  )
}
