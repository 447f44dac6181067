import type { RowReason } from '#contract/operations.ts'
import { roles, mayGrant, type Role } from '#contract/roles.ts'
import { arrayOf } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Acting, DoneRow, PendingRow, RowResult, UndoneRow, Work } from './kinds.ts'

/** Who asks, at a request or through a job. */
export type Judged = { userId: string; role: Role; groupIds: readonly string[] }

/** What `audit` and the features need to act for the person who started the operation. */
export function actingFor({ services, tx, actor }: Work): Acting {
  return { services, tx, caller: { userId: actor.userId, name: actor.name }, request: undefined }
}

/** Condition on a column of roles: one that is above the actor's own. */
export function isAbove({ role }: Pick<Judged, 'role'>, column: SQL): SQL {
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
  'already_cancelled',
])

/** A row that stays as it is, because of this. */
export function left({ position }: Pick<PendingRow, 'position'>, reason: RowReason): RowResult {
  return { position, outcome: asWished.has(reason) ? 'unchanged' : 'skipped', reason }
}

/** A row that is not taken back, because of this. */
function kept({ position }: Pick<PendingRow, 'position'>, reason: RowReason): UndoneRow {
  return reason === 'changed_since'
    ? { position, undo: 'changed_since' }
    : { position, undo: 'impossible', reason }
}

type CandidateRow = { id: string; blockedReason: RowReason | null }

/** Divides rows by what was found about their things: those that can go on, and why the others cannot. */
export function sortOut<Row extends PendingRow, One extends CandidateRow>(
  rows: readonly Row[],
  found: readonly One[],
) {
  const byId = new Map(found.map((one) => [one.id, one]))
  const fit: { row: Row; one: One }[] = []
  const others: { row: Row; reason: RowReason }[] = []
  for (const row of rows) {
    const one = byId.get(row.entityId ?? '')
    if (one && one.blockedReason === null) fit.push({ row, one })
    else others.push({ row, reason: one?.blockedReason ?? 'gone' })
  }
  return { fit, others }
}

export function idsOf(rows: readonly PendingRow[]): SQL {
  return arrayOf(
    rows.map(({ entityId }) => entityId),
    'uuid',
  )
}

/** The end of an undo: what went back, and what did not. */
export function undone(
  fit: readonly { row: DoneRow; reason?: RowReason | null }[],
  others: readonly { row: DoneRow; reason: RowReason }[],
): UndoneRow[] {
  return [
    ...others.map(({ row, reason }) => kept(row, reason)),
    ...fit.map(({ row, reason = null }) => ({ position: row.position, undo: 'undone' as const, reason })),
  ]
}
