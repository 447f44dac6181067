import { counterOf } from '../organizations/counts.ts'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { Group, type GroupFilter, type GroupInput, type listGroups } from '#contract/directory/groups.ts'
import { arrayOf, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { called, all, constant, foundBy, isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { orderFrom, type Sorts } from '../../platform/http/lists/keyset.ts'
import { readList } from '../../platform/http/lists/list.ts'
import { seesGroup, seesUser, type Visibility } from '../../platform/http/visibility.ts'
import { needsGroup } from '../../alerts/lists.ts'
import { applyRules } from '../people/rule-members.ts'
import { Id, readCount } from '../../platform/db/rows.ts'

const columns = sql`g.id, g.organization_id as "organizationId", g.name, g.description, g.kind, g.rule, exists (select from dirty_keys k where k.figure = 'rules' and k.organization_id = g.organization_id and k.subject = g.id) as "isSettling",
  ${counterOf('g', 'member_count')} as "memberCount",
  ${isoText(sql`g.created_at`)} as "createdAt", ${isoText(sql`g.updated_at`)} as "updatedAt"`

const asJson = (rule: Group['rule']) => (rule ? sql`${JSON.stringify(rule)}::jsonb` : sql`null::jsonb`)

/** Hides the rule from a groupadmin, because it may ask about what they do not see. */
export function shownTo({ groupIds }: Visibility, group: Group): Group {
  return groupIds ? { ...group, rule: null } : group
}

type ListQuery = ParsedQuery<typeof listGroups>

const searched = { id: sql`g.id`, column: sql`fold_text(g.name)` }

/** Returns the condition on `groups g` for those that the caller sees and the filter finds. */
export function matchingGroups(
  visibility: Visibility,
  { q, kind, groupadmins, attention }: GroupFilter,
): SQL {
  const administered = sql`exists (select 1 from group_members a where a.group_id = g.id and a.groupadmin)`
  return all([
    sql`g.organization_id = ${visibility.organizationId} and g.deleted_at is null`,
    seesGroup(visibility, sql`g.id`),
    q && foundBy(q, searched),
    kind && sql`g.kind = ${constant(kind)}`,
    groupadmins && (groupadmins === 'some' ? administered : sql`not ${administered}`),
    attention && needsGroup(visibility.organizationId),
  ])
}

const sorts: Sorts<ListQuery['sort']> = {
  name: { by: called(sql`g.name`), type: 'text' },
  members: { by: sql`${counterOf('g', 'member_count')}::float8`, type: 'float8' },
  createdAt: { by: sql`g.created_at`, type: 'timestamptz' },
}

/** An unfiltered total comes from the organization's counter. */
export async function findGroups(
  tx: Tx,
  { visibility, query, request }: { visibility: Visibility; query: ListQuery; request: FastifyRequest },
) {
  const filtered = [query.q, query.kind, query.groupadmins, query.attention, visibility.groupIds].some(
    Boolean,
  )
  const page = await readList(tx, {
    query,
    request,
    Row: Group,
    columns,
    from: sql`groups g`,
    where: matchingGroups(visibility, query),
    order: orderFrom(query.sort, sorts, sql`g.id`),
    counter: {
      total: filtered ? undefined : counterOf('o', 'group_count'),
      from: sql`organizations o where o.id = ${visibility.organizationId} and o.deleted_at is null`,
    },
    similar: { ...searched, text: query.q, where: matchingGroups(visibility, { ...query, q: undefined }) },
  })
  return { ...page, items: page.items.map((group) => shownTo(visibility, group)) }
}

const oneGroup = (visibility: Visibility, id: string) => sql`select ${columns} from groups g
  join organizations o on o.id = g.organization_id and o.deleted_at is null
  where ${matchingGroups(visibility, {})} and g.id = ${id}`

export function findGroup(tx: Tx, visibility: Visibility, id: string): Promise<Group> {
  return requireRow(tx, Group, oneGroup(visibility, id))
}

/** Finds the group as it is now, and locks it until the transaction ends. */
export function lockGroup(tx: Tx, visibility: Visibility, id: string): Promise<Group> {
  return requireRow(tx, Group, sql`${oneGroup(visibility, id)} for update of g`)
}

export function insertGroup(tx: Tx, organizationId: string, input: GroupInput): Promise<Group> {
  const rule = input.rule ?? null
  return requireRow(
    tx,
    Group,
    sql`insert into groups as g (organization_id, name, description, kind, rule)
      select o.id, ${input.name}, ${input.description ?? null}::text, ${rule ? 'rule' : 'static'}::text, ${asJson(rule)}
      from organizations o
      where o.id = ${organizationId} and o.deleted_at is null returning ${columns}`,
  )
}

/** Makes the groupadmin who creates a group administer it, so that they keep it in sight. */
export async function addAdministrator(tx: Tx, group: Group, userId: string): Promise<void> {
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      values (${group.organizationId}, ${group.id}, ${userId}, true)`,
  )
}

/** Returns the group after its rule, and those that ask about it, have been worked out. */
export async function withRuleMembers(tx: Tx, { organizationId, id }: Group): Promise<Group> {
  await applyRules(tx, organizationId)
  return findGroup(tx, { organizationId, groupIds: undefined }, id)
}

/**
 * Changes a group. When it goes from people chosen by hand to a rule, whoever does not match leaves, but groupadmins stay. The other way
 * round everybody stays as they are.
 */
export async function changeGroup(tx: Tx, before: Group, input: GroupInput): Promise<Group> {
  const description = input.description === undefined ? before.description : input.description
  const rule = input.rule === undefined ? before.rule : input.rule
  const kind = rule ? 'rule' : 'static'
  if (kind !== before.kind)
    await tx.execute(
      sql`update group_members set by_rule = ${kind === 'rule'} where organization_id = ${before.organizationId}
        and group_id = ${before.id} and not groupadmin`,
    )
  return requireRow(
    tx,
    Group,
    sql`update groups g set name = ${input.name}, description = ${description}, kind = ${kind}, rule = ${asJson(rule)}, updated_at = now()
      where g.organization_id = ${before.organizationId} and g.id = ${before.id} returning ${columns}`,
  )
}

/** Adds all or none: one id that the caller does not see refuses the call, which does not say which one it was. */
export async function addMembers(
  tx: Tx,
  { visibility, groupId, userIds }: { visibility: Visibility; groupId: string; userIds: readonly string[] },
): Promise<{ added: string[]; memberCount: number }> {
  const wanted = [...new Set(userIds)]
  const seen = await rows(
    tx,
    Id,
    sql`select u.id from users u where ${all([
      sql`u.organization_id = ${visibility.organizationId} and u.deleted_at is null`,
      sql`u.id = any(${arrayOf(wanted, 'uuid')})`,
      seesUser(visibility, sql`u.id`),
    ])}`,
  )
  if (seen.length !== wanted.length) throw refuse('not_found')
  const added = await rows(
    tx,
    Id,
    sql`insert into group_members (organization_id, group_id, user_id)
      select ${visibility.organizationId}, ${groupId}, id from unnest(${arrayOf(wanted, 'uuid')}) id
      on conflict do nothing returning user_id as id`,
  )
  await touch(
    tx,
    added.map(({ id }) => id),
  )
  await applyRules(tx, visibility.organizationId)
  const counted = await readCount(
    tx,
    sql`select ${counterOf('g', 'member_count')} as n from groups g where g.organization_id = ${visibility.organizationId} and g.id = ${groupId}`,
  )
  return { added: added.map(({ id }) => id), memberCount: counted }
}

const RemovedMember = z.object({ name: z.string(), since: z.string(), groupadmin: z.boolean() })

/** Removes a member, and returns the membership as it was, so that it can come back. */
export async function removeMember(
  tx: Tx,
  { visibility, groupId, userId }: { visibility: Visibility; groupId: string; userId: string },
): Promise<{ name: string; since: string; groupadmin: boolean }> {
  const removed = await requireRow(
    tx,
    RemovedMember,
    sql`delete from group_members m using users u where m.organization_id = ${visibility.organizationId} and m.group_id = ${groupId}
      and m.user_id = ${userId} and u.id = m.user_id
      returning u.name, ${isoText(sql`m.created_at`)} as since, m.groupadmin`,
  )
  await touch(tx, [userId])
  return removed
}

/**
 * Locks people before their group, and in one order. Whoever edits a person locks the person first, and their groups are counted
 * afterwards; otherwise the two could wait for each other.
 */
export async function lockPeople(tx: Tx, userIds: readonly string[]): Promise<void> {
  await tx.execute(
    sql`select 1 from users where id = any(${arrayOf(userIds, 'uuid')}) order by id for no key update`,
  )
}

/**
 * Marks people as changed. A person's groups are part of the person, so whoever edits them at the same time learns that they have changed.
 * Their rows are locked.
 */
export async function touch(tx: Tx, userIds: readonly string[]): Promise<void> {
  await tx.execute(sql`update users set updated_at = now() where id = any(${arrayOf(userIds, 'uuid')})`)
}
