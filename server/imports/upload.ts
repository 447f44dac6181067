import { readCell } from '#contract/platform/csv.ts'
import * as z from 'zod/mini'
import { importLimits, ImportOptions, type Delimiter } from '#contract/imports/imports.ts'
import { addDraftRows, closeDraft, draftOperation } from '../operations/draft.ts'
import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { guessMapping } from './columns.ts'
import { readFields } from './stored.ts'
import { guessDelimiter, parseCsv, readHead, unreadable } from './parse.ts'
import { noEvidence, noteWriting, writingOf } from './written.ts'

type File = { fileName: string; content: string; delimiter?: Delimiter | undefined }
type FileLine = { position: number; cells: string[] }
type Table = {
  header: string[]
  delimiter: Delimiter
  records: ReturnType<typeof parseCsv>
}
type Ragged = { count: number; rows: number[] }

/** Rows that are held in memory at a time; between two such portions other requests are answered. */
const atOnce = 2_000
const shownRagged = 5

function openTable({ content, delimiter }: File): Table {
  const head = readHead(content)
  const by = delimiter ?? head.delimiter ?? guessDelimiter(head.text)
  const records = parseCsv(head.text, by)
  const header = (nextOf(records)?.cells ?? []).map((cell) => readCell(cell).trim())
  while (header.length > 1 && header.at(-1) === '') header.pop()
  if (header.length === 0) throw unreadable({ code: 'file_empty' })
  if (header.length > importLimits.columns)
    throw unreadable({ code: 'too_many_columns', params: { most: importLimits.columns } })
  return { header, delimiter: by, records }
}

function nextOf(records: Table['records']) {
  const { done, value } = records.next()
  return done ? undefined : value
}

/** The next rows of the file; a position is one less than what a spreadsheet says of its row. */
function nextLines({ header, records }: Table): FileLine[] {
  const lines: FileLine[] = []
  for (let record = nextOf(records); record; record = nextOf(records)) {
    const cells = record.cells.map(readCell)
    while (cells.length > header.length && cells.at(-1)?.trim() === '') cells.pop()
    lines.push({ position: record.row - 1, cells })
    if (lines.length === atOnce) break
  }
  return lines
}

function noteRagged(ragged: Ragged, lines: readonly FileLine[], width: number): void {
  const found = lines.filter(({ cells }) => cells.length !== width)
  ragged.count += found.length
  ragged.rows.push(...found.slice(0, shownRagged - ragged.rows.length).map(({ position }) => position))
}

type Upload = { caller: Caller; organizationId: string; file: File }

/** Keeps the rows of the file, a portion at a time however long it is; nothing is changed by that. */
export async function keepFile(tx: Tx, { caller, organizationId, file }: Upload): Promise<string> {
  const table = openTable(file)
  const draft = { caller, organizationId, kind: 'users.import', subject: file.fileName } as const
  const id = await draftOperation(tx, draft)
  const fields = await readFields(tx, organizationId)
  const mapping = guessMapping(table.header, fields)
  const evidence = noEvidence()
  const typed = Object.entries(mapping).flatMap(([index, target]) => {
    const field = fields.find(({ key }) => target === `field:${key}`)
    return field ? [{ index: Number(index), type: field.type }] : []
  })
  const note = ({ cells }: FileLine) => {
    for (const { index, type } of typed) noteWriting(evidence, type, cells[index] ?? '')
  }
  const ragged = await keepRows(tx, { id, organizationId, note }, table)
  const options = z.parse(ImportOptions, writingOf(evidence, table.delimiter))
  await tx.execute(
    sql`insert into imports (operation_id, organization_id, file_name, delimiter, header, ragged, ragged_rows, mapping, options)
      values (${id}, ${organizationId}, ${file.fileName}, ${table.delimiter}, ${sql.param(table.header)}::text[], ${ragged.count},
        ${sql.param(ragged.rows)}::int[], ${JSON.stringify(mapping)}::jsonb, ${JSON.stringify(options)}::jsonb)`,
  )
  return id
}

type Key = { id: string; organizationId: string }
type Keeping = Key & { note: (line: FileLine) => void }

/** Answers which rows have fewer or more cells than the header. */
async function keepRows(tx: Tx, { note, ...key }: Keeping, table: Table): Promise<Ragged> {
  const ragged: Ragged = { count: 0, rows: [] }
  let total = 0
  for (let lines = nextLines(table); lines.length > 0; lines = nextLines(table)) {
    total += lines.length
    if (total > importLimits.rows)
      throw unreadable({ code: 'too_many_rows', params: { most: importLimits.rows } })
    noteRagged(ragged, lines, table.header.length)
    lines.forEach(note)
    await keepLines(tx, key, lines)
  }
  if (total === 0) throw unreadable({ code: 'file_without_rows' })
  await closeDraft(tx, key, total)
  return ragged
}

function keepLines(tx: Tx, key: Key, lines: readonly FileLine[]): Promise<void> {
  return addDraftRows(
    tx,
    key,
    sql`select l.position, 'user' as entity, left(coalesce(l.cells ->> 0, ''), 200) as label, l.cells as input
      from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as l(position int, cells jsonb)`,
  )
}
