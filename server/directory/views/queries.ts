import * as z from 'zod/mini'
import type { ParsedBody, ParsedQuery } from '#contract/endpoint.ts'
import {
  adminLists,
  mostViews,
  wideLists,
  type createView,
  type listViews,
  type updateView,
  View,
} from '#contract/directory/views.ts'
import { requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { called, all } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { readCount } from '../../platform/db/rows.ts'
import { requireOrganization } from '../organizations/queries.ts'

export const StoredView = z.extend(View, { organizationId: z.nullable(z.string()) })
export type StoredView = z.infer<typeof StoredView>

function columns(caller: Caller): SQL {
  const own = sql`w.owner_id = ${caller.userId}`
  return sql`w.id, w.organization_id as "organizationId", w.list, w.name, w.search, w.shared, ${own} as own,
    (select p.name from users p where p.id = w.owner_id) as "ownerName",
    (${own} or ${caller.role === 'groupadmin' ? sql`false` : sql`w.shared`}) as "mayRemove"`
}

/**
 * This condition holds for one's own views and the shared ones, in one's own organization. A superadmin is at home in all organizations.
 */
function visible(caller: Caller): SQL {
  return all([
    sql`(w.owner_id = ${caller.userId} or w.shared)`,
    caller.organizationId !== null && sql`w.organization_id = ${caller.organizationId}`,
    sql`(w.organization_id is null
      or exists (select 1 from organizations o where o.id = w.organization_id and o.deleted_at is null))`,
  ])
}

/** Returns the organization that a list belongs to, or null for the list of all. Refuses a list that the caller may not open. */
async function homeOf(
  tx: Tx,
  caller: Caller,
  { list, organizationId }: ParsedQuery<typeof listViews>,
): Promise<string | null> {
  if (caller.role === 'superadmin' && wideLists.has(list) && organizationId === undefined) return null
  if (list === 'organizations') throw refuse('forbidden')
  if (caller.role === 'groupadmin' && adminLists.has(list)) throw refuse('forbidden')
  if (organizationId === undefined)
    throw refuse('validation_failed', { fields: { organizationId: ['required'] } })
  if (caller.organizationId !== null && caller.organizationId !== organizationId) throw refuse('not_found')
  await requireOrganization(tx, organizationId)
  return organizationId
}

export async function findViews(
  tx: Tx,
  caller: Caller,
  place: ParsedQuery<typeof listViews>,
): Promise<StoredView[]> {
  const home = await homeOf(tx, caller, place)
  return rows(
    tx,
    StoredView,
    sql`select ${columns(caller)} from saved_views w
      where ${visible(caller)} and w.organization_id is not distinct from ${home}::uuid and w.list = ${place.list}
      order by ${called(sql`w.name`)}, w.id`,
  )
}

/** Finds a view and locks it until the transaction ends. */
export function findView(tx: Tx, caller: Caller, id: string): Promise<StoredView> {
  return requireRow(
    tx,
    StoredView,
    sql`select ${columns(caller)} from saved_views w where ${visible(caller)} and w.id = ${id} for update of w`,
  )
}

/** Refuses to let a groupadmin share a view, because it would reach people who see other groups than they do. */
function requireMayShare(caller: Caller, shared: boolean | undefined): void {
  if (shared && caller.role === 'groupadmin')
    throw refuse('forbidden', { reason: { code: 'views_not_shared' } })
}

export async function insertView(
  tx: Tx,
  caller: Caller,
  input: ParsedBody<typeof createView>,
): Promise<StoredView> {
  requireMayShare(caller, input.shared)
  const home = await homeOf(tx, caller, input)
  const saved = await readCount(
    tx,
    sql`select count(*)::int as n from saved_views w where w.owner_id = ${caller.userId} and w.list = ${input.list}
      and w.organization_id is not distinct from ${home}::uuid`,
  )
  if (saved >= mostViews)
    throw refuse('conflict', { reason: { code: 'too_many_views', params: { most: mostViews } } })
  return requireRow(
    tx,
    StoredView,
    sql`insert into saved_views as w (organization_id, owner_id, list, name, search, shared)
      values (${home}, ${caller.userId}, ${input.list}, ${input.name}, ${JSON.stringify(input.search)}::jsonb, ${input.shared})
      returning ${columns(caller)}`,
  )
}

export async function changeView(
  tx: Tx,
  caller: Caller,
  { before, input }: { before: StoredView; input: ParsedBody<typeof updateView> },
): Promise<StoredView> {
  if (!before.own) throw refuse('not_found')
  requireMayShare(caller, input.shared)
  const after = { ...before, ...input }
  return requireRow(
    tx,
    StoredView,
    sql`update saved_views w set name = ${after.name ?? before.name}, search = ${JSON.stringify(after.search)}::jsonb,
        shared = ${after.shared ?? before.shared}, updated_at = now() where w.id = ${before.id} returning ${columns(caller)}`,
  )
}

export async function removeView(tx: Tx, view: StoredView): Promise<void> {
  if (!view.mayRemove) throw refuse('not_found')
  await tx.execute(sql`delete from saved_views where id = ${view.id}`)
}
