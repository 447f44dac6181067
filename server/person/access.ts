import type { PersonAccess } from '#contract/person.ts'
import type { OrganizationInput } from '#contract/organizations.ts'
import { asRole, type Role } from '#contract/roles.ts'
import type { User } from '#contract/users.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { all, isoText } from '../db/search.ts'
import { refuse } from '../errors.ts'
import { seesGroup, seesUser, type Sight } from '../http/sight.ts'

export type Subject = {
  role: Role | null
  roleSince: string
  state: User['state']
  organizationState: NonNullable<OrganizationInput['state']>
}

/** Refuses somebody whom the reader does not see. */
export async function subjectOf(tx: Tx, sight: Sight, userId: string): Promise<Subject> {
  const found = await row<Omit<Subject, 'role'> & { role: string | null }>(
    tx,
    sql`select u.role, u.state, ${isoText(sql`u.role_since`)} as "roleSince", o.state as "organizationState"
      from users u join organizations o on o.id = u.organization_id and o.deleted_at is null
      where ${all([
        sql`u.organization_id = ${sight.organizationId} and u.id = ${userId} and u.deleted_at is null`,
        seesUser(sight, sql`u.id`),
      ])}`,
  )
  if (!found) throw refuse('not_found')
  return { ...found, role: asRole(found.role) }
}

/** What keeps somebody out of the console, the first that does. */
export function hindranceOf({ role, state, organizationState }: Subject): PersonAccess['hindrance'] {
  if (role === null) return 'recipient'
  if (organizationState === 'archived') return 'organization_archived'
  if (organizationState === 'suspended') return 'organization_suspended'
  if (state === 'disabled') return 'disabled'
  return state === 'invited' ? 'invited' : null
}

type Groups = PersonAccess['groups']

/** Memberships of today, each with the entry of the history that began it, and received transmissions all told. */
export async function reachOf(
  tx: Tx,
  sight: Sight,
  userId: string,
): Promise<{ groups: Groups; received: number }> {
  const latest = (change: 'added' | 'groupadmin') =>
    sql`left join lateral (select l.created_at, l.cause, l.actor_id from membership_log l
      where l.user_id = m.user_id and l.group_id = m.group_id and l.change = ${change}
      order by l.created_at desc, l.id desc limit 1) ${sql.raw(change)} on true`
  const [groups, sent] = await together(
    rows<Groups[number]>(
      tx,
      sql`select g.id, g.name, g.kind, m.by_rule as "byRule", ${isoText(sql`coalesce(added.created_at, m.created_at)`)} as since,
          added.cause, case when added.actor_id is not null
            then json_build_object('id', added.actor_id, 'name', (select u.name from users u where u.id = added.actor_id)) end as by,
          case when m.groupadmin then ${isoText(sql`coalesce(groupadmin.created_at, m.created_at)`)} end as "administersSince"
        from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
        ${latest('added')} ${latest('groupadmin')}
        where ${all([
          sql`m.organization_id = ${sight.organizationId} and m.user_id = ${userId}`,
          seesGroup(sight, sql`g.id`),
        ])} order by lower(g.name), g.id`,
    ),
    row<{ n: number }>(
      tx,
      sql`select count(*)::int as n from deliveries where user_id = ${userId} and organization_id = ${sight.organizationId}
        and state in ('accepted', 'delivered')`,
    ),
  )
  return { groups, received: sent?.n ?? 0 }
}
