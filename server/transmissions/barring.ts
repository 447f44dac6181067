import * as z from 'zod/mini'
import {
  barAddress,
  importBarredAddresses,
  readListed,
  type BarredAddress,
  type ListedProblem,
} from '#contract/barred-addresses.ts'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { requireRow, rows, type Tx } from '../platform/db/client.ts'
import { Id } from '../platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import type { Mount } from '../platform/http/mount.ts'
import { hasUnsubscribed, isBarred, readBarred } from './barred.ts'

/** `until`: through this day where the organization is. */
type Bar = { address: string; reason: string; until: string | null }
type Setting = { orgId: string; by: Exclude<Actor, 'system'> }

const Today = z.object({ today: z.string() })

/** The day that it is where the organization is. */
async function todayIn(tx: Tx, orgId: string): Promise<string> {
  const { today } = await requireRow(
    tx,
    Today,
    sql`select (now() at time zone time_zone)::date::text as today from organizations where id = ${orgId}`,
  )
  return today
}

/**
 * Bars the addresses, and gives the ids of those that it has barred. Left as they are: those that somebody has barred already. Set anew:
 * those whose time is over, and those whose reader has unsubscribed, because these still got what they owe. In the order of the
 * addresses, so that two lists at once never wait for each other.
 */
function setBars(tx: Tx, { orgId, by }: Setting, bars: readonly Bar[]) {
  return rows(
    tx,
    Id,
    sql`insert into suppressions as s (organization_id, address, reason, created_by, expires_at)
      select o.id, g.address, g.reason, ${by.caller?.userId ?? null}::uuid,
        (g.until + 1)::timestamp at time zone o.time_zone - interval '1 millisecond'
      from organizations o cross join jsonb_to_recordset(${JSON.stringify(bars)}::jsonb) as g(address text, reason text, until date)
      where o.id = ${orgId} order by g.address
      on conflict (organization_id, address) do update set reason = excluded.reason, created_by = excluded.created_by,
        created_at = now(), expires_at = excluded.expires_at where not ${isBarred} or ${hasUnsubscribed} returning id`,
  )
}

async function bar(tx: Tx, { orgId, by }: Setting, one: Bar): Promise<BarredAddress> {
  if (one.until !== null && one.until < (await todayIn(tx, orgId)))
    throw refuse('validation_failed', { fields: { until: ['not_ahead'] } })
  const [set] = await setBars(tx, { orgId, by }, [one])
  if (!set) throw refuse('already_exists', { fields: { address: ['taken'] } })
  const made = await readBarred(tx, set.id)
  const { address, reason, until } = made
  const entry = { organizationId: orgId, entity: 'barred_address', entityId: set.id }
  await audit(tx, by, { ...entry, action: 'address.barred', after: { address, reason, until } })
  return made
}

type List = ParsedBody<typeof importBarredAddresses>['addresses']

/** The bars by their addresses: each counts where it comes first. */
function barsOf(list: List, today: string) {
  const bars = new Map<string, Bar>()
  const refused: { line: number; problem: ListedProblem }[] = []
  for (const [index, given] of list.entries()) {
    const one = readListed(given)
    const problem = typeof one === 'string' ? one : one.until && one.until < today ? 'not_ahead' : null
    if (problem) refused.push({ line: index + 1, problem })
    else if (typeof one !== 'string' && !bars.has(one.address))
      bars.set(one.address, { ...one, reason: one.reason || 'Came with a list', until: one.until ?? null })
  }
  return { bars: [...bars.values()], refused }
}

async function barAll(
  tx: Tx,
  { orgId, by }: Setting,
  list: List,
): Promise<Reply<typeof importBarredAddresses>> {
  const { bars, refused } = barsOf(list, await todayIn(tx, orgId))
  const added = (await setBars(tx, { orgId, by }, bars)).length
  const after = { added, already: bars.length - added }
  const entry = { organizationId: orgId, entity: 'organization', entityId: orgId, after }
  if (added > 0) await audit(tx, by, { ...entry, action: 'addresses.barred' })
  return { ...after, refused }
}

export function barringRoutes(mount: Mount): void {
  mount(barAddress, ({ tx, params: { orgId }, body: { until = null, ...body }, caller, request }) =>
    bar(tx, { orgId, by: { caller, request } }, { ...body, until }),
  )
  mount(importBarredAddresses, ({ tx, params: { orgId }, body: { addresses }, caller, request }) =>
    barAll(tx, { orgId, by: { caller, request } }, addresses),
  )
}
