import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { type listMembers, Member } from '#contract/directory/members.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { all, hasWords, isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { orderFrom, type Sorts } from '../../platform/http/lists/keyset.ts'
import { readList } from '../../platform/http/lists/list.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { applyRules } from '../people/rule-members.ts'
import { touch } from './queries.ts'

const columns = sql`u.id, u.name, u.email, u.role, u.state, m.groupadmin, m.by_rule as "byRule", ${isoText(sql`m.created_at`)} as since`

type ListQuery = ParsedQuery<typeof listMembers>

const shows = {
  all: undefined,
  groupadmin: sql`m.groupadmin`,
  byHand: sql`not m.by_rule`,
  byRule: sql`m.by_rule`,
}

const sorts: Sorts<ListQuery['sort']> = {
  name: { by: sql`u.called`, type: 'text' },
  email: { by: sql`u.email`, type: 'text' },
  since: { by: sql`m.created_at`, type: 'timestamptz' },
}

/** Finds members of a group. The caller has to have made sure that the group is in sight. */
export function findMembers(
  tx: Tx,
  { groupId, query, request }: { groupId: string; query: ListQuery; request: FastifyRequest },
) {
  return readList(tx, {
    query,
    request,
    Row: Member,
    columns,
    from: sql`group_members m join users u on u.id = m.user_id`,
    where: all([
      sql`m.group_id = ${groupId} and u.deleted_at is null`,
      shows[query.show],
      query.q && hasWords(sql`u.search`, query.q),
    ]),
    order: orderFrom(query.sort, sorts, sql`u.id`),
  })
}

async function findMember(tx: Tx, groupId: string, userId: string): Promise<Member | undefined> {
  return row(
    tx,
    Member,
    sql`select ${columns} from group_members m join users u on u.id = m.user_id and u.deleted_at is null
      where m.group_id = ${groupId} and m.user_id = ${userId}`,
  )
}

type Marking = {
  visibility: Visibility
  group: { id: string; kind: 'static' | 'rule' }
  userId: string
  groupadmin: boolean
}

const MemberRole = z.object({ role: z.nullable(z.string()) })

/**
 * Makes somebody groupadmin of the group, or no longer. A groupadmin is put into a group with a rule by hand, and stays whatever the rule
 * says; losing the mark means losing that right to stay. `after` is the same as `before` when nothing was to be changed.
 */
export async function markGroupadmin(
  tx: Tx,
  { visibility, group, userId, groupadmin }: Marking,
): Promise<{ before: Member | undefined; after: Member | undefined }> {
  const person = await row(
    tx,
    MemberRole,
    sql`select role from users u where u.organization_id = ${visibility.organizationId} and u.id = ${userId} and u.deleted_at is null`,
  )
  const before = await findMember(tx, group.id, userId)
  const isOutside = before === undefined && !(groupadmin && group.kind === 'rule')
  if (!person || isOutside) throw refuse('not_found')
  if (before?.groupadmin === groupadmin) return { before, after: before }
  if (groupadmin && person.role !== 'groupadmin')
    throw refuse('conflict', { reason: { code: 'not_a_group_administrator' } })
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      values (${visibility.organizationId}, ${group.id}, ${userId}, ${groupadmin})
      on conflict (group_id, user_id) do update set groupadmin = excluded.groupadmin,
        by_rule = ${group.kind === 'rule' && !groupadmin}`,
  )
  await touch(tx, [userId])
  await applyRules(tx, visibility.organizationId)
  return { before, after: await findMember(tx, group.id, userId) }
}
