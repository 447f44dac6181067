import { sql, type SQL } from '../platform/db/sql.ts'
import { members, type ReportScope } from './scope.ts'

/**
 * Entries of the audit log, counted: `c(organization_id, day, <what>, n)`. Nearly all of them stand in sums, which follow when an entry
 * gets its link in the chain; the few that wait for it are looked up. `where` is a condition on `organization_id`.
 */
function counted(table: 'audit_days' | 'actor_days', what: 'action' | 'actor_id', where: SQL): SQL {
  const [from, column] = [sql.raw(table), sql.raw(what)]
  return sql`(select organization_id, day, ${column}, n from ${from} where ${where}
    union all select a.organization_id, (a.at at time zone 'UTC')::date, a.${column}, 1 from audit_unsealed w
      cross join lateral (select * from audit e where e.id = w.audit_id offset 0) a where ${where} and a.${column} is not null) c`
}

export const entriesByAction = (where: SQL): SQL => counted('audit_days', 'action', where)
/** Without those of nobody. */
export const entriesByActor = (where: SQL): SQL => counted('actor_days', 'actor_id', where)

/** Condition on a column of `c` with a day. */
export function inPeriod({ span }: ReportScope, column: SQL): SQL {
  return sql`${column} between ${span.from}::date and ${span.to}::date`
}

/** A report on nobody and nothing in particular is read from sums. */
export function isOnEverything(scope: ReportScope): boolean {
  const { project, video, transmission } = scope.subjects
  return !members(scope, sql`null`) && !project && !video && !transmission
}
