import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { type listUsers, readRemoval, User } from '#contract/users.ts'
import { arrayOf, row, rows, together, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { all, countOf, isoText, planForValues } from '../../platform/db/search.ts'
import { nearest } from '../../platform/db/similar.ts'
import { refuse } from '../../platform/errors.ts'
import { approximatePage, cutOf, never, pageOf, type Order } from '../../platform/http/keyset.ts'
import { seesGroup, seesUser, type Visibility } from '../../platform/http/visibility.ts'
import { shownFields } from '../people/fields.ts'
import { isFiltered, matchingUsers, seenAt } from '../people/filter.ts'
import { showsPersons } from '../organizations/privacy.ts'
import { Count } from '../../platform/db/rows.ts'

export const columns = sql`u.id, u.organization_id as "organizationId", u.name, u.email, u.role, u.state, u.phone, u.avatar,
  u.external_id as "externalId", ${shownFields} as "customFields", ${isoText(sql`u.last_seen_at`)} as "lastSeenAt", ${isoText(sql`u.delete_after`)} as "deleteAfter",
  ${isoText(sql`u.created_at`)} as "createdAt", ${isoText(sql`u.updated_at`)} as "updatedAt"`

const groupList = sql`json_agg(json_build_object('id', g.id, 'name', g.name, 'groupadmin', m.groupadmin, 'byRule', m.by_rule)
  order by lower(g.name))`

/** The groups of these users, `m` and `g`; a groupadmin learns of no group but their own. */
export function membershipsOf(who: SQL, visibility: Visibility): SQL {
  const shown = all([
    sql`m.organization_id = ${visibility.organizationId} and ${who} and g.deleted_at is null`,
    seesGroup(visibility, sql`g.id`),
  ])
  return sql`group_members m join groups g on g.id = m.group_id where ${shown}`
}

type ListQuery = ParsedQuery<typeof listUsers>

export function orderOf(sort: ListQuery['sort']): Order & { key: SQL } {
  const order = { id: sql`u.id`, descending: sort.startsWith('-') }
  if (sort.endsWith('createdAt'))
    return { ...order, by: sql`u.created_at`, type: 'timestamptz', key: isoText(sql`u.created_at`) }
  if (sort.endsWith('lastSeenAt')) {
    return {
      ...order,
      by: seenAt,
      type: 'timestamptz',
      key: sql`coalesce(${isoText(sql`u.last_seen_at`)}, ${constantNever})`,
    }
  }
  const by = sort.endsWith('email') ? sql`u.email` : sql`lower(u.name)`
  return { ...order, by, type: 'text', key: by }
}

const constantNever = sql.raw(`'${never}'`)

type Cut = ReturnType<typeof cutOf>

type ListRequest = { visibility: Visibility; query: ListQuery; request: FastifyRequest }

/** Two statements whatever the length of the page, and a few more only where nobody has the words that were looked for. */
export async function findUsers(tx: Tx, { visibility, query, request }: ListRequest) {
  const order = orderOf(query.sort)
  const cut = cutOf(order, query)
  const matching = matchingUsers(visibility, query)
  const filtered = isFiltered(query) || visibility.groupIds !== undefined
  const total = filtered ? countOf(sql`users u where ${matching}`) : sql`o.user_count::int`
  const planned = filtered ? planForValues(tx) : undefined
  const [counted, found] = await together(
    row(
      tx,
      Count,
      sql`select ${total} as n from organizations o where o.id = ${visibility.organizationId} and o.deleted_at is null`,
    ),
    withGroups(tx, visibility, {
      page:
        filtered && query.offset === 0
          ? filteredPage(visibility, { cut, matching, limit: query.limit + 1 })
          : pageIn(matching, cut),
      key: order.key,
      by: cut.by,
    }),
  )
  await planned
  if (!counted) throw refuse('not_found')
  if (counted.n === 0 && query.q) {
    const others = sql`users u where ${matchingUsers(visibility, { ...query, q: undefined })}`
    const wanted = { from: others, id: sql`u.id`, column: sql`u.search`, text: query.q, most: query.limit }
    const ids = await nearest(tx, wanted)
    if (ids.length > 0) return approximatePage(query, await findThese(tx, visibility, ids))
  }
  const known = { n: counted.n, counted: filtered }
  return pageOf({ request, query, total: known, found, toItem: (user) => user })
}

function pageIn(matching: SQL, cut: Cut): SQL {
  return sql`select u.* from users u where ${all([matching, cut.beyond])} order by ${cut.by} ${cut.slice}`
}

/** People beyond the position who are looked at one by one before an index is asked for all that match. */
const lookedAt = 3_000

/**
 * Where many match, they are soon met in the order of the list; where few do, an index finds them all. Statistics cannot tell one
 * from the other (people called Stephanie are many, and all behind the letter R), so the first way is tried within bounds, and
 * `offset 0` keeps the second from following the order too.
 */
function filteredPage(
  visibility: Visibility,
  { cut, matching, limit }: { cut: Cut; matching: SQL; limit: number },
): SQL {
  const present = sql`u.organization_id = ${visibility.organizationId} and u.deleted_at is null`
  const first = sql`select u.* from users u where ${all([present, cut.beyond])} order by ${cut.by} limit ${lookedAt}`
  return sql`with met as materialized (
      select u.* from (${first}) u where ${matching} order by ${cut.by} ${cut.slice}
    )
    select * from met where (select count(*) from met) >= ${limit}
    union all select * from (
      select u.* from (select u.* from users u where ${all([matching, cut.beyond])} offset 0) u order by ${cut.by} ${cut.slice}
    ) u where (select count(*) from met) < ${limit}`
}

function findThese(tx: Tx, visibility: Visibility, ids: readonly string[]) {
  const these = arrayOf(ids, 'uuid')
  const page = sql`select u.* from users u where ${matchingUsers(visibility, {})} and u.id = any(${these})`
  return withGroups(tx, visibility, { page, key: sql`''`, by: sql`array_position(${these}, u.id)` })
}

const WithGroupsRow = z.extend(User, { key: z.string() })

/**
 * The page is cut first and its groups are looked up behind it, so that rows which an offset skips cost no look-up, and for all its
 * rows at once.
 */
function withGroups(tx: Tx, visibility: Visibility, { page, key, by }: { page: SQL; key: SQL; by: SQL }) {
  return rows(
    tx,
    WithGroupsRow,
    sql`with page as materialized (${page}), memberships as (
        select m.user_id, ${groupList} as groups
        from ${membershipsOf(sql`m.user_id = any(array(select id from page))`, visibility)} group by m.user_id
      )
      select ${columns}, ${key} as key, coalesce(memberships.groups, '[]') as groups
      from page u left join memberships on memberships.user_id = u.id order by ${by}`,
  )
}

/** `lock`: as it is now, and nobody else changes it until the transaction ends. */
export async function findUser(
  tx: Tx,
  { visibility, id, lock = false }: { visibility: Visibility; id: string; lock?: boolean },
): Promise<User> {
  const one = all([
    sql`u.organization_id = ${visibility.organizationId} and u.id = ${id} and u.deleted_at is null`,
    seesUser(visibility, sql`u.id`),
  ])
  const found = await row(
    tx,
    User,
    sql`select ${columns}, coalesce((select ${groupList} from ${membershipsOf(sql`m.user_id = u.id`, visibility)}), '[]') as groups
      from users u
      join organizations o on o.id = u.organization_id and o.deleted_at is null
      where ${one} ${lock ? sql`for update of u` : sql``}`,
  )
  if (!found) throw refuse('not_found')
  return found
}

const RemovalRow = readRemoval.reply

/** What removing this person would mean: the evidence that stays, and what ends. */
export async function findRemoval(tx: Tx, { id, organizationId }: User): Promise<Reply<typeof readRemoval>> {
  const mine = sql`organization_id = ${organizationId} and user_id = ${id}`
  const found = await row(
    tx,
    RemovalRow,
    sql`select d.messages, d."waitingMessages", case when p.shows then v.videos end as videos, v.completed,
        case when p.shows then v."watchedMs" end as "watchedMs", m.groups, m."administeredGroups",
        (select count(*)::int from sessions s where s.user_id = ${id} and s.revoked_at is null and s.idle_expires_at > now()
          and s.expires_at > now()) as sessions,
        (select count(*)::int from invitations where ${mine} and state = 'pending' and expires_at > now()) as invitations
      from (select count(*) filter (where state in ('accepted', 'delivered', 'bounced', 'unknown'))::int as messages,
          count(*) filter (where state in ('queued', 'deferred'))::int as "waitingMessages" from deliveries where ${mine}) d,
        (select ${showsPersons(sql`${organizationId}::uuid`)} as shows) p,
        (select count(distinct video_id)::int as videos, count(distinct video_id) filter (where completed_at is not null)::int as completed,
          coalesce(sum(watch_ms), 0)::float8 as "watchedMs" from viewer_videos where ${mine}) v,
        (select count(*)::int as groups, count(*) filter (where m.groupadmin)::int as "administeredGroups" from group_members m
          join groups g on g.id = m.group_id and g.deleted_at is null where m.organization_id = ${organizationId} and m.user_id = ${id}) m`,
  )
  if (!found) throw refuse('not_found')
  return found
}
