import { setImmediate as breathe } from 'node:timers/promises'
import * as z from 'zod/mini'
import { importLimits, ImportOptions, type Delimiter, type ImportMapping } from '#contract/imports.ts'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import { readCell } from '../platform/http/csv.ts'
import { guessMapping } from './columns.ts'
import { readFields } from './stored.ts'
import { guessDelimiter, parseCsv, readHead, unreadable } from './parse.ts'
import { Id } from '../platform/db/rows.ts'

type File = { fileName: string; content: string; delimiter?: Delimiter | undefined }
type FileLine = { position: number; cells: string[] }
type Table = {
  header: string[]
  delimiter: Delimiter
  lines: FileLine[]
  ragged: number
  raggedRows: number[]
}

/** Rows between two pauses in which other requests are answered. */
const atOnce = 5_000
const shownRagged = 5

/** Numbers of ragged rows count from 1 below the header. */
async function readTable({ content, delimiter }: Omit<File, 'fileName'>): Promise<Table> {
  const head = readHead(content)
  const by = delimiter ?? head.delimiter ?? guessDelimiter(head.text)
  const records = parseCsv(head.text, by)
  const header = (nextOf(records)?.cells ?? []).map((cell) => cell.trim())
  while (header.length > 1 && header.at(-1) === '') header.pop()
  if (header.length === 0) throw unreadable({ code: 'file_empty' })
  if (header.length > importLimits.columns)
    throw unreadable({ code: 'too_many_columns', params: { most: importLimits.columns } })
  const table: Table = { header, delimiter: by, lines: [], ragged: 0, raggedRows: [] }
  for (let record = nextOf(records); record; record = nextOf(records)) {
    addLine(table, record.cells.map(readCell))
    if (table.lines.length % atOnce === 0) await breathe()
  }
  if (table.lines.length === 0) throw unreadable({ code: 'file_without_rows' })
  return table
}

function nextOf(records: ReturnType<typeof parseCsv>) {
  const { done, value } = records.next()
  return done ? undefined : value
}

function addLine(table: Table, cells: string[]): void {
  const position = table.lines.length + 1
  if (position > importLimits.rows)
    throw unreadable({ code: 'too_many_rows', params: { most: importLimits.rows } })
  while (cells.length > table.header.length && cells.at(-1)?.trim() === '') cells.pop()
  if (cells.length !== table.header.length) {
    table.ragged += 1
    if (table.raggedRows.length < shownRagged) table.raggedRows.push(position)
  }
  table.lines.push({ position, cells })
}

type Upload = { caller: Caller; organizationId: string; file: File }

/** Keeps the rows of the file; nothing is changed by that. */
export async function keepFile(tx: Tx, { caller, organizationId, file }: Upload): Promise<string> {
  const table = await readTable(file)
  const by = personBehind(caller)
  const kept = await requireRow(
    tx,
    Id,
    sql`insert into operations (organization_id, kind, state, params, total, created_by, created_by_name)
      select o.id, 'users.import', 'draft', ${JSON.stringify({ subject: file.fileName })}::jsonb, ${table.lines.length}, ${by.id}, ${by.name}
      from organizations o where o.id = ${organizationId} and o.deleted_at is null returning id`,
  )
  const mapping: ImportMapping = guessMapping(table.header, await readFields(tx, organizationId))
  await tx.execute(
    sql`insert into imports (operation_id, organization_id, file_name, delimiter, header, ragged, ragged_rows, mapping, options)
      values (${kept.id}, ${organizationId}, ${file.fileName}, ${table.delimiter}, ${sql.param(table.header)}::text[], ${table.ragged},
        ${sql.param(table.raggedRows)}::int[], ${JSON.stringify(mapping)}::jsonb,
        ${JSON.stringify(z.parse(ImportOptions, {}))}::jsonb)`,
  )
  for (let from = 0; from < table.lines.length; from += atOnce)
    await keepLines(tx, { id: kept.id, organizationId }, table.lines.slice(from, from + atOnce))
  return kept.id
}

async function keepLines(
  tx: Tx,
  { id, organizationId }: { id: string; organizationId: string },
  lines: readonly FileLine[],
): Promise<void> {
  await tx.execute(
    sql`insert into operation_rows (operation_id, organization_id, position, entity, label, input)
      select ${id}, ${organizationId}, l.position, 'user', left(coalesce(l.cells ->> 0, ''), 200), l.cells
      from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as l(position int, cells jsonb)`,
  )
}
