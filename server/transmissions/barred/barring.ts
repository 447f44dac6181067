import * as z from 'zod/mini'
import {
  barAddress,
  importBarredAddresses,
  readListed,
  type BarredAddress,
  type ListedProblem,
} from '#contract/transmissions/barred-addresses.ts'
import { barReasonIn } from '#contract/transmissions/barred-labels.ts'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { isBarred, nobodyFor, readBarred } from './barred.ts'
import { noteWills } from './will.ts'

/** The bar holds through the day `until`, in the zone of the organization; null means for good. */
type Bar = { address: string; reason: string; until: string | null }
type Setting = { orgId: string; by: Exclude<Actor, 'system'> }

const Today = z.object({ today: z.string() })

/** Reads the present day in the zone of the organization. */
async function todayIn(tx: Tx, orgId: string): Promise<string> {
  const { today } = await requireRow(
    tx,
    Today,
    sql`select (now() at time zone time_zone)::date::text as today from organizations where id = ${orgId}`,
  )
  return today
}

/**
 * Bars the addresses, and returns the ids of what it has written. It leaves alone those that are barred already, and sets those anew whose
 * time is over. Two lists at once never wait for each other, as both go in the order of the addresses. A reason that our own lists use
 * means what it means there: whoever has unsubscribed still gets what they owe, and a mailbox that is not there may be made again.
 */
async function setBars(tx: Tx, { orgId, by }: Setting, bars: readonly Bar[]) {
  const given = bars.map((one) => ({ ...one, reason: barReasonIn(one.reason) ?? one.reason }))
  const author = sql`${by.caller?.userId ?? null}::uuid`
  const facts = await rows(
    tx,
    Id,
    sql`insert into suppressions as s (organization_id, address, reason, created_by, expires_at)
      select o.id, g.address, g.reason, ${author}, coalesce((g.until + 1)::timestamp at time zone o.time_zone - interval '1 millisecond',
          case when g.reason = 'no_such_mailbox' then now() + ${nobodyFor} end)
      from organizations o, jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g(address text, reason text, until date)
      where o.id = ${orgId} and g.reason <> 'unsubscribed' order by g.address
      on conflict (organization_id, address) do update set reason = excluded.reason, created_by = excluded.created_by,
        created_at = now(), expires_at = excluded.expires_at where not ${isBarred} returning id`,
  )
  const unwilling = given.filter(({ reason }) => reason === 'unsubscribed')
  if (unwilling.length === 0) return facts
  const wills = await rows(
    tx,
    Id,
    sql`${noteWills(sql`select ${orgId}::uuid as organization_id, u.id as user_id, g.address, ${author} as created_by
      from jsonb_to_recordset(${JSON.stringify(unwilling)}::jsonb) as g(address text)
        left join users u on u.organization_id = ${orgId} and u.email = g.address and u.deleted_at is null`)} returning id`,
  )
  return [...facts, ...wills]
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

/** Returns the bars by their addresses. An address that is listed twice counts where it comes first. */
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
