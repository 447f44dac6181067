import { alertLimits } from '#contract/platform/alerts.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** The last backup was not made or broke off, the newest that was checked is damaged, or the plan is on and none was made for days. */
export const failingBackups: SQL = sql`select null::uuid as id, '' as name, null::uuid as organization_id from backup_plan p
  where (p.failure is not null and p.ended_at >= p.started_at)
    or p.damage is not null
    or (coalesce(p.ended_at, '-infinity') < p.started_at and p.told_at < now() - interval '1 minute')
    or (p.is_on and greatest(p.made_at, p.updated_at) < now() - make_interval(days => ${alertLimits.backupDays}))`
