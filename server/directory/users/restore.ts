import * as z from 'zod/mini'
import { RemovedUser } from '#contract/directory/removed-users.ts'
import type { User } from '#contract/directory/users.ts'
import { arrayOf, row, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { auditMany } from '../../platform/http/audit.ts'
import type { Acting } from '../../operations/kinds.ts'
import { isAbove, type Asker } from '../../operations/rows.ts'
import { invitePeople } from './invite.ts'
import { FormerState } from './remove.ts'

/**
 * This table has the removal of `users u`, with what they were before. Somebody whom an undone import had added was never there, and has
 * none.
 */
const removal = sql`lateral (select r.before from operation_rows r
    where r.entity_id = u.id and r.entity = 'user' and r.outcome = 'removed' and r.undo is null
    order by r.operation_id desc limit 1) r`
const gone = (organizationId: string): SQL =>
  sql`u.organization_id = ${organizationId} and u.deleted_at is not null and u.erased_at is null`

/** These conditions hold when somebody else has their address or number by now. */
const present = sql`select from users o where o.organization_id = u.organization_id and o.deleted_at is null`
export const isAddressTaken = sql`exists (${present} and o.email = u.email)`
export const isNumberTaken = sql`exists (${present} and o.external_id = u.external_id)`

/** Finds who was removed last with this address, and can be brought back. */
export function findRemovedUser(
  tx: Tx,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<RemovedUser | undefined> {
  return row(
    tx,
    RemovedUser,
    sql`select u.id, u.name, u.email, ${isoText(sql`u.deleted_at`)} as "removedAt",
        (select count(distinct video_id)::int from viewer_videos v
          where v.organization_id = u.organization_id and v.user_id = u.id and v.completed_at is not null) as completed
      from users u, ${removal} where ${gone(organizationId)} and u.email = ${email} order by u.deleted_at desc, u.id limit 1`,
  )
}

const Removed = z.object({ id: z.string(), email: z.string(), externalId: z.nullable(z.string()) })
type Removed = z.infer<typeof Removed>

/**
 * Does the same for many, with one look into an index for each key. Among several with one address or number the last one stands at the
 * end.
 */
export function findRemoved(
  tx: Tx,
  organizationId: string,
  keys: { emails: readonly string[]; externalIds: readonly string[] },
): Promise<Removed[]> {
  return rows(
    tx,
    Removed,
    sql`select u.id, u.email, u.external_id as "externalId" from (
        select u.* from unnest(${arrayOf(keys.emails, 'text')}) k
          cross join lateral (select * from users u where ${gone(organizationId)} and u.email = k offset 0) u
        union select u.* from unnest(${arrayOf(keys.externalIds, 'text')}) k
          cross join lateral (select * from users u where ${gone(organizationId)} and u.external_id = k offset 0) u) u, ${removal}
      order by u.deleted_at, u.id`,
  )
}

/** This is somebody who returns, and what they were before they were removed. */
export type Returning = Pick<User, 'id' | 'name' | 'email' | 'role'> & { former: FormerState }

const Candidate = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  externalId: z.nullable(z.string()),
  role: z.nullable(z.enum(['superadmin', 'admin', 'groupadmin'])),
  former: FormerState,
})

/** Brings back those of these people who can be, and whom the actor may administer. */
export async function restoreUsers(
  acting: Acting,
  {
    organizationId,
    asker,
    ids,
  }: { organizationId: string; asker: Pick<Asker, 'role'>; ids: readonly string[] },
): Promise<void> {
  const back = await rows(
    acting.tx,
    Candidate,
    sql`select u.id, u.name, u.email, u.external_id as "externalId", u.role, r.before as former from users u, ${removal}
      where ${gone(organizationId)} and u.id = any(${arrayOf(ids, 'uuid')})
        and not coalesce(${isAbove(asker, sql`u.role`)}, false) and not ${isAddressTaken} and not ${isNumberTaken}
      order by u.deleted_at desc, u.id for update of u`,
  )
  await bringBack(acting, organizationId, withoutTwins(back))
}

/** Leaves out twins: among several who had one address or number only the first can have it again. */
function withoutTwins(people: readonly z.infer<typeof Candidate>[]) {
  const taken = new Set<string>()
  return people.filter(({ email, externalId }) => {
    const own = [`email ${email}`, ...(externalId === null ? [] : [`number ${externalId}`])]
    const isFree = own.every((key) => !taken.has(key))
    if (isFree) for (const key of own) taken.add(key)
    return isFree
  })
}

/**
 * Brings people back. Whoever may sign in is `invited` again, because the secrets are gone; whoever was disabled stays so. Returns those
 * who could not be sent an invitation today.
 */
export async function bringBack(
  acting: Acting,
  organizationId: string,
  back: readonly Returning[],
): Promise<ReadonlySet<string>> {
  if (back.length === 0) return new Set()
  const { tx } = acting
  const wanted = back.map(({ former, ...one }) => {
    const state = former.state === 'disabled' ? former.state : one.role === null ? 'active' : 'invited'
    return { ...one, groups: former.groups, state }
  })
  const states = wanted.map(({ id, state }) => ({ id, state }))
  await tx.execute(
    sql`update users u set deleted_at = null, state = r.state, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as r(id uuid, state text) where u.id = r.id`,
  )
  const memberships = wanted.flatMap(({ id, groups }) => groups.map((group) => ({ ...group, userId: id })))
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      select g.organization_id, g.id, u.id, m.groupadmin and u.role is not distinct from 'groupadmin'
      from jsonb_to_recordset(${JSON.stringify(memberships)}::jsonb) as m("userId" uuid, "groupId" uuid, groupadmin boolean)
      join users u on u.id = m."userId" join groups g on g.organization_id = ${organizationId} and g.id = m."groupId" and g.kind = 'static'
      on conflict do nothing`,
  )
  const entries = wanted.map(({ id, name, email, role, state }) => ({
    organizationId,
    action: 'user.restored' as const,
    entity: 'user',
    entityId: id,
    after: { name, email, role, state },
  }))
  await auditMany(tx, acting, entries)
  const invited = wanted.filter(({ state }) => state === 'invited')
  const sent = await invitePeople(acting, organizationId, invited)
  return new Set(invited.flatMap(({ id }) => (sent.has(id) ? [] : id)))
}
