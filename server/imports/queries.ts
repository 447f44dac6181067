import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { reasonText } from '#contract/imports/import-reasons.ts'
import {
  ImportMapping,
  importTargets,
  Import,
  ImportChange,
  type ImportRow,
  type listImportRows,
} from '#contract/imports/imports.ts'
import { type RowOutcome, rowOutcomes } from '#contract/operations.ts'
import { requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, all, isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { Id } from '../platform/db/rows.ts'
import { readList } from '../platform/http/lists/list.ts'
import { readFields, type StoredImport } from './stored.ts'

const shownRows = 20

/** Of the reasons, which stand one below the other, those that name a group; differences of case make no other group. */
const missingGroups = sql`array(select name from (
  select distinct on (lower(said.name)) said.name from import_rows,
    lateral (select substr(line, length('unknown_group:') + 1) as name from regexp_split_to_table(reason, E'\\n') line
      where starts_with(line, 'unknown_group:')) said
  where operation_id = o.id and outcome = 'conflict' order by lower(said.name), position limit 100) missing order by ${called(sql`name`)})`

const ImportFacts = z.extend(
  z.pick(Import, {
    state: true,
    total: true,
    counts: true,
    rehearsed: true,
    warned: true,
    removed: true,
    withRole: true,
    missingGroups: true,
    createdAt: true,
  }),
  { result: Import.shape.counts, sample: z.array(z.array(z.nullable(z.string()))) },
)
type ImportFacts = z.infer<typeof ImportFacts>

/** Taken without one of its cells: rows `r`. */
const isWarned = sql`r.reason is not null and r.outcome in ('created', 'changed', 'unchanged')`

/** Whom a row waits for, of its reasons. */
const removedId = sql`substring(reason from 'was_removed:(\\S+)')`

/** The removed people whom rows of the rehearsal are about. */
export async function removedIn(tx: Tx, id: string): Promise<string[]> {
  const found = await rows(
    tx,
    Id,
    sql`select distinct ${removedId} as id from import_rows where operation_id = ${id} and outcome = 'conflict' and ${removedId} is not null`,
  )
  return found.map((one) => one.id)
}

/** An import as the contract has it. */
export async function describe(tx: Tx, stored: StoredImport): Promise<Import> {
  const { id, header, ragged, raggedRows } = stored
  const facts = await requireRow(
    tx,
    ImportFacts,
    sql`select o.state, o.total, o.counts as result, ${isoText(sql`o.created_at`)} as "createdAt",
        coalesce((select jsonb_object_agg(c.outcome, c.n) from (
          select outcome, count(*) as n from import_rows where operation_id = o.id group by 1) c), '{}') as counts,
        (select count(*)::int from import_rows where operation_id = o.id) as rehearsed,
        case when o.state in ('draft', 'queued') then (select count(*)::int from import_rows r where r.operation_id = o.id and ${isWarned})
          else (select count(*)::int from operation_rows r where r.operation_id = o.id and ${isWarned}) end as warned,
        (select count(*)::int from import_rows where operation_id = o.id and outcome = 'conflict' and ${removedId} is not null) as removed,
        (select count(*)::int from import_rows where operation_id = o.id and gives_role) as "withRole",
        ${missingGroups} as "missingGroups",
        coalesce((select jsonb_agg(r.input order by r.position) from (select input, position from operation_rows
          where operation_id = o.id order by position limit ${shownRows}) r), '[]') as sample
      from operations o where o.id = ${id}`,
  )
  const { result, sample, ...rest } = facts
  const fields = await readFields(tx, stored.organizationId)
  return {
    ...rest,
    id,
    fileName: stored.fileName,
    delimiter: stored.delimiter,
    header,
    mapping: stored.mapping,
    options: stored.options,
    fields: fields.map(({ key, label, type }) => ({ key, label, type })),
    counts: isRehearsal(facts.state) ? facts.counts : result,
    sample: sample.map((cells) => header.map((_title, index) => cells[index] ?? '')),
    ragged: { count: ragged, rows: raggedRows.map((position) => position + 1) },
  }
}

const isRehearsal = (state: string) => state === 'draft' || state === 'queued'

type MappingChange = { mapping: ImportMapping; options: Import['options'] }

/** Other columns or another way to go about it: what the rehearsal has said holds no longer. */
export async function remap(
  tx: Tx,
  stored: StoredImport,
  { mapping, options }: MappingChange,
): Promise<StoredImport> {
  const { id, organizationId, header } = stored
  const fields = await readFields(tx, organizationId)
  const known = new Set<string>([...Object.keys(importTargets), ...fields.map(({ key }) => `field:${key}`)])
  const targets = Object.values(mapping)
  const isKnown = Object.entries(mapping).every(
    ([index, target]) => Number(index) < header.length && known.has(target),
  )
  if (!isKnown) throw refuse('validation_failed', { fields: { mapping: ['not_found'] } })
  if (new Set(targets).size !== targets.length)
    throw refuse('validation_failed', {
      reason: { code: 'same_column_twice' },
      fields: { mapping: ['taken'] },
    })
  await tx.execute(sql`delete from import_rows where operation_id = ${id}`)
  await tx.execute(
    sql`update imports set mapping = ${JSON.stringify(mapping)}::jsonb, options = ${JSON.stringify(options)}::jsonb
      where operation_id = ${id}`,
  )
  return { ...stored, mapping, options }
}

/** Rows of the rehearsal, or once the import has begun those that have been worked on. */
function sourceOf(id: string, state: string): SQL {
  return isRehearsal(state)
    ? sql`(select operation_id, position, outcome, reason, label, user_id, changes from import_rows where operation_id = ${id}) r`
    : sql`(select operation_id, position, outcome, reason, label, entity_id as user_id, coalesce(after -> 'changes', '[]') as changes
        from operation_rows where operation_id = ${id} and outcome is not null) r`
}

const FoundRow = z.object({
  id: z.string(),
  position: z.number(),
  userId: z.nullable(z.string()),
  label: z.string(),
  outcome: z.enum(rowOutcomes),
  reason: z.nullable(z.string()),
  changes: z.array(ImportChange),
})
type FoundRow = z.infer<typeof FoundRow>

type RowsQuery = {
  stored: StoredImport
  query: ParsedQuery<typeof listImportRows>
  request: FastifyRequest
}

export async function findRows(tx: Tx, { stored, query, request }: RowsQuery) {
  const page = await readList(tx, {
    query,
    request,
    Row: FoundRow,
    columns: sql`r.operation_id as id, r.position, r.user_id as "userId", r.label, r.outcome, r.reason, r.changes`,
    from: sourceOf(stored.id, await stateOf(tx, stored.id)),
    where: all([query.outcome && sql`r.outcome = ${query.outcome}`]),
    order: { by: sql`r.position`, id: sql`r.operation_id`, type: 'float8', descending: false },
  })
  return { ...page, items: page.items.map(toItem) }
}

function toItem({ position, userId, label, outcome, reason, changes }: FoundRow): ImportRow {
  const words = reason === null ? null : reasonText(reason)
  return { row: position + 1, userId, label, outcome, reason: words, changes }
}

const ImportState = z.object({ state: z.string() })

async function stateOf(tx: Tx, id: string): Promise<string> {
  const found = await row(tx, ImportState, sql`select state from operations where id = ${id}`)
  return found?.state ?? 'draft'
}

const ReportedLine = z.object({
  position: z.number(),
  cells: z.unknown(),
  reason: z.nullable(z.string()),
})
type ReportedLine = z.infer<typeof ReportedLine>

type LinesQuery = { id: string; outcome: RowOutcome | undefined; after: number; limit: number }

/** Rows of the file with what is said about them, behind a position. */
export async function findLines(tx: Tx, { id, outcome, after, limit }: LinesQuery): Promise<ReportedLine[]> {
  const source = sourceOf(id, await stateOf(tx, id))
  return rows(
    tx,
    ReportedLine,
    sql`select r.position, l.input as cells, r.reason from ${source}
      join operation_rows l on l.operation_id = r.operation_id and l.position = r.position
      where r.position > ${after} and ${outcome ? sql`r.outcome = ${outcome}` : sql`(r.outcome in ('conflict', 'failed') or ${isWarned})`}
      order by r.position limit ${limit}`,
  )
}
