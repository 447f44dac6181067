import * as z from 'zod/mini'
import {
  undoDays,
  type OperationKind,
  type OperationState,
  operationKinds,
  operationStates,
  rowOutcomes,
  undoOutcomes,
} from '#contract/operations.ts'
import { asRole } from '#contract/roles.ts'
import { arrayOf, hasRow, row, rows, type Scope, setCause, type Tx } from '../platform/db/client.ts'
import { outageOf } from '../platform/db/outage.ts'
import { sql } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import { notify } from '../notifications/notify.ts'
import type { Services } from '../platform/http/services.ts'
import {
  Actor,
  DoneRow,
  type KindOfOperation,
  Params,
  PendingRow,
  type RowResult,
  type UndoneRow,
  type Work,
} from './kinds.ts'
import { Id } from '../platform/db/rows.ts'
import { takesPart } from '../people.ts'

const Running = z.object({
  id: z.string(),
  organizationId: z.nullable(z.string()),
  kind: z.enum(operationKinds),
  state: z.enum(operationStates),
  params: Params,
  createdBy: z.nullable(z.string()),
  undoneBy: z.nullable(z.string()),
  keyId: z.nullable(z.string()),
})
type Running = z.infer<typeof Running>

const largestChunk = 500
/** One after another: where more rows fail, it is not because of them. */
const mostPassedOver = 20

/**
 * Works on operations of these kinds until they end. A process that dies in the middle repeats nothing: another goes on. What fails is
 * tried with fewer rows, down to the one that is to blame, which is passed over.
 */
export async function startOperations(
  services: Services,
  kinds: readonly KindOfOperation[],
): Promise<{ stop(): Promise<void> }> {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]))
  const life = { stopped: false }
  await services.jobs.work(
    'operation.run',
    async ({ operationId }, signal) => {
      let size = largestChunk
      let passedOver = 0
      while (!life.stopped && !signal.aborted) {
        try {
          if (!(await step(services, byName, { id: operationId, size }))) return
          passedOver = 0
          size = Math.min(largestChunk, size * 2)
        } catch (error) {
          services.log.error({ err: error, operation: operationId }, 'a step of an operation failed')
          if (outageOf(error)) throw error
          if (size > 1) {
            size = Math.ceil(size / 8)
            continue
          }
          passedOver += 1
          if (passedOver > mostPassedOver || !(await passOver(services, operationId)))
            return fail(services, operationId)
        }
      }
      throw new Error('stopped before its end; it goes on with the next start')
    },
    2,
  )
  // What was at work when a process died, or was queued just before, is found again.
  const waiting = await rows(
    services.db.single,
    Id,
    sql`select id from operations where state in ('queued', 'running', 'cancelling', 'undoing')`,
  )
  for (const { id } of waiting) await services.jobs.wake('operation.run', { operationId: id })
  return {
    async stop() {
      life.stopped = true
      await Promise.resolve()
    },
  }
}

const keyOf = ({ keyId }: Pick<Running, 'keyId'>) => (keyId === null ? null : { id: keyId })

const atWork: ReadonlySet<OperationState> = new Set(['queued', 'running', 'cancelling', 'undoing'])

/** One chunk in one transaction, or one change of the state. False when there is nothing left to do. */
async function step(
  services: Services,
  kinds: ReadonlyMap<OperationKind, KindOfOperation>,
  { id, size }: { id: string; size: number },
): Promise<boolean> {
  const found = await services.db.as('system', (tx) => look(tx, id))
  if (!found || !atWork.has(found.state)) return false
  const kind = kinds.get(found.kind)
  if (!kind) throw new Error(`nobody works on ${found.kind}`)
  if (found.state === 'undoing' && (await services.db.as('system', (tx) => waitsForNewer(tx, id))))
    return false
  const by = found.state === 'undoing' ? found.undoneBy : found.createdBy
  const actor = await services.db.as('system', (tx) => actorOf(tx, by))
  return services.db.as(
    scopeOf(found),
    async (tx) => {
      const operation = await look(tx, id, true)
      if (!operation || operation.state !== found.state) return true
      const isOn = await chunk({ services, tx, operation, actor, size }, kind)
      if (!isOn && operation.state === 'undoing') await wakeOlder({ services, tx }, operation)
      return isOn
    },
    by ?? undefined,
  )
}

type Turn = Pick<Work, 'services' | 'tx'> & { operation: Running; actor: Actor | undefined; size: number }

function chunk({ services, tx, operation, actor, size }: Turn, given: KindOfOperation): Promise<boolean> {
  if (operation.state === 'cancelling') return end(tx, operation, { state: 'cancelled' })
  if (!actor) return end(tx, operation, { state: 'failed', error: 'not_allowed' })
  const kind = { ...given, chunk: Math.min(given.chunk ?? largestChunk, size) }
  const visibility = {
    organizationId: operation.organizationId ?? '',
    groupIds: actor.role === 'groupadmin' ? actor.groupIds : undefined,
  }
  // Only people take something back.
  const key = operation.state === 'undoing' ? null : keyOf(operation)
  const work = { services, tx, operation, actor, key, visibility }
  return operation.state === 'undoing' ? undoChunk(work, kind) : applyChunk(work, kind, operation.state)
}

function scopeOf({ organizationId }: Running): Scope {
  return organizationId === null ? 'system' : { organizationId }
}

function look(tx: Tx, id: string, lock = false): Promise<Running | undefined> {
  return row(
    tx,
    Running,
    sql`select id, organization_id as "organizationId", kind, state, params, created_by as "createdBy",
      undone_by as "undoneBy", key_id as "keyId" from operations where id = ${id} ${lock ? sql`for update` : sql``}`,
  )
}

/**
 * What happened last is taken back first, or it would stand in the way: a video that was changed and then removed has to be there
 * again. The end of the newer one wakes this one.
 */
async function waitsForNewer(tx: Tx, id: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from operations o join operations n on n.state = 'undoing' and (n.created_at, n.id) > (o.created_at, o.id)
      and n.organization_id is not distinct from o.organization_id where o.id = ${id}`,
  )
}

async function wakeOlder(
  { services, tx }: Pick<Work, 'services' | 'tx'>,
  { id, organizationId }: Pick<Running, 'id' | 'organizationId'>,
): Promise<void> {
  const older = await row(
    tx,
    Id,
    sql`select id from operations where state = 'undoing' and id <> ${id} and organization_id is not distinct from ${organizationId}::uuid
      order by created_at desc, id desc limit 1`,
  )
  if (older) await services.jobs.send(tx, 'operation.run', { operationId: older.id })
}

const ActorRow = z.extend(z.omit(Actor, { role: true }), { role: z.nullable(z.string()) })

/** Whoever has lost the right in the meantime does nothing more, not even through a job. */
async function actorOf(tx: Tx, id: string | null): Promise<Actor | undefined> {
  const found = await row(
    tx,
    ActorRow,
    sql`select u.id as "userId", u.name, u.role, u.organization_id as "organizationId",
      coalesce((select array_agg(m.group_id) from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
        where m.user_id = u.id and m.groupadmin), '{}') as "groupIds"
      from users u left join organizations o on o.id = u.organization_id
      where u.id = ${id} and ${takesPart('u')}
        and (o.id is null or (o.state = 'active' and o.deleted_at is null))`,
  )
  const role = asRole(found?.role)
  return found && role ? { ...found, role } : undefined
}

type InChunks = KindOfOperation & { chunk: number }

async function applyChunk(work: Work, kind: InChunks, state: OperationState): Promise<boolean> {
  const { tx, operation } = work
  if (state === 'queued')
    await tx.execute(
      sql`update operations set state = 'running', started_at = coalesce(started_at, now()), updated_at = now() where id = ${operation.id}`,
    )
  const pending = await pendingRows(tx, operation.id, kind.chunk)
  if (pending.length === 0) return end(tx, operation, { state: 'done' })
  await setCause(tx, operation.kind === 'users.import' ? 'import' : 'bulk')
  await keepResults(tx, operation.id, await kind.apply(work, pending))
  return true
}

const pendingRows = (tx: Tx, id: string, most: number) =>
  rows(
    tx,
    PendingRow,
    sql`select position, entity_id as "entityId", group_id as "groupId", label, input from operation_rows
      where operation_id = ${id} and outcome is null order by position limit ${most}`,
  )

/** Backwards, as they are taken back. */
const doneRows = (tx: Tx, id: string, most: number) =>
  rows(
    tx,
    DoneRow,
    sql`select position, entity_id as "entityId", group_id as "groupId", label, input, outcome, before, after
      from operation_rows where operation_id = ${id} and undo is null
        and outcome in ('created', 'changed', 'removed') order by position desc limit ${most}`,
  )

async function keepResults(tx: Tx, id: string, results: readonly RowResult[]): Promise<void> {
  await tx.execute(
    sql`update operation_rows r set outcome = g.outcome, reason = g.reason, entity_id = coalesce(g.entity_id, r.entity_id),
        label = coalesce(g.label, r.label), before = g.before, after = g.after
      from jsonb_to_recordset(${JSON.stringify(results.map(asRecord))}::jsonb)
        as g(position int, outcome text, reason text, entity_id uuid, label text, before jsonb, after jsonb)
      where r.operation_id = ${id} and r.position = g.position`,
  )
  await count(tx, id, { column: 'counts', values: results.map(({ outcome }) => outcome) })
}

function asRecord({ position, outcome, reason, entityId, label, before, after }: RowResult) {
  return { position, outcome, reason, entity_id: entityId, label, before, after }
}

type RowCounts = { column: 'counts' | 'undo_counts'; values: readonly string[] }

async function count(tx: Tx, id: string, { column, values }: RowCounts): Promise<void> {
  const name = sql.raw(column)
  await tx.execute(
    sql`update operations o set done = o.done + ${values.length}, updated_at = now(), ${name} = (
        select coalesce(jsonb_object_agg(key, n), '{}') from (
          select key, sum(n)::int as n from (
            select key, value::int as n from jsonb_each_text(o.${name})
            union all select v, 1 from unnest(${arrayOf(values, 'text')}) v) both_ group by key) summed)
      where o.id = ${id}`,
  )
}

async function undoChunk(work: Work, kind: InChunks): Promise<boolean> {
  const { tx, operation } = work
  const done = await doneRows(tx, operation.id, kind.chunk)
  if (done.length === 0) return end(tx, operation, { state: 'undone' })
  await setCause(tx, 'undo')
  const results = await kind.undo(work, done)
  await keepUndone(tx, operation.id, results)
  return true
}

async function keepUndone(tx: Tx, id: string, results: readonly UndoneRow[]): Promise<void> {
  await tx.execute(
    sql`update operation_rows r set undo = g.undo, reason = coalesce(g.reason, r.reason)
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as g(position int, undo text, reason text)
      where r.operation_id = ${id} and r.position = g.position`,
  )
  await count(tx, id, { column: 'undo_counts', values: results.map(({ undo }) => undo) })
}

type EndState = 'done' | 'cancelled' | 'failed' | 'undone'
const Ending = z.object({
  kind: z.enum(operationKinds),
  counts: z.partialRecord(z.enum(rowOutcomes), z.number()),
  undoCounts: z.partialRecord(z.enum(undoOutcomes), z.number()),
  total: z.number(),
  becomes: z.nullable(z.string()),
  updatedAt: z.string(),
  createdBy: z.nullable(z.string()),
  createdByName: z.string(),
  undoneBy: z.nullable(z.string()),
  undoneByName: z.nullable(z.string()),
  keyId: z.nullable(z.string()),
})
type Ending = z.infer<typeof Ending>

async function end(
  tx: Tx,
  operation: Pick<Running, 'id' | 'organizationId'>,
  { state, error = null }: { state: EndState; error?: string | null },
): Promise<false> {
  const ended = await row(
    tx,
    Ending,
    sql`update operations set state = ${state}, error = ${error}, updated_at = now(),
        finished_at = coalesce(finished_at, now()),
        undone_at = case when ${state} = 'undone' then now() end,
        undo_until = case when ${state} <> 'undone' and exists (select 1 from operation_rows r where r.operation_id = operations.id
          and r.outcome in ('created', 'changed', 'removed')) then coalesce(undo_until, now() + make_interval(days => ${undoDays})) end
      where id = ${operation.id}
      returning kind, counts, undo_counts as "undoCounts", total, coalesce(params->'do'->>'state', params->'do'->>'privacy') as becomes,
        updated_at as "updatedAt", created_by as "createdBy", created_by_name as "createdByName",
        undone_by as "undoneBy", undone_by_name as "undoneByName", key_id as "keyId"`,
  )
  if (!ended) return false
  const isUndone = state === 'undone'
  const [userId, name] = isUndone
    ? [ended.undoneBy, ended.undoneByName]
    : [ended.createdBy, ended.createdByName]
  const key = isUndone ? null : keyOf(ended)
  const caller = userId === null ? undefined : { userId, key, ...(name === null ? {} : { name }) }
  const by = { caller, request: undefined }
  await audit(tx, by, {
    organizationId: operation.organizationId,
    action: `operation.${state}`,
    entity: 'operation',
    entityId: operation.id,
    after: { kind: ended.kind, ...(isUndone ? ended.undoCounts : ended.counts) },
  })
  if (userId !== null) await tell(tx, { userId, operation, state, ended })
  return false
}

type EndNotice = {
  userId: string
  operation: Pick<Running, 'id' | 'organizationId'>
  state: EndState
  ended: Ending
}

/** Whoever began it has gone on to something else long since. */
async function tell(tx: Tx, { userId, operation, state, ended }: EndNotice): Promise<void> {
  const { counts, undoCounts, total, becomes } = ended
  const { created = 0, changed = 0, removed = 0, conflict = 0, failed = 0 } = counts
  const { undone = 0, changed_since: changedSince = 0, impossible = 0 } = undoCounts
  const became =
    state === 'undone'
      ? { done: undone, failed: changedSince + impossible }
      : { done: created + changed + removed, failed: conflict + failed }
  await notify(tx, [
    {
      organizationId: operation.organizationId,
      userId,
      kind: `operation.${state}`,
      entityId: operation.id,
      // It may fail, be taken back and so on: each end is an end of its own.
      cause: new Date(ended.updatedAt).toISOString(),
      params: { operation: ended.kind, total, ...(becomes === null ? {} : { becomes }), ...became },
    },
  ])
}

/** The next row could not be worked on by itself either. False: there is none. */
async function passOver({ db }: Services, id: string): Promise<boolean> {
  return db.as('system', async (tx) => {
    const operation = await look(tx, id, true)
    if (!operation || !atWork.has(operation.state)) return true
    const isUndoing = operation.state === 'undoing'
    const next = isUndoing ? await doneRows(tx, id, 1) : await pendingRows(tx, id, 1)
    const [position] = next.map((one) => one.position)
    if (position === undefined) return false
    const reason = 'unexpected'
    if (isUndoing) await keepUndone(tx, id, [{ position, undo: 'impossible', reason }])
    else await keepResults(tx, id, [{ position, outcome: 'failed', reason }])
    return true
  })
}

async function fail(services: Services, id: string): Promise<void> {
  await services.db.as('system', async (tx) => {
    const operation = await look(tx, id, true)
    if (!operation || !atWork.has(operation.state)) return
    await end(tx, operation, { state: 'failed', error: 'internal' })
    if (operation.state === 'undoing') await wakeOlder({ services, tx }, operation)
  })
}
