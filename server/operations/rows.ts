import * as z from 'zod/mini'
import type { RowOutcome, RowReason } from '#contract/operations.ts'
import { roles, mayGrant, type Role } from '#contract/roles.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { auditMany, type AuditEntry } from '../platform/http/audit.ts'
import type { Acting, DoneRow, PendingRow, RowResult, UndoneRow, Work } from './kinds.ts'

/** Who asks, at a request or through a job. */
export type Asker = { userId: string; role: Role; groupIds: readonly string[] }

/** What `audit` and the features need to act for the person who started the operation. */
export function actingFor({ services, tx, actor, key }: Work): Acting {
  return { services, tx, caller: { userId: actor.userId, name: actor.name, key }, request: undefined }
}

type Note<One> = Pick<AuditEntry, 'action' | 'entity'> & { things: readonly One[] }

/** An entry of the audit about each of these things; `changeOf` says what it was and became. */
export function noteEach<One extends { id: string }>(
  work: Work,
  { things, ...note }: Note<One>,
  changeOf: (one: One) => Pick<AuditEntry, 'before' | 'after'>,
): Promise<void> {
  const { organizationId } = work.operation
  const entries = things.map((one) => ({
    ...note,
    organizationId: organizationId ?? one.id,
    entityId: one.id,
    ...changeOf(one),
  }))
  return auditMany(work.tx, actingFor(work), entries)
}

/** Condition on a column of roles: one that is above the actor's own. */
export function isAbove({ role }: Pick<Asker, 'role'>, column: SQL): SQL {
  const above = roles.filter((one) => !mayGrant(role, one))
  return sql`${column} = any(${arrayOf(above, 'text')})`
}

/** It is as wished already: nobody has to look at it. */
const asWished: ReadonlySet<RowReason> = new Set([
  'already_active',
  'already_disabled',
  'already_member',
  'not_member',
  'accepted',
  'already_suspended',
  'already_archived',
  'already_waived',
  'not_waived',
  'already_done',
  'already_there',
  'already_so',
  'tagged_already',
  'not_tagged',
  'already_cancelled',
])

/** A row that stays as it is, because of this. */
export function left({ position }: Pick<PendingRow, 'position'>, reason: RowReason): RowResult {
  return { position, outcome: asWished.has(reason) ? 'unchanged' : 'skipped', reason }
}

/** A row that is not taken back, because of this. */
function notUndone({ position }: Pick<PendingRow, 'position'>, reason: RowReason): UndoneRow {
  return reason === 'changed_since'
    ? { position, undo: 'changed_since' }
    : { position, undo: 'impossible', reason }
}

type CandidateRow = { id: string; blockedReason: RowReason | null }

/** `things`: those of the rows that can go on, `fit`. */
type Sorted<Row, One> = {
  fit: { row: Row; one: One }[]
  things: One[]
  others: { row: Row; reason: RowReason }[]
}

/** Divides rows by what was found about their things: those that can go on, and why the others cannot. */
export function sortOut<Row extends PendingRow, One extends CandidateRow>(
  given: readonly Row[],
  found: readonly One[],
): Sorted<Row, One> {
  const byId = new Map(found.map((one) => [one.id, one]))
  const sorted: Sorted<Row, One> = { fit: [], things: [], others: [] }
  for (const row of given) {
    const one = byId.get(row.entityId ?? '')
    if (one?.blockedReason === null) {
      sorted.fit.push({ row, one })
      sorted.things.push(one)
    } else sorted.others.push({ row, reason: one?.blockedReason ?? 'gone' })
  }
  return sorted
}

/** The things that rows are about. */
export function entityIds(pending: readonly PendingRow[]): SQL {
  return arrayOf(
    pending.map(({ entityId }) => entityId),
    'uuid',
  )
}

type RowChange = Pick<RowResult, 'label' | 'before' | 'after'>

/** What has become of rows: `changeOf` says what a thing was and became, or why it stays as it is after all. */
export function applied<One>(
  { fit, others }: Sorted<PendingRow, One>,
  outcome: Extract<RowOutcome, 'changed' | 'removed'>,
  changeOf: (one: One) => RowChange | RowReason,
): RowResult[] {
  return [
    ...others.map(({ row, reason }) => left(row, reason)),
    ...fit.map(({ row, one }): RowResult => {
      const change = changeOf(one)
      return typeof change === 'string' ? left(row, change) : { position: row.position, outcome, ...change }
    }),
  ]
}

/** The things of rows with what the operation made of them, to be read `as r(id uuid, …)`. */
export function recordsLeft(done: readonly DoneRow[]): SQL {
  const records = done.map(({ entityId, after }) => ({ id: entityId, ...(after as object | null) }))
  return sql`jsonb_to_recordset(${JSON.stringify(records)}::jsonb)`
}

const RemovedThing = z.object({ id: z.string(), deletedAt: z.string() })
export type Removal = Omit<z.infer<typeof RemovedThing>, 'id'>

/** Marks rows of a table as removed; when each of them was, by its id. */
export async function markRemoved(tx: Tx, table: SQL, where: SQL): Promise<ReadonlyMap<string, Removal>> {
  const removed = await rows(
    tx,
    RemovedThing,
    sql`update ${table} set deleted_at = now(), updated_at = now() where ${where}
      returning id, ${isoText(sql`deleted_at`)} as "deletedAt"`,
  )
  return new Map(removed.map(({ id, deletedAt }) => [id, { deletedAt }]))
}

/** The end of an undo: what went back, and what did not. */
export function undone(
  fit: readonly { row: DoneRow; reason?: RowReason | null }[],
  others: readonly { row: DoneRow; reason: RowReason }[],
): UndoneRow[] {
  return [
    ...others.map(({ row, reason }) => notUndone(row, reason)),
    ...fit.map(({ row, reason = null }) => ({ position: row.position, undo: 'undone' as const, reason })),
  ]
}
