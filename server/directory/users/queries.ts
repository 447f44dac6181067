import { counterOf } from '../organizations/counts.ts'
import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { countUsers, ListedUser, type listUsers, readRemoval, User } from '#contract/directory/users.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { called, all, countLimit, isoText } from '../../platform/db/search.ts'
import { orderFrom, type Sorts } from '../../platform/http/lists/keyset.ts'
import { readList } from '../../platform/http/lists/list.ts'
import { seesGroup, seesUser, type Visibility } from '../../platform/http/visibility.ts'
import { shownFields } from '../people/fields.ts'
import { isFoundByIndex, matchingUsers, narrowedTo, peopleOf, seenAt } from '../people/filter.ts'
import { barOf, withReturned } from '../people/mail-trouble.ts'
import { showsPersons } from '../organizations/privacy.ts'
import { isWaiting, wentOut } from '../../deliveries.ts'

export const columns = sql`u.id, u.organization_id as "organizationId", u.name, u.email, u.role, u.state, u.phone, u.avatar,
  u.external_id as "externalId", u.language, u.time_zone as "timeZone", u.manager, ${shownFields} as "customFields", ${isoText(sql`u.last_seen_at`)} as "lastSeenAt", ${isoText(sql`u.delete_after`)} as "deleteAfter",
  ${isoText(sql`u.created_at`)} as "createdAt", ${isoText(sql`u.updated_at`)} as "updatedAt"`

const groupList = sql`json_agg(json_build_object('id', g.id, 'name', g.name, 'groupadmin', m.groupadmin, 'byRule', m.by_rule)
  order by ${called(sql`g.name`)}, g.name collate "C")`

/** This expression gives the groups of user `u`. A groupadmin learns of no group but their own. */
export function groupsOf(visibility: Visibility): SQL {
  const shown = all([
    sql`m.organization_id = ${visibility.organizationId} and m.user_id = u.id and g.deleted_at is null`,
    seesGroup(visibility, sql`g.id`),
  ])
  return sql`coalesce((select ${groupList} from group_members m join groups g on g.id = m.group_id where ${shown}), '[]') as groups`
}

type ListQuery = ParsedQuery<typeof listUsers>

export const userSorts: Sorts<ListQuery['sort']> = {
  name: { by: sql`u.called`, type: 'text' },
  email: { by: sql`u.email`, type: 'text' },
  createdAt: { by: sql`u.created_at`, type: 'timestamptz' },
  lastSeenAt: { by: seenAt, type: 'timestamptz' },
}

type ListRequest = { visibility: Visibility; query: ListQuery; request: FastifyRequest }

/** Without a filter the organization's counter knows how many there are. */
export async function findUsers(tx: Tx, { visibility, query, request }: ListRequest) {
  const filter = narrowedTo(visibility, query)
  const page = await readList(tx, {
    query,
    request,
    Row: ListedUser,
    columns: sql`${columns}, ${groupsOf(visibility)}, ${barOf(visibility)}`,
    from: sql`users u`,
    where: peopleOf(visibility),
    narrowed: { filter, isIndexed: isFoundByIndex(query) },
    order: orderFrom(query.sort, userSorts, sql`u.id`),
    joined: sql`u`,
    counter: {
      total: filter ? undefined : counterOf('o', 'user_count'),
      from: sql`organizations o where o.id = ${visibility.organizationId} and o.deleted_at is null`,
    },
    similar: {
      id: sql`u.id`,
      column: sql`u.search`,
      text: query.q,
      where: matchingUsers(visibility, { ...query, q: undefined }),
    },
  })
  return { ...page, items: await withReturned(tx, visibility, page.items) }
}

/** Counts all whom the caller sees, up to the number that a list counts. */
export function readUserCounts(tx: Tx, visibility: Visibility): Promise<Reply<typeof countUsers>> {
  const seen = all([peopleOf(visibility), seesUser(visibility, sql`u.id`)])
  return requireRow(
    tx,
    countUsers.reply,
    sql`select
        json_build_object('admin', count(*) filter (where c.role = 'admin'),
          'groupadmin', count(*) filter (where c.role = 'groupadmin'),
          'none', count(c.state) filter (where c.role is null)) as role,
        json_build_object('invited', count(*) filter (where c.state = 'invited'),
          'active', count(*) filter (where c.state = 'active'),
          'disabled', count(*) filter (where c.state = 'disabled')) as state,
        count(c.state) > ${countLimit} as "isMinimum"
      from organizations o
      left join lateral (select u.role, u.state from users u where ${seen} limit ${countLimit + 1}) c on true
      where o.id = ${visibility.organizationId} and o.deleted_at is null group by o.id`,
  )
}

/** Finds a person. With `lock` they are as they are now, and nobody else changes them until the transaction ends. */
export async function findUser(
  tx: Tx,
  { visibility, id, lock = false }: { visibility: Visibility; id: string; lock?: boolean },
): Promise<User> {
  const one = all([
    sql`u.organization_id = ${visibility.organizationId} and u.id = ${id} and u.deleted_at is null`,
    seesUser(visibility, sql`u.id`),
  ])
  return requireRow(
    tx,
    User,
    sql`select ${columns}, ${groupsOf(visibility)} from users u
      join organizations o on o.id = u.organization_id and o.deleted_at is null
      where ${one} ${lock ? sql`for update of u` : sql``}`,
  )
}

const RemovalRow = readRemoval.reply

/** Says what removing this person would mean: the evidence that stays, and what ends. */
export function findRemoval(tx: Tx, { id, organizationId }: User): Promise<Reply<typeof readRemoval>> {
  const mine = sql`organization_id = ${organizationId} and user_id = ${id}`
  return requireRow(
    tx,
    RemovalRow,
    sql`select d.messages, d."waitingMessages", case when p.shows then v.videos end as videos, v.completed,
        case when p.shows then v."watchedMs" end as "watchedMs", m.groups, m."administeredGroups",
        (select count(*)::int from sessions s where s.user_id = ${id} and s.revoked_at is null and s.idle_expires_at > now()
          and s.expires_at > now()) as sessions,
        (select count(*)::int from invitations where ${mine} and state = 'pending' and expires_at > now()) as invitations
      from (select count(*) filter (where ${wentOut('e')})::int as messages,
          count(*) filter (where ${isWaiting('e')})::int as "waitingMessages" from deliveries e where ${mine}) d,
        (select ${showsPersons(sql`${organizationId}::uuid`)} as shows) p,
        (select count(distinct video_id)::int as videos, count(distinct video_id) filter (where completed_at is not null)::int as completed,
          coalesce(sum(watch_ms), 0)::float8 as "watchedMs" from viewer_videos where ${mine}) v,
        (select count(*)::int as groups, count(*) filter (where m.groupadmin)::int as "administeredGroups" from group_members m
          join groups g on g.id = m.group_id and g.deleted_at is null where m.organization_id = ${organizationId} and m.user_id = ${id}) m`,
  )
}
