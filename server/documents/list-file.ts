import * as z from 'zod/mini'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import { requireRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { exportedList, rowsOf, type ColumnOf, type Listed } from '../platform/http/lists/list-export.ts'
import type { Services } from '../platform/http/services.ts'
import { fileTypes, paperFile } from './files.ts'
import { listPaper } from './list-paper.ts'
import { storedLogo } from './logo.ts'
import type { Column, Fact, Paper } from './paper.ts'

type ListFile<Row> = Pick<Paper, 'title' | 'lead'> & {
  format: FileFormat
  /** Without its ending. */
  file: string
  list: Listed<Row> & { columns: readonly (Column & ColumnOf<Row>)[] }
  /** Whose list it is; null: it holds those of all organizations. */
  organizationId: string | null
  filters: readonly Fact[]
  by: Pick<Caller, 'name' | 'viewer'>
  /** The words of its states. */
  labels?: Readonly<Record<string, { word: string; means: string }>>
  /** What a row is, in the plural: "People". */
  name: string
}

type ListSelection = { filter: object; ids?: readonly string[] | undefined; exceptIds?: readonly string[] }

/** Said of a list that does not hold everything, so that nobody takes a part for the whole. */
export function narrowed({ filter, ids, exceptIds = [] }: ListSelection): Fact[] {
  const isFiltered = Object.entries(filter).some(
    ([field, value]) => field !== 'organizationId' && value !== undefined && value !== '',
  )
  if (!isFiltered && ids === undefined && exceptIds.length === 0) return []
  return [{ label: 'Holds', value: 'What was found or picked in the list, not everything' }]
}

const Owner = z.object({ name: z.string() })

/** A list as a file in each of the formats: as text in pieces without an end, or as a workbook or pages with who made it and when. */
export function listFile<Row>({ env, log }: Services, asked: ListFile<Row>) {
  const { format, file, list, organizationId, by, labels = {}, name, ...about } = asked
  const paper = async (of: 'xlsx' | 'pdf'): Promise<Paper> => {
    const { owner, picture } = await list.db.as(list.scope, async (tx) => ({
      owner:
        organizationId === null
          ? `${env.productName}, all organizations`
          : (await requireRow(tx, Owner, sql`select name from organizations where id = ${organizationId}`))
              .name,
      picture: of === 'pdf' && organizationId !== null ? await storedLogo(tx, organizationId) : null,
    }))
    const { columns } = list
    return listPaper({
      ...about,
      format: of,
      owner,
      picture,
      log,
      by,
      labels,
      name,
      columns,
      rows: rowsOf(list),
    })
  }
  return {
    name: `${file}.${format}`,
    type: fileTypes[format],
    content: format === 'csv' ? exportedList(list) : paperFile(format, () => paper(format)),
  }
}
