import { alertLimits } from '#contract/platform/alerts.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { seesUser, type Visibility } from '../platform/http/visibility.ts'
import { lies, type OrganizationScope } from './scope.ts'
import { isActive } from '../people.ts'

export const organizationsWithoutAdmin: SQL = sql`select o.id, o.name, o.id as organization_id from organizations o
  where o.deleted_at is null and o.state = 'active' and not exists (select from users u
    where u.organization_id = o.id and u.role = 'admin' and u.deleted_at is null and ${isActive('u')})`

const pending = (
  scope: OrganizationScope,
  which: SQL,
): SQL => sql`select i.id, i.email as name, i.organization_id
  from invitations i left join mails m on m.id = i.mail_id
  where i.state = 'pending' and i.expires_at > now() and ${lies(scope, 'i')} and ${which}`

export const failedInvitations = (scope: OrganizationScope): SQL => pending(scope, sql`m.state = 'failed'`)

export const expiringInvitations = (scope: OrganizationScope): SQL =>
  pending(
    scope,
    sql`i.expires_at <= now() + make_interval(days => ${alertLimits.expiringDays}) and m.state is distinct from 'failed'`,
  )

/** Keys that expire soon, or have lately. */
export const expiringKeys = (scope: OrganizationScope): SQL =>
  sql`select a.id, a.name, a.organization_id from service_accounts a
    join service_tokens t on t.account_id = a.id and t.replaced_until is null
    where ${scope === null ? sql`(a.organization_id is null or ${lies(null, 'a')})` : lies(scope, 'a')} and a.revoked_at is null
      and t.expires_at between now() - make_interval(days => ${alertLimits.keyDays}) and now() + make_interval(days => ${alertLimits.keyDays})`

export const dormantAdmins = (
  scope: OrganizationScope,
): SQL => sql`select u.id, u.name, u.organization_id from users u
  where ${lies(scope, 'u')} and u.role is not null and u.deleted_at is null and ${isActive('u')}
    and coalesce(u.last_seen_at, u.created_at) < now() - make_interval(days => ${alertLimits.dormantDays})`

/** Who has no groupadmins at all does not miss them. */
export const groupsWithoutGroupadmin = (
  scope: OrganizationScope,
): SQL => sql`select g.id, g.name, g.organization_id from groups g
  where ${lies(scope, 'g')} and g.deleted_at is null
    and not exists (select 1 from group_members m join users u on u.id = m.user_id and u.deleted_at is null
      where m.group_id = g.id and m.groupadmin)
    and exists (select 1 from users u where u.organization_id = g.organization_id and u.role = 'groupadmin' and u.deleted_at is null)`

/** People whose mails would be dropped, because their address does not exist. */
export const barredAddresses = (visibility: Visibility): SQL =>
  sql`select u.id, u.name, u.organization_id from suppressions s
    join users u on u.organization_id = s.organization_id and u.email = s.address and u.deleted_at is null and ${isActive('u')}
    where ${all([
      sql`s.organization_id = ${visibility.organizationId} and (s.expires_at is null or s.expires_at > now())`,
      seesUser(visibility, sql`u.id`),
    ])}`

export const peopleWithoutGroup = ({ organizationId }: Visibility): SQL =>
  sql`select u.id, u.name, ${organizationId}::uuid as organization_id
    from (select p.id, p.name, p.role, ${isActive('p')} as is_active from users p where p.organization_id = ${organizationId}
      and p.deleted_at is null order by p.created_at desc, p.id desc limit ${alertLimits.newestPeople}) u
    left join lateral (select true as found from group_members m
      where m.user_id = u.id and m.organization_id = ${organizationId} limit 1) member on true
    where u.role is null and u.is_active and member.found is null
      and exists (select 1 from groups g where g.organization_id = ${organizationId} and g.deleted_at is null)`
