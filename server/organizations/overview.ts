import type { Reply } from '#contract/endpoint.ts'
import {
  attentionKinds,
  attentionLimits,
  mostCounted,
  type Attention,
  type readOrganizationOverview,
} from '#contract/overview.ts'
import { arrayOf, row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, isoText } from '../db/search.ts'
import { refuse } from '../errors.ts'
import { seesUser, type Sight } from '../http/sight.ts'
import { dayOnly, showsPersons } from '../plays/privacy.ts'

type Overview = Reply<typeof readOrganizationOverview>
type Figures = Omit<Overview, 'attention'>

/** Two statements that leave in one flush. */
export async function overviewOf(tx: Tx, sight: Sight): Promise<Overview> {
  const [figures, attention] = await together(
    row<Figures>(tx, sight.groupIds ? figuresOfGroups(sight, sight.groupIds) : figuresOfAll(sight)),
    rows<Attention>(tx, sight.groupIds ? attentionOfGroups(sight, sight.groupIds) : attentionOfAll(sight)),
  )
  if (!figures) throw refuse('not_found')
  const urgency = ({ kind }: Attention) => attentionKinds.indexOf(kind)
  return { ...figures, attention: attention.toSorted((a, b) => urgency(a) - urgency(b)) }
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
function figuresOfAll({ organizationId }: Sight): SQL {
  const own = sql`organization_id = ${organizationId}`
  const living = sql`users where ${own} and deleted_at is null`
  return sql`with ${privacy(organizationId)}, off as materialized (select count(*) filter (where state = 'invited')::int as invited,
        count(*) filter (where state = 'disabled')::int as disabled from ${living} and state in ('invited', 'disabled')),
      roles as materialized (select count(*) filter (where role = 'admin')::int as admins,
        count(*) filter (where role = 'groupadmin')::int as groupadmins from ${living} and role is not null)
    select json_build_object('total', o.user_count,
        'byState', json_build_object('active', greatest(0, o.user_count - off.invited - off.disabled), 'invited', off.invited,
          'disabled', off.disabled),
        'admins', roles.admins, 'groupadmins', roles.groupadmins,
        'added', ${trendOf(sql`1`, sql`created_at >= ${since.now}`, sql`${living} and created_at >= ${since.before}`)}) as people,
      ${trendOf(
        sql`c.n`,
        sql`t.created_at >= ${since.now}`,
        sql`transmissions t join transmission_counts c on c.transmission_id = t.id and c.state <> 'skipped'
          where t.organization_id = ${organizationId} and t.created_at >= ${since.before}`,
      )} as messages,
      case when ${shows} then ${trendOf(sql`watch_ms`, sql`day >= ${dayOf(since.now)}`, sql`day_rollups where ${own} and day >= ${dayOf(since.before)}`)} end as "watchedMs",
      ${inFlight(organizationId)} as "inFlight",
      ${newest(organizationId, sql`true`)} as newest
    from organizations o, off, roles where o.id = ${organizationId} and o.deleted_at is null`
}

/** The same of the members of some groups; transmissions are not a groupadmin's to see. */
function figuresOfGroups({ organizationId }: Sight, groupIds: readonly string[]): SQL {
  const state = (name: string) => sql`count(*) filter (where p.state = ${name})::int`
  return sql`with ${privacy(organizationId)}, members as materialized (select distinct m.user_id as id from group_members m
        where m.organization_id = ${organizationId} and m.group_id = any(${arrayOf(groupIds, 'uuid')})),
      p as materialized (select u.id, u.state, u.role, u.created_at from users u join members on members.id = u.id
        where u.organization_id = ${organizationId} and u.deleted_at is null),
      sent as materialized (select d.created_at from deliveries d join members on members.id = d.user_id
        where d.organization_id = ${organizationId} and d.state <> 'skipped' and d.created_at >= ${since.before}),
      played as materialized (select s.watch_ms, s.started_at from play_sessions s
        where s.organization_id = ${organizationId} and s.user_id in (select id from members) and s.last_at >= ${since.before})
    select (select json_build_object('total', count(*)::int,
          'byState', json_build_object('active', ${state('active')}, 'invited', ${state('invited')}, 'disabled', ${state('disabled')}),
          'admins', count(*) filter (where p.role = 'admin')::int,
          'groupadmins', count(*) filter (where p.role = 'groupadmin')::int,
          'added', ${trendOf(sql`1`, sql`created_at >= ${since.now}`, sql`p where created_at >= ${since.before}`)}) from p) as people,
      ${trendOf(sql`1`, sql`created_at >= ${since.now}`, sql`sent`)} as messages,
      case when ${shows} then ${trendOf(sql`watch_ms`, sql`started_at >= ${since.now}`, sql`played where started_at >= ${since.before}`)} end as "watchedMs",
      json_build_object('total', 0, 'items', '[]'::json) as "inFlight",
      ${newest(organizationId, sql`w.user_id in (select id from members)`)} as newest
    from organizations o where o.id = ${organizationId} and o.deleted_at is null`
}

const underWay = sql`('scheduled', 'held', 'preparing', 'sending', 'paused', 'pending_approval')`

function inFlight(organizationId: string): SQL {
  const count = (...states: string[]) =>
    sql`coalesce(sum(c.n) filter (where c.state = any(${arrayOf(states, 'text')})), 0)::float8`
  return sql`(select json_build_object('total', count(*)::int, 'items', coalesce(json_agg(json_build_object('id', f.id,
        'subject', f.subject, 'state', f.state, 'reason', f.state_reason, 'audienceTotal', f.audience_total,
        'createdAt', ${isoText(sql`f.created_at`)}, 'sent', n.sent, 'troubled', n.troubled, 'dropped', n.dropped)
        order by f.created_at desc) filter (where f.nth <= 5), '[]'))
    from (select t.*, row_number() over (order by t.created_at desc) as nth from transmissions t
      where t.organization_id = ${organizationId} and t.state in ${underWay}) f
    left join lateral (select ${count('accepted', 'delivered')} as sent,
        ${count('bounced', 'rejected', 'expired', 'unknown')} as troubled, ${count('skipped', 'cancelled')} as dropped
      from transmission_counts c where c.transmission_id = f.id and f.nth <= 5) n on true)`
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

type Item = {
  kind: Attention['kind']
  /** Rows with `id` and `name`, of which the first by name are shown. */
  of: SQL
  /** Without pages of their own only their number is told. */
  isBare?: true
}

function itemOf({ kind, of, isBare }: Item): SQL {
  return sql`select ${kind}::text as kind, count(*)::int as count, ${
    isBare
      ? sql`'[]'::json`
      : sql`coalesce(json_agg(json_build_object('id', f.id, 'name', f.name) order by f.nth) filter (where f.nth <= 3), '[]')`
  } as samples
    from (select *, row_number() over (order by lower(name), id) as nth
      from (${of} limit ${mostCounted + 1}) counted) f having count(*) > 0`
}

function itemsOf(items: readonly Item[]): SQL {
  return sql.join(
    items.map((item) => sql`(${itemOf(item)})`),
    sql` union all `,
  )
}

function invitations(which: SQL): SQL {
  return sql`select i.id, i.email as name from invitations i left join mails m on m.id = i.mail_id
    where i.state = 'pending' and i.expires_at > now() and ${which}`
}

const soon = sql`i.expires_at <= now() + make_interval(days => ${attentionLimits.expiringDays}) and m.state is distinct from 'failed'`

/** People whose mails would be dropped, because their address does not exist. */
function barred(sight: Sight): SQL {
  return sql`select u.id, u.name from suppressions s
    join users u on u.organization_id = s.organization_id and u.email = s.address and u.deleted_at is null and u.state = 'active'
    where ${all([
      sql`s.organization_id = ${sight.organizationId} and (s.expires_at is null or s.expires_at > now())`,
      seesUser(sight, sql`u.id`),
    ])}`
}

function attentionOfAll(sight: Sight): SQL {
  const { organizationId } = sight
  const own = (alias: string) => sql`${sql.raw(alias)}.organization_id = ${organizationId}`
  const nobody = sql`not exists (select 1 from group_members m join users u on u.id = m.user_id and u.deleted_at is null
    where m.group_id = g.id and m.groupadmin)`
  return itemsOf([
    {
      kind: 'paused_transmissions',
      of: sql`select t.id, t.subject as name from transmissions t
        where ${own('t')} and (t.state = 'held' or (t.state = 'paused' and t.state_reason is not null))`,
    },
    {
      kind: 'failed_mails',
      of: sql`select m.id, m.address as name from mails m
        where ${own('m')} and m.state = 'failed' and m.created_at > now() - make_interval(hours => ${attentionLimits.failedHours})`,
      isBare: true,
    },
    {
      kind: 'returned_messages',
      of: sql`select t.id, t.subject as name from transmissions t where ${own('t')}
        and t.created_at > now() - make_interval(days => ${attentionLimits.returnedDays})
        and exists (select 1 from transmission_counts c where c.transmission_id = t.id and c.n > 0
          and c.state in ('bounced', 'rejected', 'expired', 'unknown'))`,
    },
    { kind: 'failed_invitations', of: invitations(sql`${own('i')} and m.state = 'failed'`) },
    { kind: 'expiring_invitations', of: invitations(sql`${own('i')} and ${soon}`) },
    {
      kind: 'dormant_admins',
      of: sql`select u.id, u.name from users u where ${own('u')} and u.role is not null and u.deleted_at is null and u.state = 'active'
        and coalesce(u.last_seen_at, u.created_at) < now() - make_interval(days => ${attentionLimits.dormantDays})`,
    },
    {
      kind: 'groups_without_groupadmin',
      of: sql`select g.id, g.name from groups g where ${own('g')} and g.deleted_at is null and ${nobody}
        and exists (select 1 from users u where ${own('u')} and u.role = 'groupadmin' and u.deleted_at is null)`,
    },
    { kind: 'barred_addresses', of: barred(sight) },
    {
      kind: 'people_without_group',
      of: sql`select u.id, u.name from (select id, name, role, state from users where organization_id = ${organizationId}
          and deleted_at is null order by created_at desc, id desc limit ${attentionLimits.newestPeople}) u
        left join lateral (select true as found from group_members m where m.user_id = u.id and ${own('m')} limit 1) member on true
        where u.role is null and u.state = 'active' and member.found is null
          and exists (select 1 from groups g where ${own('g')} and g.deleted_at is null)`,
    },
  ])
}

/** Only what a groupadmin can do something about, and sees. */
function attentionOfGroups(sight: Sight, groupIds: readonly string[]): SQL {
  const mine = arrayOf(groupIds, 'uuid')
  const own = sql`i.organization_id = ${sight.organizationId} and i.role = 'groupadmin' and i.group_ids && ${mine}
    and not exists (select 1 from groups g where g.organization_id = i.organization_id and g.deleted_at is null
      and g.id = any(i.group_ids) and g.id <> all(${mine}))`
  return itemsOf([
    { kind: 'failed_invitations', of: invitations(sql`${own} and m.state = 'failed'`) },
    { kind: 'expiring_invitations', of: invitations(sql`${own} and ${soon}`) },
    { kind: 'barred_addresses', of: barred(sight) },
  ])
}
