import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { readDashboard } from '#contract/directory/organizations.ts'
import { arrayOf, row, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { discreetOrganizations, mayTell, privacyOf } from '../directory/organizations/privacy.ts'
import { counterOf } from '../directory/organizations/counts.ts'
import { isResting, isToRecipient, wasSent } from '../deliveries.ts'

export type Figures = Reply<typeof readDashboard>
const Counted = z.extend(z.omit(readDashboard.reply, { watchedMs: true, days: true }), {
  watchedMs: z.number(),
  days: z.array(z.object({ day: z.string(), watchedMs: z.number(), viewers: z.number() })),
})
type Counted = z.infer<typeof Counted>

/** Leaves out what would tell of single persons whose viewing may not be shown. */
async function discreet(tx: Tx, organizationId: string, counted: Counted): Promise<Figures> {
  const privacy = await privacyOf(tx, organizationId)
  const mayShow = (day: { viewers: number }) => mayTell(privacy, day.viewers)
  const nothing = { watchedMs: null, viewers: null }
  return {
    ...counted,
    watchedMs: privacy.showsPersons || counted.days.some(mayShow) ? counted.watchedMs : null,
    days: counted.days.map((day) => (mayShow(day) ? day : { ...day, ...nothing })),
  }
}

/** The last 30 days (UTC), oldest first. */
const calendar = sql`(select ((now() at time zone 'UTC')::date - 29 + n)::text as day from generate_series(0, 29) n)`
const firstDay = sql`((now() at time zone 'UTC')::date - 29)`

/**
 * Key figures of one organization, or of all (`null`): people and content from the counters, sending from the counts of the
 * ledger, viewing from the rollup of the days.
 */
export async function figuresOf(tx: Tx, organizationId: string | null): Promise<Figures> {
  const alive = sql`select id from organizations where deleted_at is null`
  const mine = (column: SQL) =>
    organizationId === null ? sql`${column} in (${alive})` : sql`${column} = ${organizationId}`
  const own = mine(sql`organization_id`)
  // Over all of them, those that record only completions are left out: few of their people might stand behind a figure.
  const watched =
    organizationId === null ? sql`${own} and organization_id not in ${discreetOrganizations}` : own
  const found = await row(
    tx,
    Counted,
    sql`select count(*)::int as organizations, coalesce(sum(${counterOf('organizations', 'user_count')}), 0)::int as users,
        coalesce(sum(${counterOf('organizations', 'group_count')}), 0)::int as groups, coalesce(sum(${counterOf('organizations', 'video_count')}), 0)::int as videos,
        (select count(*)::int from transmissions t where ${own} and ${wasSent('t')}) as transmissions,
        (select coalesce(sum(n), 0)::int from transmission_counts c where ${own} and ${isToRecipient('c')}) as recipients,
        (select count(*)::int from deliveries d where ${own} and ${isResting}) as resting,
        (select count(*)::int from delivery_viewing where ${own} and opened_at is not null) as opened,
        (select count(*)::int from delivery_viewing where ${own} and completed_at is not null) as completed,
        (select coalesce(sum(watch_ms), 0)::float8 from day_rollups where ${watched}) as "watchedMs",
        (select json_agg(json_build_object('day', c.day, 'watchedMs', coalesce(w.ms, 0), 'viewers', coalesce(v.n, 0)) order by c.day)
          from ${calendar} c
          left join (select day, sum(watch_ms) as ms from day_rollups
            where ${watched} and day >= ${firstDay}::text group by day) w on w.day = c.day
          left join (select day, count(distinct viewer_key) as n from viewer_days
            where ${watched} and day >= ${firstDay}::text group by day) v on v.day = c.day) as days
      from organizations where ${mine(sql`id`)} and deleted_at is null`,
  )
  if (!found || (organizationId !== null && found.organizations === 0)) throw refuse('not_found')
  return organizationId === null ? found : discreet(tx, organizationId, found)
}

/** The same figures of the members of some groups only; nobody else's viewing is in them. */
export async function figuresOfGroups(
  tx: Tx,
  { organizationId, groupIds }: { organizationId: string; groupIds: readonly string[] },
): Promise<Figures> {
  const own = sql`organization_id = ${organizationId}`
  const member = (column: SQL) => sql`${column} in (select id from members)`
  const sent = all([sql`d.organization_id = ${organizationId}`, member(sql`d.user_id`)])
  const found = await row(
    tx,
    Counted,
    sql`with members as materialized (
        select distinct m.user_id as id from group_members m
        where m.organization_id = ${organizationId} and m.group_id = any(${arrayOf(groupIds, 'uuid')})
      ), sent as materialized (
        select d.transmission_id, t.video_id, ${isToRecipient('d')} as is_recipient, ${isResting} as resting, v.opened_at, v.completed_at
        from deliveries d
        join transmissions t on t.id = d.transmission_id and t.organization_id = d.organization_id
        left join delivery_viewing v on v.transmission_id = d.transmission_id and v.delivery_id = d.id
        where ${sent}
      ), played as materialized (
        select watch_ms, viewer_key, day from viewer_days where ${own} and ${member(sql`user_id`)}
      ), per_day as (
        select day, sum(watch_ms) as ms, count(distinct viewer_key) as n from played where day >= ${firstDay}::text group by day
      )
      select 1 as organizations, (select count(*)::int from members) as users, ${groupIds.length}::int as groups,
        (select count(distinct video_id)::int from sent) as videos,
        (select count(distinct transmission_id)::int from sent) as transmissions,
        (select count(*)::int from sent where is_recipient) as recipients,
        (select count(*)::int from sent where resting) as resting,
        (select count(*)::int from sent where opened_at is not null) as opened,
        (select count(*)::int from sent where completed_at is not null) as completed,
        (select coalesce(sum(watch_ms), 0)::float8 from played) as "watchedMs",
        (select json_agg(json_build_object('day', c.day, 'watchedMs', coalesce(p.ms, 0), 'viewers', coalesce(p.n, 0)) order by c.day)
          from ${calendar} c left join per_day p on p.day = c.day) as days`,
  )
  if (!found) throw refuse('not_found')
  return discreet(tx, organizationId, found)
}
