import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { type listMembers, Member } from '#contract/members.ts'
import { row, rows, together, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { all, countOf, hasWords, isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { behind, orderBy, pageOf, slice, type Order } from '../../platform/http/keyset.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { applyRules } from '../people/rule-members.ts'
import { touch } from './queries.ts'
import { Count } from '../../platform/db/rows.ts'

const columns = sql`u.id, u.name, u.email, u.role, u.state, m.groupadmin, m.by_rule as "byRule", ${isoText(sql`m.created_at`)} as since`

type ListQuery = ParsedQuery<typeof listMembers>

const shows = {
  all: undefined,
  groupadmin: sql`m.groupadmin`,
  byHand: sql`not m.by_rule`,
  byRule: sql`m.by_rule`,
}

function orderOf(sort: ListQuery['sort']): Order {
  const descending = sort.startsWith('-')
  if (sort.endsWith('since')) return { by: sql`m.created_at`, id: sql`u.id`, type: 'timestamptz', descending }
  if (sort.endsWith('email')) return { by: sql`u.email`, id: sql`u.id`, type: 'text', descending }
  return { by: sql`lower(u.name)`, id: sql`u.id`, type: 'text', descending }
}

const FindMembersRow = z.extend(Member, { key: z.string() })

/** Members of a group that the caller sees, which the caller of this has made sure of. */
export async function findMembers(
  tx: Tx,
  { groupId, query, request }: { groupId: string; query: ListQuery; request: FastifyRequest },
) {
  const order = orderOf(query.sort)
  const key = order.type === 'text' ? order.by : isoText(order.by)
  const matching = all([
    sql`m.group_id = ${groupId} and u.deleted_at is null`,
    shows[query.show],
    query.q && hasWords(sql`u.search`, query.q),
  ])
  const from = sql`group_members m join users u on u.id = m.user_id where ${matching}`
  const [counted, found] = await together(
    row(tx, Count, sql`select ${countOf(from)} as n`),
    rows(
      tx,
      FindMembersRow,
      sql`select ${columns}, ${key} as key from ${from} ${query.after === undefined ? sql`` : sql`and ${behind(order, query.after)}`}
        order by ${orderBy(order)} ${slice(query)}`,
    ),
  )
  const total = { n: counted?.n ?? 0, counted: true }
  return pageOf({ request, query, total, found, toItem: (member) => member })
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

const Person = z.object({ role: z.nullable(z.string()) })

/**
 * Makes somebody groupadmin of the group, or no longer. Into a group with a rule a groupadmin is put by hand and stays whatever
 * the rule says; with the mark goes that right to stay. Answers undefined when nothing was to be changed.
 */
export async function markGroupadmin(
  tx: Tx,
  { visibility, group, userId, groupadmin }: Marking,
): Promise<{ before: Member | undefined; after: Member | undefined }> {
  const person = await row(
    tx,
    Person,
    sql`select role from users u where u.organization_id = ${visibility.organizationId} and u.id = ${userId} and u.deleted_at is null
      for no key update`,
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
