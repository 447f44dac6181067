import * as z from 'zod/mini'
import {
  changeBarredAddresses,
  liftBar,
  previewBarredAddresses,
  type BarKind,
  type BarredSelection,
} from '#contract/transmissions/barred-addresses.ts'
import { arrayOf, row, rows, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { beginOperation } from '../../operations/begin.ts'
import type { DoneRow, KindOfOperation, PendingRow, Work } from '../../operations/kinds.ts'
import { previewOf, requireCount, selectedBy } from '../../operations/preview.ts'
import { applied, left, noteEach, sortOut, undone } from '../../operations/rows.ts'
import { requireOrganization } from '../../directory/organizations/queries.ts'
import { bothKinds, matchingBarred } from './barred.ts'

/** This is a bar as it was, so that it can be set again. */
const Lifted = z.object({
  id: z.string(),
  kind: z.enum(['address', 'person']),
  address: z.string(),
  reason: z.string(),
  userId: z.nullable(z.string()),
  createdBy: z.nullable(z.string()),
  since: z.string(),
  until: z.nullable(z.string()),
})
type Lifted = z.infer<typeof Lifted>

/**
 * Takes bars away, each alone: whatever else bars the same address stays. Together with a will, those of people who had the address before
 * are taken away.
 */
function takeAway(tx: Tx, orgId: string, ids: readonly string[]): Promise<Lifted[]> {
  const given = arrayOf(ids, 'uuid')
  return rows(
    tx,
    Lifted,
    sql`with facts as (delete from suppressions where organization_id = ${orgId} and id = any(${given}) returning *),
      wills as (delete from unsubscriptions where organization_id = ${orgId} and address in (
        select address from unsubscriptions where organization_id = ${orgId} and id = any(${given})) returning *)
      select id, 'address' as kind, address, reason, null::uuid as "userId", created_by as "createdBy", ${isoText(sql`created_at`)} as since,
        ${isoText(sql`expires_at`)} as until from facts
      union all select id, 'person', address, 'unsubscribed', user_id, created_by, ${isoText(sql`created_at`)}, null from wills`,
  )
}

type Lift = { orgId: string; address: string; kind: BarKind | undefined; by: Exclude<Actor, 'system'> }

async function lift(tx: Tx, { orgId, address, kind, by }: Lift): Promise<{ lifted: boolean }> {
  const found = await row(
    tx,
    Id,
    sql`select s.id from ${bothKinds} where s.organization_id = ${orgId} and s.address = ${address}
      and (${kind ?? null}::text is null or s.kind = ${kind ?? null}) order by s.kind limit 1`,
  )
  const gone = found && (await takeAway(tx, orgId, [found.id]))
  for (const { id, reason } of gone ?? []) {
    const entry = { organizationId: orgId, entity: 'barred_address', entityId: id }
    await audit(tx, by, { ...entry, action: 'address.bar_lifted', before: { address, reason } })
  }
  return { lifted: gone !== undefined }
}

/** Bars that have gone meanwhile are left out, because nothing is there to be lifted. */
async function takenAway({ tx, visibility }: Work, pending: readonly PendingRow[]) {
  const ids = pending.flatMap(({ entityId }) => entityId ?? [])
  const gone = await takeAway(tx, visibility.organizationId, ids)
  return sortOut(
    pending,
    gone.map((one) => Object.assign(one, { blockedReason: null })),
  )
}

const BarAgain = z.object({ before: z.nullable(Lifted) })

/** Sets bars again where nothing bars the same by now. Returns the ids of those that are set. */
async function setAgain({ tx, visibility }: Work, bars: readonly Lifted[]): Promise<ReadonlySet<string>> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(bars)}::jsonb) as g(id uuid, kind text, address text, reason text, "userId" uuid,
    "createdBy" uuid, since timestamptz, until timestamptz)`
  const set = await rows(
    tx,
    Id,
    sql`with facts as (insert into suppressions (id, organization_id, address, reason, created_by, created_at, expires_at)
        select id, ${visibility.organizationId}, address, reason, "createdBy", since, until from ${given} where kind = 'address'
        order by address on conflict do nothing returning id),
      wills as (insert into unsubscriptions (id, organization_id, user_id, address, created_by, created_at)
        select id, ${visibility.organizationId}, "userId", address, "createdBy", since from ${given} where kind = 'person'
        order by address on conflict do nothing returning id)
      select id from facts union all select id from wills`,
  )
  return new Set(set.map(({ id }) => id))
}

function sortUndone(done: readonly DoneRow[], set: ReadonlySet<string>, known: ReadonlyMap<string, Lifted>) {
  return done.map(({ entityId }) => {
    const id = entityId ?? ''
    if (!known.has(id)) return { id, blockedReason: 'erased' as const }
    return { id, blockedReason: set.has(id) ? null : ('changed_since' as const) }
  })
}

const lifting: KindOfOperation = {
  kind: 'barred_addresses.lift',

  async apply(work, pending) {
    if (work.actor.role === 'groupadmin') return pending.map((row) => left(row, 'not_allowed'))
    const sorted = await takenAway(work, pending)
    const { things } = sorted
    await noteEach(
      work,
      { things, action: 'address.bar_lifted', entity: 'barred_address' },
      ({ address, reason }) => ({ before: { address, reason } }),
    )
    return applied(sorted, 'removed', ({ blockedReason: _free, ...before }) => ({ before }))
  },

  async undo(work, done) {
    const known = new Map(
      done.flatMap(({ before }) => {
        const bar = BarAgain.parse({ before }).before
        return bar ? [[bar.id, bar] as const] : []
      }),
    )
    const allowed = work.actor.role === 'groupadmin' ? [] : [...known.values()]
    const set = await setAgain(work, allowed)
    await noteEach(
      work,
      { things: allowed.filter(({ id }) => set.has(id)), action: 'address.barred', entity: 'barred_address' },
      ({ address, reason, until }) => ({ after: { address, reason, until } }),
    )
    const { fit, others } = sortOut(done, sortUndone(done, set, known))
    return undone(fit, others)
  },
}

export const liftingKinds = [lifting]

const chosenBy = (orgId: string, selection: BarredSelection) =>
  selectedBy(selection, sql`s.id`, (filter) => matchingBarred({ orgId, filter: filter ?? {} }))

export function liftingRoutes(mount: Mount, services: Services): void {
  mount(liftBar, ({ tx, params: { orgId }, body: { address, kind }, caller, request }) =>
    lift(tx, { orgId, address, kind, by: { caller, request } }),
  )

  mount(previewBarredAddresses, async ({ tx, params: { orgId }, body: { selection } }) => {
    await requireOrganization(tx, orgId)
    const chosen = chosenBy(orgId, selection)
    return previewOf(tx, { from: bothKinds, chosen, blockedReason: sql`null::text`, name: sql`s.address` })
  })

  mount(changeBarredAddresses, async ({ params: { orgId }, body, ...by }) => {
    await requireOrganization(by.tx, orgId)
    const chosen = chosenBy(orgId, body.selection)
    await requireCount(by.tx, { from: bothKinds, chosen, selection: body.selection })
    return beginOperation(services, by, {
      organizationId: orgId,
      kind: 'barred_addresses.lift',
      params: { do: body.do },
      rows: sql`select 'barred_address' as entity, s.id as entity_id, null::uuid as group_id, s.address as label, null::jsonb as input
          from ${bothKinds} where ${chosen} order by s.created_at desc, s.id desc`,
    })
  })
}
