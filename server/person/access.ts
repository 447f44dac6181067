import * as z from 'zod/mini'
import { membershipCauses } from '#contract/directory/membership.ts'
import { groupKinds } from '#contract/directory/groups.ts'
import { organizationStates } from '#contract/directory/organizations.ts'
import type { PersonAccess } from '#contract/person/person.ts'
import { asRole, roles } from '#contract/roles.ts'
import { User } from '#contract/directory/users.ts'
import { requireRow, rows, together, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { called, all, isoText } from '../platform/db/search.ts'
import { seesGroup, seesUser, type Visibility } from '../platform/http/visibility.ts'
import { readCount } from '../platform/db/rows.ts'
import { hasArrived } from '../deliveries.ts'
import { personState } from '../people.ts'

export const Subject = z.object({
  role: z.nullable(z.enum(roles)),
  roleSince: z.string(),
  state: User.shape.state,
  organizationState: z.enum(organizationStates),
})
export type Subject = z.infer<typeof Subject>

const SubjectRow = z.extend(z.omit(Subject, { role: true }), { role: z.nullable(z.string()) })

/** Refuses somebody whom the reader does not see. */
export async function subjectOf(tx: Tx, visibility: Visibility, userId: string): Promise<Subject> {
  const found = await requireRow(
    tx,
    SubjectRow,
    sql`select u.role, ${personState('u')}, ${isoText(sql`u.role_since`)} as "roleSince", o.state as "organizationState"
      from users u join organizations o on o.id = u.organization_id and o.deleted_at is null
      where ${all([
        sql`u.organization_id = ${visibility.organizationId} and u.id = ${userId} and u.deleted_at is null`,
        seesUser(visibility, sql`u.id`),
      ])}`,
  )
  return { ...found, role: asRole(found.role) }
}

/** What keeps somebody out of the console, the first that does. */
export function blockedReasonOf({ role, state, organizationState }: Subject): PersonAccess['blockedReason'] {
  if (role === null) return 'recipient'
  if (organizationState === 'archived') return 'organization_archived'
  if (organizationState === 'suspended') return 'organization_suspended'
  if (state === 'disabled') return 'disabled'
  return state === 'invited' ? 'invited' : null
}

type Groups = PersonAccess['groups']

const ReachOfRow = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(groupKinds),
  since: z.string(),
  byRule: z.boolean(),
  cause: z.nullable(z.enum(membershipCauses)),
  by: z.nullable(z.object({ id: z.string(), name: z.nullable(z.string()) })),
  administersSince: z.nullable(z.string()),
})

/** Memberships of today, each with the entry of the history that began it, and received transmissions all told. */
export async function reachOf(
  tx: Tx,
  visibility: Visibility,
  userId: string,
): Promise<{ groups: Groups; received: number }> {
  const latest = (change: 'added' | 'groupadmin') =>
    sql`left join lateral (select l.created_at, l.cause, l.actor_id from membership_log l
      where l.user_id = m.user_id and l.group_id = m.group_id and l.change = ${change}
      order by l.created_at desc, l.id desc limit 1) ${sql.raw(change)} on true`
  const [groups, sent] = await together(
    rows(
      tx,
      ReachOfRow,
      sql`select g.id, g.name, g.kind, m.by_rule as "byRule", ${isoText(sql`coalesce(added.created_at, m.created_at)`)} as since,
          added.cause, case when added.actor_id is not null
            then json_build_object('id', added.actor_id, 'name', (select u.name from users u where u.id = added.actor_id)) end as by,
          case when m.groupadmin then ${isoText(sql`coalesce(groupadmin.created_at, m.created_at)`)} end as "administersSince"
        from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
        ${latest('added')} ${latest('groupadmin')}
        where ${all([
          sql`m.organization_id = ${visibility.organizationId} and m.user_id = ${userId}`,
          seesGroup(visibility, sql`g.id`),
        ])} order by ${called(sql`g.name`)}, g.id`,
    ),
    readCount(
      tx,
      sql`select count(*)::int as n from deliveries d where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId}
        and ${hasArrived('d')}`,
    ),
  )
  return { groups, received: sent }
}
