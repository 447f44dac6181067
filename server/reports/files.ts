import type { FastifyRequest } from 'fastify'
import { type FileFormat } from '#contract/file-formats.ts'
import { reports, type ReportFileQuery, type ReportName } from '#contract/report-files.ts'
import type { Database, Scope } from '../db/client.ts'
import { refuse } from '../errors.ts'
import { audit } from '../http/audit.ts'
import type { Caller } from '../http/bearer.ts'
import { csvLine, utf8Mark } from '../http/csv.ts'
import type { Cell, Column } from '../print/paper.ts'
import { giveRoom, groundOf } from './ground.ts'
import { tables, type Table } from './tables.ts'

/** Who reads, within which wall. */
export type Reader = {
  db: Database
  scope: Scope
  caller: Pick<Caller, 'userId' | 'role' | 'name' | 'organizationId' | 'groupIds'> &
    Partial<Pick<Caller, 'viewer'>>
  /** None where the product itself makes the file for its reader, to be mailed. */
  request?: FastifyRequest
}

/**
 * A report as a file, of what its reader may see now; noted in the audit log. Refuses before the first byte what the report itself
 * would refuse, and a role that may not read it.
 */
export async function fileOf<Name extends ReportName>(
  reader: Reader,
  report: Name,
  format: FileFormat,
  query: ReportFileQuery<Name>,
) {
  const { db, scope, caller, request } = reader
  const { access } = reports[report].file
  if (!access.roles.includes(caller.role)) throw refuse('forbidden')
  const ground = await db.as(scope, async (tx) => {
    const found = await groundOf(tx, caller, query)
    const organizationId = found.organization?.id ?? null
    const about = { organizationId, entity: 'organization', entityId: organizationId }
    await audit(
      tx,
      { caller, request },
      { ...about, action: 'report.exported', after: { report, format, ...query } },
    )
    return found
  })
  const { from, to } = ground.spans.span
  const name = `${report}-${from}-to-${to}`
  const table: Table<ReportFileQuery<Name>> = tables[report]
  const read = (limit: number, after: string | undefined) =>
    db.as(scope, async (tx) => {
      await giveRoom(tx)
      return table.read(tx, ground, { ...query, offset: 0, limit, after })
    })
  return { name: `${name}.csv`, type: 'text/csv; charset=utf-8', content: linesOf(table, read) }
}

type Read = (limit: number, after: string | undefined) => ReturnType<Table<unknown>['read']>

/** Rows of one statement and of one piece of the file. */
const stretch = 1_000

/** Every stretch is a transaction of its own: a slow reader holds no connection. */
async function* linesOf({ columns }: Pick<Table<never>, 'columns'>, read: Read): AsyncGenerator<string> {
  yield utf8Mark + csvLine(columns.map(({ csv, name }) => csv ?? name))
  let after: string | undefined
  do {
    const found = await read(stretch, after)
    yield found.rows.map((row) => csvLine(row.map((cell, at) => bare(cell, columns[at])))).join('')
    after = found.after
  } while (after !== undefined)
}

/** Seconds to the millisecond, and shares to a thousandth of a percent. */
function bare(cell: Cell, column: Column | undefined): Cell {
  if (typeof cell !== 'number') return cell
  if (column?.as === 'time' || column?.as === 'clock') return Math.round(cell) / 1_000
  return column?.as === 'share' || column?.as === 'percent' ? Math.round(cell * 1e5) / 1e5 : cell
}
