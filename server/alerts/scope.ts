import { sql, type SQL } from '../platform/db/sql.ts'

/** Where is looked: in one organization, or (null) in all that are active, since who is suspended or archived needs nothing. */
export type OrganizationScope = string | null

/** Condition on the alias of a table with `organization_id`. */
export function lies(scope: OrganizationScope, alias: string): SQL {
  const column = sql.raw(`${alias}.organization_id`)
  return scope === null
    ? sql`${column} in (select id from organizations where deleted_at is null and state = 'active')`
    : sql`${column} = ${scope}`
}

export const withinDays = (column: SQL, days: number) =>
  sql`${column} > now() - make_interval(days => ${days})`
