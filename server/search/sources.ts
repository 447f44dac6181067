import { counterOf } from '../directory/organizations/counts.ts'
import type { SearchKind } from '#contract/search.ts'
import { arrayOf, row, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, fetchedBy } from '../platform/db/search.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { seesGroup, seesUser, visibilityOf, type Visibility } from '../platform/http/visibility.ts'
import { Count } from '../platform/db/rows.ts'
import { saidQuery, saying } from '../videos/captions/said.ts'
import { asGiven, byLetters, type Beginning } from './words.ts'

/** Where things of one kind are looked for. All is about the alias `r`. */
export type Source = {
  kind: SearchKind
  table: SQL
  organizationId: SQL
  /** What is looked through, folded; an index of threes of letters has it. */
  text: SQL
  /** How it begins, in an index that keeps it in order. */
  beginning: Beginning
  /** What the thing is called. */
  title: SQL
  /** `text` is more than names, and slips are forgiven in the title alone. */
  searchesMore: boolean
  /** Whether the reader may see it and it is there. */
  present: SQL
  /** A whole text that names it, beside its title; in lower case. */
  addresses: readonly SQL[]
  /** Archived, suspended or disabled; stands behind what is not. */
  isResting: SQL
  date: SQL
  /** The newest first, where nothing else decides; else by name. */
  isDated: boolean
  /** The order in which rows are walked through when many agree; without, they never are. */
  walk?: SQL | undefined
  /** Rows `id` in which the words are said. */
  said?: SQL | undefined
  /** Instead of `table` and `present`, the few that the reader may see at all: they are looked at one by one. */
  few?: SQL | undefined
  shown: Shown
  /** What is shown of a hit `h` in place of its title. */
  named?: SQL | undefined
}

/** `more` is looked through and shown only where it agrees. */
type Shown = Record<'detail' | 'more' | 'state' | 'picture' | 'people', SQL>

const nothing: Shown = {
  detail: sql`''`,
  more: sql`null::text`,
  state: sql`null::text`,
  picture: sql`null::text`,
  people: sql`null::bigint`,
}

type Special = Pick<Source, 'kind' | 'table' | 'present' | 'title'> &
  Partial<Omit<Source, 'shown'>> & { shown: Partial<Shown> }

/** What a thing has like most others: its name is all that is looked through. */
function sourceOf({ shown, ...special }: Special): Source {
  const called = sql`fold_text(${special.title})`
  return {
    organizationId: sql`r.organization_id`,
    text: called,
    beginning: byLetters(called),
    searchesMore: false,
    addresses: [],
    isResting: sql`false`,
    date: sql`r.created_at`,
    isDated: false,
    ...special,
    shown: { ...nothing, ...shown },
  }
}

/** With a column of its own for what is looked through. */
const prepared = { text: sql`r.search`, beginning: byLetters(sql`left(r.search, 100)`) }

/** The reader's organization, and for a superadmin all that are there. */
function within({ organizationId }: Caller): SQL {
  if (organizationId !== null) return sql`r.organization_id = ${organizationId}`
  return sql`r.organization_id is not null and r.organization_id not in (select id from organizations where deleted_at is not null)`
}

/** Ids grow with time as well, and have an index over all organizations. */
const newestFirst = ({ organizationId }: Caller, date = sql`r.created_at`) =>
  organizationId === null ? sql`order by r.id desc` : sql`order by ${date} desc`

const visibilityFor = (caller: Caller) => visibilityOf(caller, caller.organizationId ?? '')

function organizations({ organizationId }: Caller): Source {
  const own = organizationId !== null && sql`r.id = ${organizationId}`
  return sourceOf({
    kind: 'organization',
    table: sql`organizations r`,
    organizationId: sql`r.id`,
    title: sql`r.name`,
    present: all([own, sql`r.deleted_at is null`]),
    addresses: [sql`r.domain`],
    isResting: sql`r.state <> 'active'`,
    shown: {
      detail: sql`coalesce(r.domain, '')`,
      state: sql`r.state`,
      picture: sql`r.logo`,
      people: counterOf('r', 'user_count'),
    },
  })
}

/** Rows of these ids that are there in the organization. */
function these(table: 'users' | 'groups', ids: SQL, organizationId: string): SQL {
  const fetched = fetchedBy(ids, sql`${sql.raw(table)} r`)
  return sql`(select r.* from ${fetched} where r.organization_id = ${organizationId} and r.deleted_at is null) r`
}

/** All that a groupadmin may see. */
function few(table: 'users' | 'groups', { organizationId, groupIds }: Visibility): SQL | undefined {
  if (!groupIds) return undefined
  const groups = arrayOf(groupIds, 'uuid')
  const members = sql`array(select m.user_id from group_members m where m.group_id = any(${groups}))`
  return these(table, table === 'groups' ? groups : members, organizationId)
}

function users(caller: Caller, isCrowd: boolean): Source {
  const visibility = visibilityFor(caller)
  return sourceOf({
    text: sql`r.search`,
    beginning: { column: sql`r.called`, least: sql`>=`, less: sql`<` },
    kind: 'user',
    table: sql`users r`,
    title: sql`r.name`,
    present: all([within(caller), sql`r.deleted_at is null`, seesUser(visibility, sql`r.id`)]),
    addresses: [sql`r.email`, sql`lower(r.external_id)`],
    isResting: sql`r.state = 'disabled'`,
    walk: newestFirst(caller),
    few: isCrowd ? undefined : few('users', visibility),
    shown: {
      detail: sql`r.email`,
      more: sql`r.external_id`,
      state: sql`r.state`,
      picture: sql`r.avatar`,
    },
  })
}

function groups(caller: Caller): Source {
  const visibility = visibilityFor(caller)
  return sourceOf({
    kind: 'group',
    table: sql`groups r`,
    title: sql`r.name`,
    present: all([within(caller), sql`r.deleted_at is null`, seesGroup(visibility, sql`r.id`)]),
    walk: caller.organizationId === null ? newestFirst(caller) : undefined,
    few: few('groups', visibility),
    shown: { detail: sql`coalesce(r.description, '')`, people: counterOf('r', 'member_count') },
  })
}

function content(caller: Caller): Source {
  return sourceOf({
    ...prepared,
    kind: 'content',
    table: sql`videos r`,
    title: sql`r.title`,
    searchesMore: true,
    present: all([within(caller), sql`r.deleted_at is null`]),
    isResting: sql`r.state = 'archived'`,
    isDated: true,
    walk: newestFirst(caller),
    said: saying(saidQuery(asGiven), {
      video: all([within(caller), sql`r.deleted_at is null`]),
      captions: caller.organizationId !== null && sql`c.organization_id = ${caller.organizationId}`,
    }),
    shown: {
      detail: sql`concat_ws(' · ', nullif(array_to_string(r.tags, ', '), ''), r.description)`,
      state: sql`r.state`,
    },
  })
}

function transmissions(caller: Caller): Source {
  return sourceOf({
    ...prepared,
    kind: 'transmission',
    table: sql`transmissions r`,
    title: sql`r.subject`,
    searchesMore: true,
    present: within(caller),
    isResting: sql`r.state = 'cancelled'`,
    isDated: true,
    date: sql`r.dated_at`,
    walk: newestFirst(caller, sql`r.dated_at`),
    named: sql`(select message_name(t) from transmissions t where t.id = h.id and t.organization_id = h.organization_id)`,
    shown: { detail: sql`left(r.body, 200)`, state: sql`r.state` },
  })
}

const sources: Record<SearchKind, (caller: Caller, isCrowd: boolean) => Source> = {
  organization: organizations,
  user: users,
  group: groups,
  content,
  transmission: transmissions,
}

/** People in the groups of a groupadmin who are looked at one by one; more are looked for like those of an organization. */
const crowd = 5_000

export async function sourcesFor(tx: Tx, caller: Caller, kinds: readonly SearchKind[]): Promise<Source[]> {
  const isCrowd = kinds.includes('user') && (await peopleSeen(tx, caller)) > crowd
  return kinds.map((kind) => sources[kind](caller, isCrowd))
}

/** At most; who is in two groups counts twice. */
async function peopleSeen(tx: Tx, { role, groupIds }: Caller): Promise<number> {
  if (role !== 'groupadmin') return 0
  const counted = await row(
    tx,
    Count,
    sql`select coalesce(sum(${counterOf('g', 'member_count')}), 0)::int as n from groups g where g.id = any(${arrayOf(groupIds, 'uuid')})`,
  )
  return counted?.n ?? 0
}
