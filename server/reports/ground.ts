import type { ReportPeriod } from '#contract/reports.ts'
import { row, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { refuse } from '../errors.ts'
import type { Caller } from '../http/bearer.ts'
import { seesUser } from '../http/sight.ts'
import { discreetOrganizations, showsPersons } from '../plays/privacy.ts'
import { byPeople } from '../plays/programs.ts'

/** What a report stands on: whose rows it may count, and since when. */
export type Ground = {
  /** Null: all organizations, for superadmins only. */
  organization: { id: string; name: string } | null
  /** A groupadmin counts the members of these groups only. */
  groupIds: readonly string[] | undefined
  /** First instant (UTC) of the period, and the first days of its steps up to now. */
  from: string
  days: readonly string[]
  unit: 'day' | 'month'
}

/** Condition on a column with the organization: what single persons of it watched may be shown. */
export function shows(ground: Ground, column: SQL): SQL {
  return ground.organization
    ? showsPersons(sql`${ground.organization.id}::uuid`)
    : sql`${column} not in ${discreetOrganizations}`
}

/** Condition: sums of how people watched may be told; over all organizations, of those that allow it. */
export function toldOf(ground: Ground): SQL {
  return ground.organization ? shows(ground, sql`null`) : sql`true`
}

type Asked = { organizationId?: string | undefined; period: ReportPeriod }

/** Refuses another organization than one's own, and one that is not (or not any more) there, with `not_found`. */
export async function groundOf(tx: Tx, caller: Caller, { organizationId, period }: Asked): Promise<Ground> {
  const wanted = caller.organizationId ?? organizationId
  if (organizationId !== undefined && organizationId !== wanted) throw refuse('not_found')
  const groupIds = caller.role === 'groupadmin' ? caller.groupIds : undefined
  const organization = wanted === undefined ? null : await organizationOf(tx, wanted)
  return { organization, groupIds, ...spanOf(period, new Date()) }
}

async function organizationOf(tx: Tx, id: string): Promise<{ id: string; name: string }> {
  const found = await row<{ id: string; name: string }>(
    tx,
    sql`select id, name from organizations where id = ${id} and deleted_at is null`,
  )
  if (!found) throw refuse('not_found')
  return found
}

const dayCounts = { '7d': 7, '30d': 30, '90d': 90 } as const

/** Today, or this month, is the last step. */
export function spanOf(period: ReportPeriod, now: Date): Pick<Ground, 'from' | 'days' | 'unit'> {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const firstDays =
    period === '12m'
      ? Array.from({ length: 12 }, (_month, n) => Date.UTC(year, month - 11 + n, 1))
      : Array.from({ length: dayCounts[period] }, (_day, n, count = dayCounts[period]) =>
          Date.UTC(year, month, day - count + 1 + n),
        )
  const days = firstDays.map((at) => new Date(at).toISOString().slice(0, 10))
  return { from: `${days[0]}T00:00:00.000Z`, days, unit: period === '12m' ? 'month' : 'day' }
}

/** Condition on a column with the organization. */
export function owned({ organization }: Ground, column: SQL): SQL {
  if (organization) return sql`${column} = ${organization.id}`
  // Leaving out the few that are gone keeps the planner's estimates right, which picking all the others does not.
  return sql`${column} is not null and ${column} not in (select id from organizations where deleted_at is not null)`
}

/** Condition on a column with a person; nothing to add for who sees everybody. */
export function seen({ groupIds, organization }: Ground, userId: SQL): SQL | undefined {
  return organization ? seesUser({ organizationId: organization.id, groupIds }, userId) : undefined
}

export function since({ from }: Ground, column: SQL): SQL {
  return sql`${column} >= ${from}::timestamptz`
}

/** A sitting with a video counts on the day on which it began; it cannot have ended before, so that the index narrows it. */
export function sittings(ground: Ground): SQL {
  return sql`${owned(ground, sql`p.organization_id`)} and ${since(ground, sql`p.last_at`)}
    and ${since(ground, sql`p.started_at`)} and ${byPeople(sql`p.flags`)}`
}

/** The step of the plot in which an instant lies, by its first day: a date. */
export function stepOf({ unit }: Ground, column: SQL): SQL {
  return sql`date_trunc(${sql.raw(`'${unit}'`)}, ${column} at time zone 'UTC')::date`
}

/** Every step of the period, with 0 where nothing was counted. */
export function stepsOf<const Name extends string>(
  { days }: Ground,
  counted: readonly { day: string | null; n: number }[],
  name: Name,
): ({ day: string } & Record<Name, number>)[] {
  const byDay = new Map(counted.map(({ day, n }) => [day, n]))
  return days.map((day) => Object.assign({ day }, { [name]: byDay.get(day) ?? 0 } as Record<Name, number>))
}
