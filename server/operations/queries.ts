import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import {
  aboutOf,
  operationActions,
  operationKinds,
  type listOperationRows,
  type listOperations,
  Operation,
  type OperationAbout,
  type OperationFilter,
  OperationRow,
} from '#contract/operations.ts'
import { arrayOf, requireRow, row, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import { idsOf } from '../platform/db/rows.ts'
import { needsOperation } from '../alerts/lists.ts'
import { readList } from '../platform/http/lists/list.ts'

const becomes = sql`coalesce(p.params->'do'->>'state', p.params->'do'->>'privacy')`

const columns = sql`p.id, p.organization_id as "organizationId", o.name as "organizationName", p.kind, p.state,
  p.params->>'subject' as subject, ${becomes} as becomes, p.total, p.done, p.counts, p.undo_counts as "undoCounts", p.error,
  json_build_object('id', p.created_by, 'name', p.created_by_name,
    'key', (select k.name from service_accounts k where k.id = p.key_id)) as "createdBy",
  ${isoText(sql`p.created_at`)} as "createdAt", ${isoText(sql`p.started_at`)} as "startedAt",
  ${isoText(sql`p.finished_at`)} as "finishedAt",
  case when p.undo_until > now() and p.state in ('done', 'cancelled', 'failed') then ${isoText(sql`p.undo_until`)} end as "undoUntil",
  ${isoText(sql`p.undone_at`)} as "undoneAt", p.undone_by_name as "undoneBy", ${isoText(sql`p.updated_at`)} as "updatedAt"`

const joined = sql`operations p left join organizations o on o.id = p.organization_id`

/** A groupadmin sees what they did themselves, an administrator all of the organization, a superadmin all. */
export function visible(caller: Caller): SQL {
  return all([
    caller.organizationId !== null && sql`p.organization_id = ${caller.organizationId}`,
    caller.role === 'groupadmin' && sql`p.created_by = ${caller.userId}`,
  ])
}

const shown = {
  all: undefined,
  undoable: sql`p.undo_until > now() and p.state in ('done', 'cancelled', 'failed')`,
  working: sql`p.state in ('queued', 'running', 'cancelling', 'undoing')`,
}

const kindsAbout = (about: OperationAbout) => operationKinds.filter((kind) => aboutOf[kind] === about)

/** Condition on `operations p`. */
export function matchingOperations(caller: Caller, filter: OperationFilter): SQL {
  const { organizationId, kind, about, show, attention } = filter
  return all([
    visible(caller),
    organizationId && sql`p.organization_id = ${organizationId}`,
    kind && sql`p.kind = ${kind}`,
    about && sql`p.kind = any(${arrayOf(kindsAbout(about), 'text')})`,
    shown[show],
    attention && needsOperation(caller.organizationId ?? organizationId ?? null),
  ])
}

type ListRequest<Query> = { caller: Caller; query: Query; request: FastifyRequest }

export function findOperations(
  tx: Tx,
  { caller, query, request }: ListRequest<ParsedQuery<typeof listOperations>>,
) {
  return readList(tx, {
    query,
    request,
    Row: Operation,
    columns,
    from: joined,
    where: matchingOperations(caller, query),
    order: { by: sql`p.created_at`, id: sql`p.id`, type: 'timestamptz', descending: true },
  })
}

export function findOperation(tx: Tx, caller: Caller, id: string): Promise<Operation> {
  return requireRow(
    tx,
    Operation,
    sql`select ${columns} from ${joined} where p.id = ${id} and ${visible(caller)}`,
  )
}

const RowOfOperation = z.extend(OperationRow, { id: z.string() })
type RowsRequest = { id: string; query: ParsedQuery<typeof listOperationRows>; request: FastifyRequest }

export function findOperationRows(tx: Tx, { id, query, request }: RowsRequest) {
  return readList(tx, {
    query,
    request,
    Row: RowOfOperation,
    columns: sql`r.position, r.entity, r.entity_id as "entityId", r.label, r.outcome, r.reason, r.undo, r.operation_id as id`,
    from: sql`operation_rows r`,
    where: all([
      sql`r.operation_id = ${id}`,
      query.outcome && sql`r.outcome = ${query.outcome}`,
      query.undo && sql`r.undo = ${query.undo}`,
    ]),
    order: { by: sql`r.position`, id: sql`r.operation_id`, type: 'float8', descending: false },
  })
}

const PresentState = z.object({ state: Operation.shape.state, isUndoable: z.boolean() })

/** Moves the operation on if its state allows the action; a second click finds it moved and is refused. */
export async function moveOperation(
  tx: Tx,
  caller: Caller,
  { id, action }: { id: string; action: keyof typeof operationActions },
): Promise<Operation> {
  const before = await findOperation(tx, caller, id)
  const present = await row(
    tx,
    PresentState,
    sql`select state, coalesce(undo_until > now(), false) as "isUndoable" from operations where id = ${id} for update`,
  )
  const allowed: readonly Operation['state'][] = operationActions[action]
  const isAllowed = present && allowed.includes(present.state) && (action === 'cancel' || present.isUndoable)
  if (!isAllowed)
    throw refuse('conflict', {
      reason: { code: action === 'cancel' ? 'operation_ended' : 'operation_not_undoable' },
    })
  if (action === 'undo') await startUndo(tx, caller, [before])
  else await tx.execute(sql`update operations set state = 'cancelling', updated_at = now() where id = ${id}`)
  return findOperation(tx, caller, before.id)
}

/** Has the changes of these operations undone by the next that works on them. */
export async function startUndo(
  tx: Tx,
  caller: Caller,
  operations: readonly { id: string }[],
): Promise<void> {
  const by = personBehind(caller)
  await tx.execute(
    sql`update operations set state = 'undoing', done = 0, total = (select count(*) from operation_rows r
          where r.operation_id = operations.id and r.undo is null and r.outcome in ('created', 'changed', 'removed')),
        undone_by = ${by.id}, undone_by_name = ${by.name}, updated_at = now() where id = any(${idsOf(operations)})`,
  )
}
