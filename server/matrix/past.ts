import * as z from 'zod/mini'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { keptFrom } from '../directory/organizations/privacy.ts'

/**
 * This table of (first, last), for `organizations o`, has the days of which the matrix can be read as it was. They ended since cells are
 * kept, and not longer ago than viewing evidence is. `last` is before `first` where there is none yet.
 */
export const pastDays = sql`(select greatest((o.matrix_since at time zone o.time_zone)::date, ${keptFrom}) as first,
  (now() at time zone o.time_zone)::date - 1 as last)`

const AskedDay = z.object({ end: z.string(), isOver: z.boolean(), isKept: z.boolean() })

/** Returns the instant at which a day of an organization ended. Refuses a day that is not over, and one of which nothing is kept. */
export async function endOf(tx: Tx, organizationId: string, day: string): Promise<SQL> {
  const { end, isOver, isKept } = await requireRow(
    tx,
    AskedDay,
    sql`select ${isoText(sql`(${day}::date + 1)::timestamp at time zone o.time_zone`)} as end,
        ${day}::date <= d.last as "isOver", ${day}::date >= d.first as "isKept"
      from organizations o cross join lateral ${pastDays} d where o.id = ${organizationId}`,
  )
  if (!isOver || !isKept)
    throw refuse('validation_failed', { fields: { on: [isOver ? 'not_kept' : 'not_over'] } })
  return sql`${end}::timestamptz`
}
