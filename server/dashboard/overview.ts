import { counterOf } from '../directory/organizations/counts.ts'
import type { Reply } from '#contract/endpoint.ts'
import { readOrganizationOverview } from '#contract/directory/overview.ts'
import { arrayOf, requireRow, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { visibilityOf, type Visibility } from '../platform/http/visibility.ts'
import { showsPersons } from '../directory/organizations/privacy.ts'
import { dayOnly } from '../platform/db/search.ts'
import { isToRecipient } from '../deliveries.ts'
import { personState } from '../people.ts'

type Overview = Reply<typeof readOrganizationOverview>

const OverviewRow = readOrganizationOverview.reply

export async function overviewOf(tx: Tx, caller: Caller, organizationId: string): Promise<Overview> {
  const visibility = visibilityOf(caller, organizationId)
  const figures = visibility.groupIds
    ? figuresOfGroups(visibility, visibility.groupIds)
    : figuresOfAll(visibility)
  return requireRow(tx, OverviewRow, figures)
}

const midnight = sql`date_trunc('day', now(), 'UTC')`
/** Beginnings of the last 30 days (UTC) and of the 30 before; as moments, so that the planner knows how few rows they find. */
const since = {
  now: sql`(${midnight} - interval '29 days')`,
  before: sql`(${midnight} - interval '59 days')`,
}
/** What single persons watched may be shown. */
const shows = sql`(select p.shows from privacy p)`
/** Of the organization alone, read once for the statement. */
const privacy = (organizationId: string) =>
  sql`privacy as materialized (select ${showsPersons(sql`${organizationId}::uuid`)} as shows)`
const dayOf = (moment: SQL) => sql`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD')`

/** `from` is about the 60 days. */
function trendOf(value: SQL, isNow: SQL, from: SQL): SQL {
  return sql`(select json_build_object('now', coalesce(sum(${value}) filter (where ${isNow}), 0)::float8,
    'before', coalesce(sum(${value}) filter (where not ${isNow}), 0)::float8) from ${from})`
}

/** People from the counter of the organization: only those who are not active are counted, and they are few. */
function figuresOfAll({ organizationId }: Visibility): SQL {
  const own = sql`organization_id = ${organizationId}`
  const living = sql`users where ${own} and deleted_at is null`
  return sql`with ${privacy(organizationId)}, off as materialized (select count(*) filter (where state = 'invited')::int as invited,
        count(*) filter (where state = 'disabled')::int as disabled from ${living} and state in ('invited', 'disabled')),
      roles as materialized (select count(*) filter (where role = 'admin')::int as admins,
        count(*) filter (where role = 'groupadmin')::int as groupadmins from ${living} and role is not null)
    select json_build_object('total', ${counterOf('o', 'user_count')},
        'byState', json_build_object('active', greatest(0, ${counterOf('o', 'user_count')} - off.invited - off.disabled), 'invited', off.invited,
          'disabled', off.disabled),
        'admins', roles.admins, 'groupadmins', roles.groupadmins,
        'added', ${trendOf(sql`1`, sql`created_at >= ${since.now}`, sql`${living} and created_at >= ${since.before}`)}) as people,
      ${trendOf(
        sql`c.n`,
        sql`t.dated_at >= ${since.now}`,
        sql`transmissions t join transmission_counts c on c.transmission_id = t.id and ${isToRecipient('c')}
          where t.organization_id = ${organizationId} and t.dated_at >= ${since.before}`,
      )} as messages,
      case when ${shows} then ${trendOf(sql`watch_ms`, sql`day >= ${dayOf(since.now)}`, sql`day_rollups where ${own} and day >= ${dayOf(since.before)}`)} end as "watchedMs",
      ${newest(organizationId, sql`true`)} as newest
    from organizations o, off, roles where o.id = ${organizationId} and o.deleted_at is null`
}

/** The same of the members of some groups; transmissions are not a groupadmin's to see. */
function figuresOfGroups({ organizationId }: Visibility, groupIds: readonly string[]): SQL {
  const state = (name: string) => sql`count(*) filter (where p.state = ${name})::int`
  return sql`with ${privacy(organizationId)}, members as materialized (select distinct m.user_id as id from group_members m
        where m.organization_id = ${organizationId} and m.group_id = any(${arrayOf(groupIds, 'uuid')})),
      p as materialized (select u.id, ${personState('u')}, u.role, u.created_at from users u join members on members.id = u.id
        where u.organization_id = ${organizationId} and u.deleted_at is null),
      sent as materialized (select d.created_at from deliveries d join members on members.id = d.user_id
        where d.organization_id = ${organizationId} and ${isToRecipient('d')} and d.created_at >= ${since.before}),
      played as materialized (select s.watch_ms, s.started_at from play_sessions s
        where s.organization_id = ${organizationId} and s.user_id in (select id from members) and s.last_at >= ${since.before})
    select (select json_build_object('total', count(*)::int,
          'byState', json_build_object('active', ${state('active')}, 'invited', ${state('invited')}, 'disabled', ${state('disabled')}),
          'admins', count(*) filter (where p.role = 'admin')::int,
          'groupadmins', count(*) filter (where p.role = 'groupadmin')::int,
          'added', ${trendOf(sql`1`, sql`created_at >= ${since.now}`, sql`p where created_at >= ${since.before}`)}) from p) as people,
      ${trendOf(sql`1`, sql`created_at >= ${since.now}`, sql`sent`)} as messages,
      case when ${shows} then ${trendOf(sql`watch_ms`, sql`started_at >= ${since.now}`, sql`played where started_at >= ${since.before}`)} end as "watchedMs",
      ${newest(organizationId, sql`w.user_id in (select id from members)`)} as newest
    from organizations o where o.id = ${organizationId} and o.deleted_at is null`
}

/**
 * The last six that watched something, each with the version that they were shown; where only completions are recorded, the last
 * six that completed something.
 */
function newest(organizationId: string, who: SQL): SQL {
  const lastAt = sql`case when ${shows} then w.last_at else ${dayOnly(sql`w.completed_at`)} end`
  const own = sql`select w.* from viewer_videos w where w.organization_id = ${organizationId} and ${who}`
  return sql`(select coalesce(json_agg(json_build_object(
      'user', case when u.id is not null then json_build_object('id', u.id, 'name', u.name, 'avatar', u.avatar) end,
      'video', json_build_object('id', v.id, 'title', v.title),
      'share', case when not ${shows} then null when x.duration_ms > 0 then least(1, w.covered_ms::float8 / x.duration_ms) else 0 end,
      'isCompleted', w.completed_at is not null, 'lastAt', ${isoText(lastAt)}) order by ${lastAt} desc), '[]')
    from ((${own} and ${shows} order by w.last_at desc limit 6)
      union all (${own} and not ${shows} and w.completed_at is not null order by w.completed_at desc limit 6)) w
    join video_versions x on x.id = w.version_id
    join videos v on v.id = w.video_id and v.deleted_at is null
    left join users u on u.id = w.user_id)`
}
