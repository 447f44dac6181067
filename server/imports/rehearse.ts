import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { requireFresh, type Caller } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import { startDraft } from '../operations/draft.ts'
import { judge, planOf, type StoredImport } from './stored.ts'
import { nothingTaken, withoutRepeats, type Judgement, type TakenKeys } from './judge.ts'
import { cellsOf } from './kind.ts'
import type { ReadRow } from './read.ts'

/** Rows that are held in memory at a time. */
const portion = 2_000
/** Portions of one call: about half a second, so that whoever waits sees it move. */
const portions = 5

type Rehearsal = { tx: Tx; caller: Caller; stored: StoredImport }

const FileRow = z.object({ position: z.number(), cells: z.unknown() })

/** Judges the next rows as if they were imported now, and writes down what would become of them. */
export async function rehearse(rehearsal: Rehearsal): Promise<void> {
  await requireDraft(rehearsal.tx, rehearsal.stored.id)
  for (let n = 0; n < portions; n += 1) if (!(await rehearsePortion(rehearsal))) return
}

/** False when there was nothing left. */
async function rehearsePortion({ tx, caller, stored }: Rehearsal): Promise<boolean> {
  const { id, organizationId } = stored
  const given = await rows(
    tx,
    FileRow,
    sql`select position, input as cells from operation_rows where operation_id = ${id}
      and position > coalesce((select max(position) from import_rows where operation_id = ${id}), 0)
      order by position limit ${portion}`,
  )
  if (given.length === 0) return false
  const plan = await planOf(tx, stored)
  const who = { tx, organizationId, plan, actor: caller.role, mayGiveRoles: true, lock: false }
  const { judged, readRows } = await judge(
    who,
    given.map(({ position, cells }) => ({ position, cells: cellsOf(cells) })),
  )
  const taken = await findTaken(tx, id, { judged, readRows })
  await keep(tx, stored, { judged: withoutRepeats(judged, readRows, taken), readRows })
  return true
}

type JudgedRows = { judged: readonly Judgement[]; readRows: ReadonlyMap<number, ReadRow> }

const RehearsedRow = z.object({
  kind: z.enum(['people', 'emails', 'externalIds']),
  key: z.string(),
  position: z.number(),
})

/** What rows before these are about, as far as these ask for it. */
async function findTaken(tx: Tx, id: string, { judged, readRows }: JudgedRows): Promise<TakenKeys> {
  const taken = nothingTaken()
  const all = [...readRows.values()]
  const asked = {
    emails: all.flatMap(({ given }) => given.email ?? []),
    externalIds: all.flatMap(({ given }) => given.externalId ?? []),
    people: judged.flatMap(({ person }) => person?.id ?? []),
  }
  const found = await rows(
    tx,
    RehearsedRow,
    sql`select 'emails' as kind, email as key, position from import_rows where operation_id = ${id} and email = any(${sql.param(asked.emails)}::text[])
      union all select 'externalIds', external_id, position from import_rows where operation_id = ${id}
        and external_id = any(${sql.param(asked.externalIds)}::text[])
      union all select 'people', user_id::text, position from import_rows where operation_id = ${id}
        and user_id = any(${sql.param(asked.people)}::uuid[]) and outcome <> 'conflict'`,
  )
  for (const { kind, key, position } of found) taken[kind].set(key, position)
  return taken
}

async function keep(
  tx: Tx,
  { id, organizationId }: StoredImport,
  { judged, readRows }: JudgedRows,
): Promise<void> {
  const records = judged.map(({ position, outcome, reason, label, person, wanted, changes }) => {
    const read = outcome === 'conflict' ? undefined : readRows.get(position)?.given
    return {
      position,
      outcome,
      reason,
      label,
      user_id: person?.id,
      email: read?.email,
      external_id: read?.externalId,
      gives_role: outcome === 'created' && wanted?.role !== null,
      changes,
    }
  })
  await tx.execute(
    sql`insert into import_rows (operation_id, organization_id, position, outcome, reason, label, user_id, email, external_id, gives_role, changes)
      select ${id}, ${organizationId}, r.position, r.outcome, r.reason, r.label, r.user_id, r.email, r.external_id, r.gives_role, r.changes
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as r(position int, outcome text, reason text, label text, user_id uuid,
        email text, external_id text, gives_role boolean, changes jsonb)`,
  )
}

const RequireDraftRow = z.object({ state: z.string() })

/** Holds the operation, so that nothing else happens to it meanwhile. */
export async function requireDraft(tx: Tx, id: string): Promise<void> {
  const found = await row(tx, RequireDraftRow, sql`select state from operations where id = ${id} for update`)
  if (found?.state !== 'draft') throw refuse('conflict', { reason: { code: 'import_begun' } })
}

type Start = Rehearsal & { services: Services; request: FastifyRequest }

const RehearsalCounts = z.object({
  isComplete: z.boolean(),
  writes: z.boolean(),
  givesRoles: z.boolean(),
  total: z.number(),
})

/** Hands the rows over to the worker. Roles are handed out only by somebody who has just proved who they are. */
export async function start({ services, tx, caller, stored, request }: Start): Promise<void> {
  const { id, organizationId } = stored
  await requireDraft(tx, id)
  const counted = await row(
    tx,
    RehearsalCounts,
    sql`select count(*) = (select total from operations where id = ${id}) as "isComplete", count(*)::int as total,
        coalesce(bool_or(outcome in ('created', 'changed')), false) as writes,
        coalesce(bool_or(gives_role), false) as "givesRoles" from import_rows where operation_id = ${id}`,
  )
  if (!counted?.isComplete) throw refuse('conflict', { reason: { code: 'import_not_checked' } })
  if (!counted.writes) throw refuse('conflict', { reason: { code: 'import_without_change' } })
  if (counted.givesRoles) requireFresh(caller)
  await startDraft(
    { services, tx, caller, request },
    {
      id,
      organizationId,
      kind: 'users.import',
      subject: stored.fileName,
      total: counted.total,
      params: { mayGiveRoles: counted.givesRoles },
    },
  )
}
