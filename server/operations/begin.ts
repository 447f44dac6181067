import { undoDays, type Operation, type OperationKind, type RowOutcome } from '#contract/operations.ts'
import { asSystem, row } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import { personBehind, type CallContext } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import * as z from 'zod/mini'
import type { Params } from './kinds.ts'
import { insertedId } from '../platform/db/rows.ts'
import { findOperation } from './queries.ts'

type Begin = {
  /** Null: about organizations themselves. */
  organizationId: string | null
  kind: OperationKind
  params: Params
  /** Selects the rows in their order: entity, entity_id, group_id, label, input. */
  rows: SQL
}

const CountedRows = z.object({ total: z.number() })

/** Writes down what is to be done, each row of it, and has it begun when this transaction commits. */
export async function beginOperation(
  services: Services,
  by: CallContext,
  { organizationId, kind, params, rows }: Begin,
): Promise<Operation> {
  const { tx, caller } = by
  const author = personBehind(caller)
  const id = await insertedId(
    tx,
    sql`insert into operations (organization_id, kind, state, params, created_by, created_by_name, key_id)
      values (${organizationId}, ${kind}, 'queued', ${JSON.stringify(params)}::jsonb, ${author.id}, ${author.name},
        ${caller.key?.id ?? null}) returning id`,
  )
  const counted = await row(
    tx,
    CountedRows,
    sql`with chosen as (insert into operation_rows (operation_id, organization_id, position, entity, entity_id, group_id, label, input)
        select ${id}, ${organizationId}, (row_number() over ())::int, c.entity, c.entity_id, c.group_id, c.label, c.input
        from (${rows}) c returning 1),
      counted as (select count(*)::int as total from chosen)
      update operations set total = counted.total from counted where id = ${id} returning operations.total`,
  )
  const after = { kind, total: counted?.total ?? 0 }
  const entry = { organizationId, entity: 'operation', entityId: id, after }
  await audit(tx, by, { ...entry, action: 'operation.started' })
  await services.jobs.send(tx, 'operation.run', { operationId: id })
  return findOperation(tx, caller, id)
}

type DoneChange = {
  organizationId: string | null
  kind: OperationKind
  entity: 'user' | 'group' | 'organization' | 'member' | 'waiver' | 'video'
  entityId: string
  groupId?: string
  label: string
  /** What it is about in one word, where that is not the thing itself. */
  subject?: string
  outcome: Extract<RowOutcome, 'changed' | 'removed'>
  /** As in the action of a change in bulk. */
  do?: unknown
  before: unknown
  after?: unknown
}

type Made = Omit<CallContext, 'request'> & Partial<Pick<CallContext, 'request'>>

/**
 * Writes down one change that has been made in this transaction, so that it can be taken back. The caller writes the entry of
 * the audit, which says what has happened.
 */
export async function recordOperation({ tx, caller }: Made, done: DoneChange): Promise<string> {
  const by = personBehind(caller)
  const { organizationId, kind, label, outcome } = done
  const keep = () =>
    insertedId(
      tx,
      sql`with operation as (
          insert into operations (organization_id, kind, state, params, total, done, counts, created_by, created_by_name, key_id,
            started_at, finished_at, undo_until)
          values (${organizationId}, ${kind}, 'done', ${JSON.stringify({ subject: done.subject ?? label, do: done.do })}::jsonb, 1, 1,
            jsonb_build_object(${outcome}::text, 1), ${by.id}, ${by.name}, ${caller.key?.id ?? null}::uuid, now(), now(), now() + make_interval(days => ${undoDays}))
          returning id),
        kept as (
          insert into operation_rows (operation_id, organization_id, position, entity, entity_id, group_id, label, outcome, before, after)
          select id, ${organizationId}, 1, ${done.entity}, ${done.entityId}, ${done.groupId ?? null}::uuid, ${label}, ${outcome},
            ${JSON.stringify(done.before)}::jsonb, ${JSON.stringify(done.after ?? null)}::jsonb from operation)
        select id from operation`,
    )
  // A person who administers the installation does it in the scope of the organization, to which the operation does not belong.
  return organizationId === null ? asSystem(tx, keep) : keep()
}
