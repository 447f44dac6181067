import * as z from 'zod/mini'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'

type GivenDays = { dueAt?: string | null | undefined; linksEndAt?: string | null | undefined }
/** These are the instants of the days that were given. */
export const Days = z.object({ dueAt: z.nullable(z.string()), linksEndAt: z.nullable(z.string()) })
export type Days = z.infer<typeof Days>

/**
 * Turns days into instants. A day ends where the organization is, and the organization chooses how long links last where the transmission
 * does not.
 */
export async function daysOf(tx: Tx, organizationId: string, given: GivenDays): Promise<Days> {
  const { dueAt = null, linksEndAt } = given
  const byPolicy = sql`(now() + make_interval(days => (policies->>'linkDays')::int))`
  const found = await row(
    tx,
    Days,
    sql`select ${isoText(instantOf(dueAt))} as "dueAt",
        ${isoText(linksEndAt === undefined ? byPolicy : instantOf(linksEndAt))} as "linksEndAt"
      from organizations where id = ${organizationId}`,
  )
  return found ?? { dueAt: null, linksEndAt: null }
}

/** This expression for a file gives the day at the end of which an instant (an expression) lies in a zone, or else the instant as it is. */
export const dayOrInstant = (at: SQL, zone: SQL): SQL =>
  sql`case when (${at} at time zone ${zone})::time = '23:59:59.999' then to_char(${at} at time zone ${zone}, 'YYYY-MM-DD') else ${isoText(at)} end`

/** This expression gives an instant as it is, and for a day its last millisecond in the organization whose row is asked. */
export function instantOf(given: string | null): SQL {
  if (given === null || given.includes('T')) return sql`${given}::timestamptz`
  return sql`((${given}::date + 1)::timestamp at time zone time_zone - interval '1 millisecond')`
}

/**
 * This expression gives the day of messages, in the zone of `organizations z`. It begins with the hours of the organization, or at eight in
 * the morning there where it has none, so that no reminder leaves at night.
 */
export const today = sql`((now() at time zone z.time_zone)
  - coalesce((z.policies->'sendWindow'->>'from')::time::interval, interval '8 hours'))::date`
