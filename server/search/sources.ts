import type { SearchKind } from '#contract/search.ts'
import { arrayOf } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all } from '../db/search.ts'
import type { Caller } from '../http/bearer.ts'
import { seesGroup, seesUser, sightOf, type Sight } from '../http/sight.ts'

/** Where things of one kind are looked for. All is about one alias, so that parts fit into one statement. */
export type Source = {
  kind: SearchKind
  table: SQL
  id: SQL
  /** What is looked through, folded; an index of threes of letters has it. */
  text: SQL
  /** How it begins, in an index that keeps it in order. */
  beginning: SQL
  /** What the thing is called, folded. */
  title: SQL
  /** `text` is more than names, and slips are forgiven in the title alone. */
  searchesMore?: boolean
  /** Whether the reader may see it and it is there. */
  present: SQL
  /** Whether the whole text names the row `r`, such as its mail address. */
  isExactly: (text: SQL) => SQL
  /** Archived, suspended or disabled; stands behind what is not. */
  isResting: SQL
  /** The newest first, where nothing else decides; else by name. */
  isDated: boolean
  /** The order in which rows are walked through when many agree; without, they never are. */
  walk?: SQL | undefined
  /** Instead of table and `present`, the few that the reader may see at all: they are looked at one by one. */
  few?: SQL | undefined
  columns: Columns
}

/** `more` is looked through and shown only where it agrees; `address` names the thing as a whole. */
type Columns = Record<
  'organizationId' | 'title' | 'detail' | 'more' | 'address' | 'state' | 'picture' | 'people' | 'createdAt',
  SQL
>

const none = sql`null::text`
const nobody = sql`null::bigint`

/** The reader's organization, and for a superadmin all that are there. */
function within(alias: string, { organizationId }: Caller): SQL {
  const column = sql.raw(`${alias}.organization_id`)
  if (organizationId !== null) return sql`${column} = ${organizationId}`
  return sql`(${column} is not null and ${column} not in (select id from organizations where deleted_at is not null))`
}

function sightFor(caller: Caller) {
  return sightOf(caller, caller.organizationId ?? '')
}

function organizations(caller: Caller): Source {
  const own = caller.organizationId !== null && sql`o.id = ${caller.organizationId}`
  return {
    kind: 'organization',
    table: sql`organizations o`,
    id: sql`o.id`,
    text: sql`fold_text(o.name)`,
    beginning: sql`fold_text(o.name)`,
    title: sql`fold_text(o.name)`,
    present: all([own, sql`o.deleted_at is null`]),
    isExactly: (text) => sql`(r.more = ${text} or r.address = ${text})`,
    isResting: sql`o.state <> 'active'`,
    isDated: false,
    columns: {
      organizationId: sql`o.id`,
      title: sql`o.name`,
      detail: sql`coalesce(o.domain, '')`,
      more: none,
      state: sql`o.state`,
      picture: sql`o.logo`,
      people: sql`o.user_count`,
      address: sql`o.domain`,
      createdAt: sql`o.created_at`,
    },
  }
}

/**
 * The people of these groups. Written so that each is fetched by the id: whatever statistics say, there are fewer of them than
 * people in the organization.
 */
function membersOf({ organizationId, groupIds }: Sight): SQL | undefined {
  if (!groupIds) return undefined
  return sql`(select distinct m.user_id from group_members m where m.group_id = any(${arrayOf(groupIds, 'uuid')})) seen
    cross join lateral (select x.id, x.search from users x where x.id = seen.user_id and x.organization_id = ${organizationId}
      and x.deleted_at is null offset 0) u where true`
}

function users(caller: Caller): Source {
  const sight = sightFor(caller)
  return {
    kind: 'user',
    table: sql`users u`,
    id: sql`u.id`,
    text: sql`u.search`,
    beginning: sql`left(u.search, 100)`,
    title: sql`fold_text(u.name)`,
    present: all([within('u', caller), sql`u.deleted_at is null`, seesUser(sight, sql`u.id`)]),
    isExactly: (text) => sql`(r.address = ${text} or lower(r.more) = ${text})`,
    isResting: sql`u.state = 'disabled'`,
    isDated: false,
    walk: caller.organizationId === null ? sql`` : sql`order by u.created_at desc`,
    few: membersOf(sight),
    columns: {
      organizationId: sql`u.organization_id`,
      title: sql`u.name`,
      detail: sql`u.email`,
      more: sql`u.external_id`,
      state: sql`u.state`,
      picture: sql`u.avatar`,
      people: nobody,
      address: sql`u.email`,
      createdAt: sql`u.created_at`,
    },
  }
}

function groups(caller: Caller): Source {
  return {
    kind: 'group',
    table: sql`groups g`,
    id: sql`g.id`,
    text: sql`fold_text(g.name)`,
    beginning: sql`fold_text(g.name)`,
    title: sql`fold_text(g.name)`,
    present: all([within('g', caller), sql`g.deleted_at is null`, seesGroup(sightFor(caller), sql`g.id`)]),
    isExactly: () => sql`false`,
    isResting: sql`false`,
    isDated: false,
    columns: {
      organizationId: sql`g.organization_id`,
      title: sql`g.name`,
      detail: sql`coalesce(g.description, '')`,
      more: none,
      state: none,
      picture: none,
      people: sql`g.member_count`,
      address: none,
      createdAt: sql`g.created_at`,
    },
  }
}

function content(caller: Caller): Source {
  return {
    kind: 'content',
    table: sql`videos v`,
    id: sql`v.id`,
    text: sql`v.search`,
    beginning: sql`left(v.search, 100)`,
    title: sql`fold_text(v.title)`,
    searchesMore: true,
    present: all([within('v', caller), sql`v.deleted_at is null`]),
    isExactly: () => sql`false`,
    isResting: sql`v.state = 'archived'`,
    isDated: true,
    walk: caller.organizationId === null ? sql`` : sql`order by v.created_at desc`,
    columns: {
      organizationId: sql`v.organization_id`,
      title: sql`v.title`,
      detail: sql`coalesce(v.description, '')`,
      more: none,
      state: sql`v.state`,
      picture: none,
      people: nobody,
      address: none,
      createdAt: sql`v.created_at`,
    },
  }
}

function transmissions(caller: Caller): Source {
  return {
    kind: 'transmission',
    table: sql`transmissions t`,
    id: sql`t.id`,
    text: sql`t.search`,
    beginning: sql`left(t.search, 100)`,
    title: sql`fold_text(t.subject)`,
    searchesMore: true,
    present: within('t', caller),
    isExactly: () => sql`false`,
    isResting: sql`t.state = 'cancelled'`,
    isDated: true,
    walk: caller.organizationId === null ? sql`` : sql`order by t.dated_at desc`,
    columns: {
      organizationId: sql`t.organization_id`,
      title: sql`t.subject`,
      detail: sql`left(t.body, 200)`,
      more: none,
      state: sql`t.state`,
      picture: none,
      people: nobody,
      address: none,
      createdAt: sql`t.dated_at`,
    },
  }
}

const sourceOf: Record<SearchKind, (caller: Caller) => Source> = {
  organization: organizations,
  user: users,
  group: groups,
  content,
  transmission: transmissions,
}

export function sourcesFor(caller: Caller, kinds: readonly SearchKind[]): Source[] {
  return kinds.map((kind) => sourceOf[kind](caller))
}
