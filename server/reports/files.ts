import type { FastifyRequest } from 'fastify'
import { mostRows, type FileFormat } from '#contract/platform/file-formats.ts'
import { reports, type ReportFileQuery } from '#contract/reports/report-files.ts'
import type { ReportName } from '#contract/reports/report-heads.ts'
import { together, type Scope, type Tx } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { csvLine, utf8Mark } from '#contract/platform/csv.ts'
import type { Services } from '../platform/http/services.ts'
import { collect, cutText, type Stretch } from '../documents/collect.ts'
import { fileTypes, paperFile } from '../documents/files.ts'
import { logoFor, storedLogo, type StoredLogo } from '../documents/logo.ts'
import type { Cell, Column, Paper } from '../documents/paper.ts'
import { giveRoom, giveTime, scopeOf, type ReportScope, type Zoned } from './scope.ts'
import { faceOf } from './papers.ts'
import { tables, type Table } from './tables.ts'

/** Who reads, and rows of which organization. */
export type Reader = Pick<Services, 'db' | 'log'> & {
  scope: Scope
  caller: Pick<Caller, 'userId' | 'role' | 'name' | 'organizationId' | 'groupIds'> &
    Partial<Pick<Caller, 'viewer'>>
  /** None where the product itself makes the file for its reader, to be mailed. */
  request?: FastifyRequest
}

/** Which report, how, and of what: the query of its file, without the format. */
export type Order<Name extends ReportName> = {
  report: Name
  format: FileFormat
  query: Zoned<ReportFileQuery<Name>>
}

/**
 * A report as a file, of what its reader may see now; noted in the audit log. Refuses before the first byte what the report itself
 * would refuse, and a role that may not read it.
 */
export async function fileOf<Name extends ReportName>(
  { db, log, scope, caller, request }: Reader,
  { report, format, query }: Order<Name>,
) {
  const { access } = reports[report].file
  if (!access.roles.includes(caller.role)) throw refuse('forbidden')
  const reportScope = await db.asReport(scope, async (tx) => {
    const found: ReportScope = { ...(await scopeOf(tx, caller, query)), isForGood: true }
    const organizationId = found.organization?.id ?? null
    const about = { organizationId, entity: 'organization', entityId: organizationId }
    await audit(
      tx,
      { caller, request },
      { ...about, action: 'report.exported', after: { report, format, ...query } },
    )
    return found
  })
  const { from, to } = reportScope.spans.span
  const table: Table<ReportFileQuery<Name>> = tables[report]
  const read: Read = (tx, { limit, after, form }) =>
    table.read(tx, reportScope, { ...query, offset: 0, limit, after, form })
  const within = <T>(work: (tx: Tx) => Promise<T>) =>
    db.asReport(scope, async (tx) => {
      await together(giveRoom(tx), giveTime(tx))
      return work(tx)
    })
  const content =
    format === 'csv'
      ? linesOf(table, (after) => within((tx) => read(tx, { limit: stretch, after, form: 'bare' })))
      : paperFile(format, () =>
          paperOf({
            log,
            table,
            limit: mostRows[format],
            within,
            read,
            ofAll: reportScope.organization === null,
            face: (tx) => faceOf(tx, report, { scope: reportScope, query, by: caller }),
            logo: (tx) =>
              format === 'pdf' && reportScope.organization
                ? storedLogo(tx, reportScope.organization.id)
                : null,
          }),
        )
  return { name: `${report}-${from}-to-${to}.${format}`, type: fileTypes[format], content }
}

type StretchQuery = { limit: number; after: string | undefined; form: 'bare' | 'words' }
type Read = (tx: Tx, wanted: StretchQuery) => Promise<Stretch>

type Making = Pick<Services, 'log'> & {
  table: Pick<Table<never>, 'rows' | 'columns'>
  /** The most rows. */
  limit: number
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  read: Read
  ofAll: boolean
  face: (tx: Tx) => Promise<Omit<Paper, 'logo' | 'table'>>
  logo: (tx: Tx) => Promise<StoredLogo | null> | null
}

/** What is said above the table is read in one transaction, its rows in one for each stretch. */
async function paperOf({ table, limit, within, read, ofAll, face, logo, log }: Making): Promise<Paper> {
  const [head, picture] = await within(async (tx) => [await face(tx), await logo(tx)])
  const most = Math.min(limit, largeStretch)
  const { rows, isCut } = await collect(
    (after) => within((tx) => read(tx, { limit: most, after, form: 'words' })),
    limit,
  )
  const shown = table.columns.flatMap((column, at) => (ofAll || !column.ofAll ? [{ column, at }] : []))
  return {
    ...head,
    logo: await logoFor(picture, log),
    table: {
      name: table.rows,
      columns: shown.map(({ column: { name, as, none, wide } }) => ({ name, as, none, wide })),
      rows: rows.map((row) => shown.map(({ at }) => row[at] ?? null)),
      cut: isCut ? cutText(rows.length) : null,
    },
  }
}

/** Rows of one statement and of one piece of a CSV file. */
const stretch = 1_000
/** The same where all of them are held in memory anyway. */
const largeStretch = 5_000

/** Every stretch is a transaction of its own: a slow reader holds no connection. */
async function* linesOf(
  { columns }: Pick<Table<never>, 'columns'>,
  read: (after: string | undefined) => Promise<Stretch>,
): AsyncGenerator<string> {
  yield utf8Mark + csvLine(columns.map(({ csv, name }) => csv ?? name))
  let after: string | undefined
  do {
    const found = await read(after)
    yield found.rows.map((row) => csvLine(row.map((cell, at) => bare(cell, columns[at])))).join('')
    after = found.after
  } while (after !== undefined)
}

/** Seconds to the millisecond, and shares to a thousandth of a percent. */
function bare(cell: Cell, column: Column | undefined): Cell {
  if (typeof cell !== 'number') return cell
  if (column?.as === 'time' || column?.as === 'clock') return Math.round(cell) / 1_000
  return column?.as === 'share' ? Math.round(cell * 1e5) / 1e5 : cell
}
