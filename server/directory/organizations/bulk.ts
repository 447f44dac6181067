import * as z from 'zod/mini'
import {
  changeOrganizations,
  OrganizationAction,
  previewOrganizations,
  type OrganizationSelection,
} from '#contract/directory/bulk.ts'
import { rowReasons } from '#contract/operations.ts'
import { Organization } from '#contract/directory/organizations.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { idsOf } from '../../platform/db/rows.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { endAccessOf } from '../../identity/session.ts'
import { beginOperation } from '../../operations/begin.ts'
import type { KindOfOperation, PendingRow, Work } from '../../operations/kinds.ts'
import { previewOf, requireCount, selectedBy } from '../../operations/preview.ts'
import {
  applied,
  entityIds,
  markRemoved,
  noteEach,
  recordsLeft,
  sortOut,
  undone,
  type Removal,
} from '../../operations/rows.ts'
import { matchingOrganizations, signOut } from './queries.ts'
import { called } from '../../platform/db/search.ts'

type State = Pick<Organization, 'state'>
const BulkCandidate = z.extend(z.pick(Organization, { id: true, name: true, state: true }), {
  blockedReason: z.nullable(z.enum(rowReasons)),
})
type BulkCandidate = z.infer<typeof BulkCandidate>

function blockedReasonOf(asked: OrganizationAction): SQL {
  if (asked.action === 'remove') return sql`null::text`
  return sql`case when o.state = ${asked.state} then 'already_' || o.state end`
}

/** Removes organizations. Everything inside stays; nobody of them signs in any more, and those who are signed in are signed out. */
export async function removeOrganizations(
  tx: Tx,
  organizations: readonly { id: string }[],
  by: string,
): Promise<ReadonlyMap<string, Removal>> {
  const ids = idsOf(organizations)
  const removed = await markRemoved(tx, sql`organizations`, sql`id = any(${ids})`)
  await endAccessOf(tx, sql`u.organization_id = any(${ids})`, { reason: 'removed', by })
  return removed
}

/** This condition holds when the actor is no superadmin any more, though they may have been one when they asked. */
const isNoMore = ({ actor }: Work) => sql`${actor.role !== 'superadmin'}`

function lockAlive(
  work: Work,
  asked: OrganizationAction,
  pending: readonly PendingRow[],
): Promise<BulkCandidate[]> {
  return rows(
    work.tx,
    BulkCandidate,
    sql`select o.id, o.name, o.state, case when ${isNoMore(work)} then 'not_allowed' else ${blockedReasonOf(asked)} end as "blockedReason"
      from organizations o where o.deleted_at is null and o.id = any(${entityIds(pending)}) order by o.id for update`,
  )
}

const removal: KindOfOperation = {
  kind: 'organizations.remove',

  async apply(work, pending) {
    const sorted = sortOut(pending, await lockAlive(work, { action: 'remove' }, pending))
    const removed = await removeOrganizations(work.tx, sorted.things, work.actor.userId)
    const note = { action: 'organization.removed', entity: 'organization', things: sorted.things } as const
    await noteEach(work, note, ({ name, state }) => ({ before: { name, state } }))
    return applied(sorted, 'removed', ({ id, name }) => ({ label: name, after: removed.get(id) }))
  },

  /**
   * Brings organizations back. People sign in again with what they had; an address that somebody else uses by now gets an ending of its
   * own.
   */
  async undo(work, done) {
    const { tx } = work
    const found = await rows(
      tx,
      BulkCandidate,
      sql`select o.id, o.name, o.state, case when ${isNoMore(work)} then 'not_allowed'
            when o.deleted_at is distinct from r."deletedAt" then 'changed_since' end as "blockedReason"
        from ${recordsLeft(done)} as r(id uuid, "deletedAt" timestamptz) join organizations o on o.id = r.id
        order by o.id for update of o`,
    )
    const { fit, things, others } = sortOut(done, found)
    const back = idsOf(things)
    await tx.execute(
      sql`update organizations o set deleted_at = null, updated_at = now(), slug = case
          when exists (select 1 from organizations t where t.slug = o.slug and t.deleted_at is null) or exists (
            select 1 from organizations t where t.slug = o.slug and t.id = any(${back}) and t.id < o.id)
          then o.slug || '-' || right(o.id::text, 8) else o.slug end
        where o.id = any(${back})`,
    )
    const note = { action: 'organization.restored', entity: 'organization', things } as const
    await noteEach(work, note, ({ name, state }) => ({ after: { name, state } }))
    return undone(fit, others)
  },
}

const change: KindOfOperation = {
  kind: 'organizations.change',

  async apply(work, pending) {
    const asked = OrganizationAction.parse(work.operation.params.do)
    if (asked.action !== 'change') throw new Error('another action')
    const sorted = sortOut(pending, await lockAlive(work, asked, pending))
    await setStates(
      work,
      sorted.things.map((one) => ({ one, state: asked.state })),
    )
    return applied(sorted, 'changed', ({ name, state }) => ({
      label: name,
      before: { state },
      after: { state: asked.state },
    }))
  },

  async undo(work, done) {
    const found = await rows(
      work.tx,
      BulkCandidate,
      sql`select o.id, o.name, o.state, case when ${isNoMore(work)} then 'not_allowed'
            when o.deleted_at is not null then 'gone' when o.state <> r.state then 'changed_since' end as "blockedReason"
        from ${recordsLeft(done)} as r(id uuid, state text) join organizations o on o.id = r.id
        order by o.id for update of o`,
    )
    const { fit, others } = sortOut(done, found)
    await setStates(
      work,
      fit.map(({ row, one }) => ({ one, state: (row.before as State).state })),
    )
    return undone(fit, others)
  },
}

export const organizationKinds = [removal, change]

async function setStates(work: Work, wanted: readonly (State & { one: BulkCandidate })[]): Promise<void> {
  const states = wanted.map(({ one, state }) => ({ id: one.id, state }))
  await work.tx.execute(
    sql`update organizations o set state = r.state, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as r(id uuid, state text) where o.id = r.id`,
  )
  // Sessions stay ended: nobody is signed in again by the restoring of an organization alone.
  for (const { one, state } of wanted)
    if (one.state === 'active' && state !== 'active') await signOut(work.tx, one.id, work.actor.userId)
  const things = wanted.map(({ one, state }) => ({ ...one, next: state }))
  const note = { action: 'organization.changed', entity: 'organization', things } as const
  await noteEach(work, note, ({ name, state, next }) => ({
    before: { name, state },
    after: { name, state: next },
  }))
}

/** Returns the condition on `organizations o` for those that were selected. */
const selected = (selection: OrganizationSelection) =>
  selectedBy(selection, sql`o.id`, (filter) => matchingOrganizations(filter ?? {}))

export function organizationBulkRoutes(mount: Mount, services: Services): void {
  const from = sql`organizations o`

  mount(previewOrganizations, ({ tx, body }) =>
    previewOf(tx, {
      from,
      chosen: selected(body.selection),
      blockedReason: blockedReasonOf(body.do),
      name: sql`o.name`,
    }),
  )

  mount(changeOrganizations, async ({ body, ...by }) => {
    const chosen = selected(body.selection)
    await requireCount(by.tx, { from, chosen, selection: body.selection })
    return beginOperation(services, by, {
      organizationId: null,
      kind: body.do.action === 'remove' ? 'organizations.remove' : 'organizations.change',
      params: { do: body.do },
      rows: sql`select 'organization' as entity, o.id as entity_id, null::uuid as group_id, o.name as label, null::jsonb as input
          from organizations o where ${chosen} order by ${called(sql`o.name`)}, o.id`,
    })
  })
}
