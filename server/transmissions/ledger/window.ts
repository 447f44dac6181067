import * as z from 'zod/mini'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

/** This expression gives the instant from which mails may leave, as of now, on a clock of `organizations o`. */
const opensIn = (zone: SQL): SQL => sql`window_opens(o.policies->'sendWindow', ${zone}, now())`

/**
 * This table has the zones of `transmissions t` as `z`, that of the organization first, because the hours are those of each recipient's
 * clock.
 */
const zones = sql`unnest(array[o.time_zone] || t.zones) with ordinality z(zone, n)`
const isOpenIn = sql`(t.outside_window or ${opensIn(sql`z.zone`)} <= now())`

/**
 * This condition on `transmissions t` and `organizations o` holds when it is within the hours somewhere, or when somebody wants it to leave
 * all the same.
 */
export const isWithinHours = sql`exists (select from ${zones} where ${isOpenIn})`

/** This expression lists the zones in which mails may leave now, to be compared with the zone of a delivery. */
export const openZones = sql`array(select case z.n when 1 then '' else z.zone end from ${zones} where ${isOpenIn})`

/** This expression gives the instant at which what is being sent goes on; null means that it is not waiting for that. */
export const goesOnAt = sql`case when t.state in ('preparing', 'sending') and not ${isWithinHours}
  then (select min(${opensIn(sql`z.zone`)}) from ${zones}) end`

const Opening = z.object({ opensAt: z.nullable(z.string()) })
const opens = opensIn(sql`o.time_zone`)

/** Returns the instant at which something that is sent now begins to leave; null means at once. */
export async function openingOf(tx: Tx, organizationId: string): Promise<string | null> {
  const { opensAt } = await requireRow(
    tx,
    Opening,
    sql`select ${isoText(sql`case when ${opens} > now() then ${opens} end`)} as "opensAt" from organizations o where o.id = ${organizationId}`,
  )
  return opensAt
}
