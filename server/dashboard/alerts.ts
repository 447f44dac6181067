import { alertKinds, mostCounted, Alerts } from '#contract/platform/alerts.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, isoText, planForValues } from '../platform/db/search.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { visibilityOf, type Visibility } from '../platform/http/visibility.ts'
import type { OrganizationScope } from '../alerts/scope.ts'
import { setAsideItems } from '../alerts/aside.ts'
import { failingBackups } from '../alerts/backups.ts'
import * as people from '../alerts/people.ts'
import * as sending from '../alerts/sending.ts'
import * as work from '../alerts/work.ts'
import { overduePeople } from '../matrix/overdue.ts'
import { matrixNow, type Matrix } from '../matrix/current.ts'

/** What needs attention, the most urgent first. `organizationId` null: in all organizations that are active. */
export async function alertsOf(tx: Tx, caller: Caller, organizationId: string | null): Promise<Alerts[]> {
  await planForValues(tx)
  const items = organizationId === null ? inAll().map(itemOverAll) : await itemsOf(tx, caller, organizationId)
  const found = await rows(
    tx,
    Alerts,
    sql`select f.*, ${isoText(sql`h.until`)} as "hiddenUntil" from (${union(items)}) f
      left join hidden_attention h on h.owner_id = ${caller.userId} and h.kind = f.kind and h.until > now() and h.count >= f.count
        and h.organization_id is not distinct from ${organizationId}::uuid`,
  )
  const urgency = ({ kind }: Alerts) => alertKinds.indexOf(kind)
  return found.toSorted((a, b) => urgency(a) - urgency(b))
}

/** Rows with `id`, `name` and `organization_id`. */
type Item = {
  kind: Alerts['kind']
  of: SQL
  /** Without pages of their own only their number is told. */
  isBare?: true
}

async function itemsOf(tx: Tx, caller: Caller, organizationId: string): Promise<SQL[]> {
  const visibility = visibilityOf(caller, organizationId)
  const { groupIds } = visibility
  const mine = ofPeople(visibility, await matrixNow(tx, organizationId))
  return [...mine, ...(groupIds ? inGroups(visibility, groupIds, caller.userId) : inOne(visibility))].map(
    itemOf,
  )
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
    from (select *, row_number() over (order by ${called(sql`name`)}, id) as nth
      from (${of} limit ${mostCounted + 1}) counted) f having count(*) > 0`
}

/** The organizations that have most of it: there is where something is done about it. */
function itemOverAll({ kind, of }: Item): SQL {
  return sql`select ${kind}::text as kind, least(sum(f.n), ${mostCounted + 1})::int as count, '[]'::json as samples,
      coalesce(json_agg(json_build_object('id', f.organization_id, 'name', f.name, 'count', f.n) order by f.nth)
        filter (where f.nth <= 3 and f.organization_id is not null), '[]') as organizations
    from (select c.organization_id, o.name, c.n, row_number() over (order by c.n desc, ${called(sql`o.name`)}, c.organization_id) as nth
      from (select organization_id, count(*)::int as n from (${of}) counted group by organization_id) c
      left join organizations o on o.id = c.organization_id) f having count(*) > 0`
}

/** What can be found by an index or among few, whoever it belongs to. */
const shared = (scope: OrganizationScope): Item[] => [
  { kind: 'paused_transmissions', of: sending.pausedTransmissions(scope) },
  { kind: 'failed_mails', of: sending.failedMails(scope), isBare: true },
  { kind: 'pending_approvals', of: sending.pendingApprovals(scope) },
  { kind: 'failed_videos', of: work.failedVideos(scope) },
  { kind: 'failed_operations', of: work.failedOperations(scope), isBare: true },
  { kind: 'refused_events', of: work.refusedEvents(scope) },
  { kind: 'returned_messages', of: sending.returnedMessages(scope) },
  { kind: 'expiring_keys', of: people.expiringKeys(scope), isBare: true },
  { kind: 'failed_invitations', of: people.failedInvitations(scope) },
  { kind: 'expiring_invitations', of: people.expiringInvitations(scope) },
  { kind: 'dormant_admins', of: people.dormantAdmins(scope) },
  { kind: 'groups_without_groupadmin', of: people.groupsWithoutGroupadmin(scope) },
]

/** Single people are the business of their organization. */
const inAll = (): Item[] => [
  { kind: 'organizations_without_admin', of: people.organizationsWithoutAdmin },
  { kind: 'failing_senders', of: sending.failingSenders },
  { kind: 'failing_backups', of: failingBackups },
  { kind: 'failing_conversion', of: work.failingConversion },
  { kind: 'set_aside', of: setAsideItems },
  ...shared(null),
]

const ofPeople = (visibility: Visibility, matrix: Matrix): Item[] => [
  {
    kind: 'overdue_people',
    of: sql`select o.*, ${visibility.organizationId}::uuid as organization_id from (${overduePeople(visibility, matrix)}) o`,
  },
  { kind: 'barred_addresses', of: people.barredAddresses(visibility) },
]

const inOne = (visibility: Visibility): Item[] => [
  ...shared(visibility.organizationId),
  { kind: 'failing_senders', of: sending.failingTransmissions(visibility.organizationId) },
  { kind: 'people_without_group', of: people.peopleWithoutGroup(visibility) },
]

/** Only what a groupadmin can do something about, and sees. */
function inGroups(visibility: Visibility, groupIds: readonly string[], userId: string): Item[] {
  const { organizationId } = visibility
  const mine = arrayOf(groupIds, 'uuid')
  const invited = (found: SQL) => sql`select f.* from (${found}) f join invitations i on i.id = f.id
    where i.role = 'groupadmin' and i.group_ids && ${mine} and not exists (select 1 from groups g
      where g.organization_id = i.organization_id and g.deleted_at is null and g.id = any(i.group_ids) and g.id <> all(${mine}))`
  return [
    {
      kind: 'failed_operations',
      of: sql`select f.* from (${work.failedOperations(organizationId)}) f where f.created_by = ${userId}`,
      isBare: true,
    },
    { kind: 'failed_invitations', of: invited(people.failedInvitations(organizationId)) },
    { kind: 'expiring_invitations', of: invited(people.expiringInvitations(organizationId)) },
  ]
}
