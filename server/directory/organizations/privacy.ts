import * as z from 'zod/mini'
import { defaultPolicies, trackingModes } from '#contract/directory/organizations.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

export const Privacy = z.object({
  mode: z.enum(trackingModes),
  /** It is true where it may be shown what single people watched. */
  showsPersons: z.boolean(),
  /** Where that may not be shown, it is told how a video was watched only for at least this number of people. */
  smallestGroup: z.number(),
})
export type Privacy = z.infer<typeof Privacy>

/**
 * This condition holds where it may be shown what single persons of an organization watched: parts, minutes, positions, sittings and
 * anything finer than "completed, on this day". It may not while the organization records only completions, and afterwards not before all
 * of that time has been deleted. `organizationId` is a column (of no table called `whose`) or a value.
 */
export function showsPersons(organizationId: SQL): SQL {
  return sql`coalesce((select whose.policies->>'trackingMode' is distinct from 'completed_only'
      and not exists (select from private_periods gap where gap.organization_id = whose.id and gap.wiped_at is null)
    from organizations whose where whose.id = ${organizationId}), false)`
}

/** This query selects the organizations of which no single person's viewing may be shown, for what is counted over all of them. */
export const discreetOrganizations = sql`(select d.id from organizations d where not ${showsPersons(sql`d.id`)})`

/** This expression on `organizations o` gives the number of months for which viewing evidence is kept. */
export const keptMonths = sql`coalesce((o.policies->>'retentionMonths')::int, ${defaultPolicies.retentionMonths})`

/** This expression on `organizations o` gives the day (UTC) before which no viewing evidence is kept. */
export const keptFrom = sql`((now() at time zone 'UTC')::date - make_interval(months => ${keptMonths}))::date`

export async function privacyOf(tx: Tx, organizationId: string): Promise<Privacy> {
  const id = sql`${organizationId}::uuid`
  const found = await row(
    tx,
    Privacy,
    sql`select coalesce(policies->>'trackingMode', 'full') as mode, ${showsPersons(id)} as "showsPersons",
        coalesce((policies->>'smallestGroup')::int, ${defaultPolicies.smallestGroup}) as "smallestGroup"
      from organizations where id = ${id}`,
  )
  return found ?? { mode: 'completed_only', showsPersons: false, smallestGroup: 50 }
}

/** Returns whether it may be told how this number of people together watched. Nobody at all counts as too few. */
export function mayTell({ showsPersons: shows, smallestGroup }: Privacy, people: number): boolean {
  return shows || people >= smallestGroup
}

/**
 * Ends times of recording nothing but completions for good. They have to have ended this number of hours ago, and nothing of what was
 * watched in them is left.
 */
export const endPrivatePeriods = (tx: Tx, organizationId: string, hours: number) =>
  tx.execute(sql`update private_periods p set wiped_at = now() where organization_id = ${organizationId} and wiped_at is null
    and ended_at < now() - make_interval(hours => ${hours}) and not exists (select from play_sessions s
      where s.organization_id = ${organizationId} and s.started_at < p.ended_at)`)
