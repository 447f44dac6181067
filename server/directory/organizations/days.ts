import * as z from 'zod/mini'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'

type GivenDays = { dueAt?: string | null | undefined; linksEndAt?: string | null | undefined }
/** The instants of what was given. */
export const Days = z.object({ dueAt: z.nullable(z.string()), linksEndAt: z.nullable(z.string()) })
export type Days = z.infer<typeof Days>

/** A day ends where the organization is; how long its links last is its own choice where the transmission makes none. */
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

/** Expression for a file: the day at the end of which an instant (an expression) lies in a zone, or the instant as it is. */
export const dayOrInstant = (at: SQL, zone: SQL): SQL =>
  sql`case when (${at} at time zone ${zone})::time = '23:59:59.999' then to_char(${at} at time zone ${zone}, 'YYYY-MM-DD') else ${isoText(at)} end`

/** An instant as it is, and of a day its last millisecond in the organization whose row is asked. */
export function instantOf(given: string | null): SQL {
  if (given === null || given.includes('T')) return sql`${given}::timestamptz`
  return sql`((${given}::date + 1)::timestamp at time zone time_zone - interval '1 millisecond')`
}

/**
 * Expression: the day of messages, in the zone of `organizations z`. It begins with the hours of the organization, or where it has none
 * at eight in the morning there, so that no reminder leaves at night.
 */
export const today = sql`((now() at time zone z.time_zone)
  - coalesce((z.policies->'sendWindow'->>'from')::time::interval, interval '8 hours'))::date`
