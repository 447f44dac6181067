import * as z from 'zod/mini'
import type { Leaving } from '#contract/transmissions/leaving.ts'
import { ZoneAhead, ZoneWaiting } from '#contract/transmissions/waves.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { reached, type ChosenAudience } from './audience.ts'
import type { Key } from '../ledger/states.ts'

/** This expression gives the zone of `users u` in `organizations o`. */
const zoneOf = sql`known_zone(u.time_zone, o.time_zone)`

/**
 * This row is about somebody who is entered into the ledger, `g.user_id`. It gives their zone, null for that of the organization, and the
 * instant at which they are due. In waves that is infinity until their wave begins; an hour on their clock that has passed means now.
 */
export const entryOf = ({ id }: Key): SQL =>
  sql`(select z.zone, case when t.waves is not null then 'infinity'
      when t.leaves_clock is not null then greatest(now(), clock_instant(t.leaves_clock, coalesce(z.zone, o.time_zone))) else now() end as due_at
    from transmissions t join organizations o on o.id = t.organization_id join users u on u.id = g.user_id
      cross join lateral (select nullif(${zoneOf}, o.time_zone) as zone) z
    where t.id = ${id})`

/** This expression gives the zones of those who are in the ledger of a transmission. */
export const zonesOfLedger = ({ id }: Key): SQL =>
  sql`array(select distinct d.time_zone from deliveries d where d.transmission_id = ${id} and d.time_zone is not null)`

/**
 * Moves the beginning of a transmission that leaves at an hour on each recipient's clock to that hour in the first of the zones in the
 * organization.
 */
export async function beginWithFirstZone(tx: Tx, { id, organizationId }: Key): Promise<void> {
  await tx.execute(
    sql`update transmissions t set scheduled_at = greatest(now(), least(t.scheduled_at,
        (select min(clock_instant(t.leaves_clock, ${zoneOf})) from organizations o join (select distinct time_zone from users
            where organization_id = ${organizationId} and time_zone is not null and deleted_at is null) u on true
          where o.id = t.organization_id)))
      where t.id = ${id} and t.organization_id = ${organizationId} and t.state = 'scheduled' and t.leaves_clock is not null`,
  )
}

/**
 * Returns how many people of an audience get it at which instant, if it leaves at an hour on their own clocks; the first ones come first.
 */
export function zonesAhead(
  tx: Tx,
  chosen: ChosenAudience,
  { day, time }: Leaving,
): Promise<z.infer<typeof ZoneAhead>[]> {
  return rows(
    tx,
    ZoneAhead,
    sql`with reached as materialized (${reached(chosen)}),
      placed as (select z.zone, clock_instant(${`${day}T${time}`}::timestamp, z.zone) as at from reached r join users u on u.id = r.id
          join organizations o on o.id = u.organization_id cross join lateral (select ${zoneOf} as zone) z
        where r.reason is null)
      select zone as "timeZone", count(*)::int as people, ${isoText(sql`at`)} as at, at <= now() as "isPast"
        from placed group by zone, placed.at order by placed.at, zone`,
  )
}

/** Returns the people for whom the hour has not come yet, by zone. */
export function zonesWaiting(tx: Tx, { id, organizationId }: Key): Promise<z.infer<typeof ZoneWaiting>[]> {
  return rows(
    tx,
    ZoneWaiting,
    sql`select coalesce(d.time_zone, o.time_zone) as "timeZone", count(*)::int as people, ${isoText(sql`d.due_at`)} as at
      from transmissions t join organizations o on o.id = t.organization_id join deliveries d on d.transmission_id = t.id
      where t.id = ${id} and t.organization_id = ${organizationId} and t.leaves_clock is not null
        and d.state = 'queued' and d.due_at > now() and d.due_at < 'infinity' group by 1, d.due_at order by d.due_at, 1`,
  )
}
