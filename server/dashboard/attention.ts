import { attentionKinds, attentionLimits, mostCounted, type Attention } from '#contract/overview.ts'
import { arrayOf, rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, isoText, planForValues } from '../db/search.ts'
import type { Caller } from '../http/bearer.ts'
import { seesUser, sightOf, type Sight } from '../http/sight.ts'
import { overduePeople } from '../plays/overdue.ts'

/** What needs attention, the most urgent first. `organizationId` null: in all organizations that are active. */
export async function attentionOf(
  tx: Tx,
  caller: Caller,
  organizationId: string | null,
): Promise<Attention[]> {
  // A plan for any organization would walk through all deliveries to find who is late.
  await planForValues(tx)
  const found = await rows<Attention>(
    tx,
    sql`select f.*, ${isoText(sql`h.until`)} as "hiddenUntil" from (${itemsOf(caller, organizationId)}) f
      left join hidden_attention h on h.owner_id = ${caller.userId} and h.kind = f.kind and h.until > now() and h.count >= f.count
        and h.organization_id is not distinct from ${organizationId}::uuid`,
  )
  const urgency = ({ kind }: Attention) => attentionKinds.indexOf(kind)
  return found.toSorted((a, b) => urgency(a) - urgency(b))
}

/** Rows with `id`, `name` and `organization_id`. */
type Item = {
  kind: Attention['kind']
  of: SQL
  /** Without pages of their own only their number is told. */
  isBare?: true
}

function itemsOf(caller: Caller, organizationId: string | null): SQL {
  if (organizationId === null) return union(inAll().map(itemOverAll))
  const sight = sightOf(caller, organizationId)
  const { groupIds } = sight
  return union((groupIds ? inGroups(sight, groupIds, caller.userId) : inOne(sight)).map(itemOf))
}

const union = (items: readonly SQL[]) =>
  sql.join(
    items.map((item) => sql`(${item})`),
    sql` union all `,
  )

/** The first of them by name; counting stops when there are more than anybody reads. */
function itemOf({ kind, of, isBare }: Item): SQL {
  const samples = sql`coalesce(json_agg(json_build_object('id', f.id, 'name', f.name) order by f.nth) filter (where f.nth <= 3), '[]')`
  return sql`select ${kind}::text as kind, count(*)::int as count, ${isBare ? sql`'[]'::json` : samples} as samples,
      '[]'::json as organizations
    from (select *, row_number() over (order by lower(name), id) as nth
      from (${of} limit ${mostCounted + 1}) counted) f having count(*) > 0`
}

/** The organizations that have most of it: there is where something is done about it. */
function itemOverAll({ kind, of }: Item): SQL {
  return sql`select ${kind}::text as kind, least(sum(f.n), ${mostCounted + 1})::int as count, '[]'::json as samples,
      coalesce(json_agg(json_build_object('id', f.organization_id, 'name', f.name, 'count', f.n) order by f.nth)
        filter (where f.nth <= 3 and f.organization_id is not null), '[]') as organizations
    from (select c.organization_id, o.name, c.n, row_number() over (order by c.n desc, lower(o.name), c.organization_id) as nth
      from (select organization_id, count(*)::int as n from (${of}) counted group by organization_id) c
      left join organizations o on o.id = c.organization_id) f having count(*) > 0`
}

type Own = (alias: string) => SQL

const withinDays = (column: SQL, days: number) => sql`${column} > now() - make_interval(days => ${days})`

const paused = (own: Own): Item => ({
  kind: 'paused_transmissions',
  of: sql`select t.id, t.subject as name, t.organization_id from transmissions t
    where ${own('t')} and (t.state = 'held' or (t.state = 'paused' and t.state_reason is not null))`,
})

const failedMails = (own: Own): Item => ({
  kind: 'failed_mails',
  of: sql`select m.id, m.address as name, m.organization_id from mails m
    where ${own('m')} and m.state = 'failed' and m.created_at > now() - make_interval(hours => ${attentionLimits.failedHours})`,
  isBare: true,
})

const withoutAdmin: Item = {
  kind: 'organizations_without_admin',
  of: sql`select o.id, o.name, o.id as organization_id from organizations o where o.deleted_at is null and o.state = 'active'
    and not exists (select from users u where u.organization_id = o.id and u.role = 'admin' and u.deleted_at is null and u.state = 'active')`,
}

const approvals = (own: Own): Item => ({
  kind: 'pending_approvals',
  of: sql`select t.id, t.subject as name, t.organization_id from transmissions t where ${own('t')} and (t.state = 'pending_approval'
    or t.state = 'held' and t.state_reason in ('audience_grown', 'audience_changed'))`,
})

/** Also of a video whose older version plays on. */
const failedVideos = (own: Own): Item => ({
  kind: 'failed_videos',
  of: sql`select v.id, v.title as name, v.organization_id from videos v
    where ${own('v')} and v.deleted_at is null and v.failure is not null and v.state in ('failed', 'ready')`,
})

const failedOperations = (own: Own): Item => ({
  kind: 'failed_operations',
  of: sql`select p.id, p.kind as name, p.organization_id from operations p
    where ${own('p')} and p.state = 'failed' and ${withinDays(sql`p.finished_at`, attentionLimits.brokenDays)}`,
  isBare: true,
})

const returned = (own: Own): Item => ({
  kind: 'returned_messages',
  of: sql`select t.id, t.subject as name, t.organization_id from transmissions t where ${own('t')}
    and ${withinDays(sql`t.created_at`, attentionLimits.returnedDays)}
    and exists (select 1 from transmission_counts c where c.transmission_id = t.id and c.n > 0
      and c.state in ('bounced', 'rejected', 'expired', 'unknown'))`,
})

/** `own`: of the alias `i`. */
function invitations(own: SQL): Item[] {
  const of = (which: SQL) => sql`select i.id, i.email as name, i.organization_id
    from invitations i left join mails m on m.id = i.mail_id
    where i.state = 'pending' and i.expires_at > now() and ${own} and ${which}`
  return [
    { kind: 'failed_invitations', of: of(sql`m.state = 'failed'`) },
    {
      kind: 'expiring_invitations',
      of: of(sql`i.expires_at <= now() + make_interval(days => ${attentionLimits.expiringDays})
        and m.state is distinct from 'failed'`),
    },
  ]
}

const dormant = (own: Own): Item => ({
  kind: 'dormant_admins',
  of: sql`select u.id, u.name, u.organization_id from users u
    where ${own('u')} and u.role is not null and u.deleted_at is null and u.state = 'active'
    and coalesce(u.last_seen_at, u.created_at) < now() - make_interval(days => ${attentionLimits.dormantDays})`,
})

/** Who has no groupadmins at all does not miss them. */
const groupsAlone = (own: Own): Item => ({
  kind: 'groups_without_groupadmin',
  of: sql`select g.id, g.name, g.organization_id from groups g where ${own('g')} and g.deleted_at is null
    and not exists (select 1 from group_members m join users u on u.id = m.user_id and u.deleted_at is null
      where m.group_id = g.id and m.groupadmin)
    and exists (select 1 from users u where u.organization_id = g.organization_id and u.role = 'groupadmin' and u.deleted_at is null)`,
})

const overdue = (sight: Sight): Item => ({
  kind: 'overdue_people',
  of: sql`select o.*, ${sight.organizationId}::uuid as organization_id from (${overduePeople(sight)}) o`,
})

/** People whose mails would be dropped, because their address does not exist. */
const barred = (sight: Sight): Item => ({
  kind: 'barred_addresses',
  of: sql`select u.id, u.name, u.organization_id from suppressions s
    join users u on u.organization_id = s.organization_id and u.email = s.address and u.deleted_at is null and u.state = 'active'
    where ${all([
      sql`s.organization_id = ${sight.organizationId} and (s.expires_at is null or s.expires_at > now())`,
      seesUser(sight, sql`u.id`),
    ])}`,
})

const withoutGroup = ({ organizationId }: Sight): Item => ({
  kind: 'people_without_group',
  of: sql`select u.id, u.name, ${organizationId}::uuid as organization_id
    from (select id, name, role, state from users where organization_id = ${organizationId}
      and deleted_at is null order by created_at desc, id desc limit ${attentionLimits.newestPeople}) u
    left join lateral (select true as found from group_members m
      where m.user_id = u.id and m.organization_id = ${organizationId} limit 1) member on true
    where u.role is null and u.state = 'active' and member.found is null
      and exists (select 1 from groups g where g.organization_id = ${organizationId} and g.deleted_at is null)`,
})

/** What can be found by an index or among few, whoever it belongs to. */
const shared = (own: Own): Item[] => [
  paused(own),
  failedMails(own),
  approvals(own),
  failedVideos(own),
  failedOperations(own),
  returned(own),
  ...invitations(own('i')),
  dormant(own),
  groupsAlone(own),
]

/** Single people are the business of their organization. */
function inAll(): Item[] {
  const active = sql`(select id from organizations where deleted_at is null and state = 'active')`
  const own = (alias: string) => sql`${sql.raw(alias)}.organization_id in ${active}`
  return [withoutAdmin, ...shared(own)]
}

function inOne(sight: Sight): Item[] {
  const own = (alias: string) => sql`${sql.raw(alias)}.organization_id = ${sight.organizationId}`
  return [...shared(own), overdue(sight), barred(sight), withoutGroup(sight)]
}

/** Only what a groupadmin can do something about, and sees. */
function inGroups(sight: Sight, groupIds: readonly string[], userId: string): Item[] {
  const mine = arrayOf(groupIds, 'uuid')
  const own = sql`i.organization_id = ${sight.organizationId} and i.role = 'groupadmin' and i.group_ids && ${mine}
    and not exists (select 1 from groups g where g.organization_id = i.organization_id and g.deleted_at is null
      and g.id = any(i.group_ids) and g.id <> all(${mine}))`
  const started = () => sql`p.organization_id = ${sight.organizationId} and p.created_by = ${userId}`
  return [failedOperations(started), ...invitations(own), overdue(sight), barred(sight)]
}
