import type { FastifyRequest } from 'fastify'
import type { OperationKind } from '#contract/operations.ts'
import { requireRow, type Database, type Tx } from '../platform/db/client.ts'
import { Id } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import type { Params } from './kinds.ts'

type Draft = { caller: Caller; organizationId: string; kind: OperationKind; subject: string }

/** An operation whose rows are collected and looked at before anybody starts it. Refuses where there is no such organization. */
export async function draftOperation(
  tx: Tx,
  { caller, organizationId, kind, subject }: Draft,
): Promise<string> {
  const by = personBehind(caller)
  const { id } = await requireRow(
    tx,
    Id,
    sql`insert into operations (organization_id, kind, state, params, created_by, created_by_name)
      select o.id, ${kind}, 'draft', ${JSON.stringify({ subject } satisfies Params)}::jsonb, ${by.id}, ${by.name}
      from organizations o where o.id = ${organizationId} and o.deleted_at is null returning id`,
  )
  return id
}

type Place = { id: string; organizationId: string }

/** `select`: position, entity, label, input of the next rows of a draft. */
export async function addDraftRows(tx: Tx, { id, organizationId }: Place, select: SQL): Promise<void> {
  await tx.execute(
    sql`insert into operation_rows (operation_id, organization_id, position, entity, label, input)
      select ${id}, ${organizationId}, r.position, r.entity, r.label, r.input from (${select}) r`,
  )
}

/** Says of how many rows a draft is, once all of them are there. */
export async function closeDraft(tx: Tx, { id, organizationId }: Place, total: number): Promise<void> {
  await tx.execute(
    sql`update operations set total = ${total} where id = ${id} and organization_id = ${organizationId}`,
  )
}

type Start = Place & { kind: OperationKind; subject: string; total: number; params: object }
type StartContext = { services: Services; tx: Tx; caller: Caller; request: FastifyRequest }

/**
 * Hands a draft over to the worker when this transaction commits; `params` are what its kind has to know beside what it was told. Whoever
 * starts it began it, so that is a key only where a key does.
 */
export async function startDraft(
  { services, tx, caller, request }: StartContext,
  { id, organizationId, params, ...after }: Start,
): Promise<void> {
  await tx.execute(
    sql`update operations set state = 'queued', updated_at = now(), key_id = ${caller.key?.id ?? null}, params = params || ${JSON.stringify(params)}::jsonb
      where id = ${id} and organization_id = ${organizationId}`,
  )
  const entry = { organizationId, entity: 'operation', entityId: id, after }
  await audit(tx, { caller, request }, { ...entry, action: 'operation.started' })
  await services.jobs.send(tx, 'operation.run', { operationId: id })
}

/** Takes away drafts of a kind, with their rows, that nobody has started within these days. */
export const forgetDrafts = ({ single }: Database, kind: OperationKind, days: number) =>
  single.execute(
    sql`delete from operations where kind = ${kind} and started_at is null and state in ('draft', 'cancelled')
      and created_at < now() - make_interval(days => ${days})`,
  )

/** Takes away what the rows of an operation were given; what has become of them stays. */
export const forgetInput = ({ single }: Database, id: string) =>
  single.execute(sql`update operation_rows set input = null where operation_id = ${id}`)
