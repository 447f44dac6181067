import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { listUsers, readRemoval, User } from '#contract/users.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, countOf, isoText } from '../db/search.ts'
import { refuse } from '../errors.ts'
import { behind, orderBy, pageOf, slice, type Order } from '../http/keyset.ts'
import { seesGroup, seesUser, type Sight } from '../http/sight.ts'
import { shownFields } from '../people/fields.ts'
import { matchingUsers } from '../people/filter.ts'

export const columns = sql`u.id, u.organization_id as "organizationId", u.name, u.email, u.role, u.state, u.phone,
  u.external_id as "externalId", ${shownFields} as "customFields", ${isoText(sql`u.last_seen_at`)} as "lastSeenAt", ${isoText(sql`u.delete_after`)} as "deleteAfter",
  ${isoText(sql`u.created_at`)} as "createdAt", ${isoText(sql`u.updated_at`)} as "updatedAt"`

const groupList = sql`json_agg(json_build_object('id', g.id, 'name', g.name, 'groupadmin', m.groupadmin, 'byRule', m.by_rule)
  order by lower(g.name))`

/** The groups of these users, `m` and `g`; a groupadmin learns of no group but their own. */
function membershipsOf(who: SQL, sight: Sight): SQL {
  const shown = all([
    sql`m.organization_id = ${sight.organizationId} and ${who} and g.deleted_at is null`,
    seesGroup(sight, sql`g.id`),
  ])
  return sql`group_members m join groups g on g.id = m.group_id where ${shown}`
}

type ListQuery = ParsedQuery<typeof listUsers>

function orderOf(sort: ListQuery['sort'], alias: SQL): Order {
  const id = sql`${alias}.id`
  const descending = sort.startsWith('-')
  if (sort.endsWith('createdAt')) return { by: sql`${alias}.created_at`, id, type: 'timestamptz', descending }
  if (sort.endsWith('email')) return { by: sql`${alias}.email`, id, type: 'text', descending }
  return { by: sql`lower(${alias}.name)`, id, type: 'text', descending }
}

type Asked = { sight: Sight; query: ListQuery; request: FastifyRequest }

/**
 * Two statements whatever the length of the page. The page is cut first and its groups are looked up behind it, so that
 * rows which an offset skips cost no look-up, and for all its rows at once.
 */
export async function findUsers(tx: Tx, { sight, query, request }: Asked) {
  const order = orderOf(query.sort, sql`u`)
  const key = order.type === 'text' ? order.by : isoText(order.by)
  const matching = matchingUsers(sight, query)
  const filtered = [query.q, query.groupId, query.role, query.state, sight.groupIds].some(Boolean)
  const total = filtered ? countOf(sql`users u where ${matching}`) : sql`o.user_count::int`
  const [counted, found] = await together(
    row<{ n: number }>(
      tx,
      sql`select ${total} as n from organizations o where o.id = ${sight.organizationId} and o.deleted_at is null`,
    ),
    rows<User & { key: string }>(
      tx,
      sql`with page as materialized (
          select u.* from users u where ${all([matching, query.after !== undefined && behind(order, query.after)])}
          order by ${orderBy(order)} ${slice(query)}
        ), memberships as (
          select m.user_id, ${groupList} as groups
          from ${membershipsOf(sql`m.user_id = any(array(select id from page))`, sight)} group by m.user_id
        )
        select ${columns}, ${key} as key, coalesce(memberships.groups, '[]') as groups
        from page u left join memberships on memberships.user_id = u.id order by ${orderBy(order)}`,
    ),
  )
  if (!counted) throw refuse('not_found')
  const known = { n: counted.n, counted: filtered }
  return pageOf({ request, query, total: known, found, toItem: (user) => user })
}

/** `lock`: as it is now, and nobody else changes it until the transaction ends. */
export async function findUser(
  tx: Tx,
  { sight, id, lock = false }: { sight: Sight; id: string; lock?: boolean },
): Promise<User> {
  const one = all([
    sql`u.organization_id = ${sight.organizationId} and u.id = ${id} and u.deleted_at is null`,
    seesUser(sight, sql`u.id`),
  ])
  const found = await row<User>(
    tx,
    sql`select ${columns}, coalesce((select ${groupList} from ${membershipsOf(sql`m.user_id = u.id`, sight)}), '[]') as groups
      from users u
      join organizations o on o.id = u.organization_id and o.deleted_at is null
      where ${one} ${lock ? sql`for update of u` : sql``}`,
  )
  if (!found) throw refuse('not_found')
  return found
}

/** What removing this person would mean: the evidence that stays, and what ends. */
export async function findRemoval(tx: Tx, { id, organizationId }: User): Promise<Reply<typeof readRemoval>> {
  const mine = sql`organization_id = ${organizationId} and user_id = ${id}`
  const found = await row<Reply<typeof readRemoval>>(
    tx,
    sql`select d.messages, d."waitingMessages", v.videos, v.completed, v."watchedMs", m.groups, m."administeredGroups",
        (select count(*)::int from sessions s where s.user_id = ${id} and s.revoked_at is null and s.idle_expires_at > now()
          and s.expires_at > now()) as sessions,
        (select count(*)::int from invitations where ${mine} and state = 'pending' and expires_at > now()) as invitations
      from (select count(*) filter (where state in ('accepted', 'delivered', 'bounced', 'unknown'))::int as messages,
          count(*) filter (where state in ('queued', 'deferred'))::int as "waitingMessages" from deliveries where ${mine}) d,
        (select count(distinct video_id)::int as videos, count(distinct video_id) filter (where completed_at is not null)::int as completed,
          coalesce(sum(watch_ms), 0)::float8 as "watchedMs" from viewer_videos where ${mine}) v,
        (select count(*)::int as groups, count(*) filter (where m.groupadmin)::int as "administeredGroups" from group_members m
          join groups g on g.id = m.group_id and g.deleted_at is null where m.organization_id = ${organizationId} and m.user_id = ${id}) m`,
  )
  if (!found) throw refuse('not_found')
  return found
}
