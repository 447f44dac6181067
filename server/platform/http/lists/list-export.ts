import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { requireRow, type Database, type Scope, type Tx } from '../../db/client.ts'
import { sql } from '../../db/sql.ts'
import { refuse } from '../../errors.ts'
import { audit } from '../audit.ts'
import type { Caller } from '../bearer.ts'
import type { Cell } from '#contract/platform/csv.ts'
import { csvPieces } from './csv.ts'
import { encodeCursor } from './paging.ts'
import type { Sorted } from './keyset.ts'
import type { Stretch } from './list.ts'

/** Rows of one statement and of one piece of the file. */
const stretch = 1_000

/** A column of a file: its heading, and what stands under it. */
export type ColumnOf<Row> = { name: string; cell: (row: Row) => Cell }

export type Listed<Row> = {
  db: Database
  scope: Scope
  columns: readonly ColumnOf<Row>[]
  /** Rows behind a position in the order of the list, at most `limit` of them. */
  find: (tx: Tx, stretch: Stretch) => Promise<(Row & Sorted)[]>
}

/** Reads a list as rows of a file. Every stretch is a transaction of its own: a slow reader holds no connection. */
export function rowsOf<Row>({ db, scope, columns, find }: Listed<Row>) {
  return async (after: string | undefined) => {
    const found = await db.as(scope, (tx) => find(tx, { after, limit: stretch }))
    const last = found.length === stretch ? found.at(-1) : undefined
    const rows = found.map((row) => columns.map(({ cell }) => cell(row)))
    return { rows, after: last && encodeCursor([last.key, last.id]) }
  }
}

/** A list as a file in pieces. */
export const exportedList = <Row>(list: Listed<Row>): AsyncGenerator<string> =>
  csvPieces(
    list.columns.map(({ name }) => name),
    rowsOf(list),
  )

type Begun = {
  caller: Caller
  request: FastifyRequest
  organizationId: string | undefined
  action: AuditAction
  /** What the file is called behind the organization: "videos". */
  what: string
  /** What was asked for. */
  after: unknown
}

const SlugRow = z.object({ slug: z.string() })

/** Like `acme-videos-2026-11-21`. */
export const exportName = (slug: string, what: string): string =>
  `${slug.replaceAll(/[^\w-]/g, '')}-${what}-${new Date().toISOString().slice(0, 10)}`

/** Writes the export down; the name of its file without its ending. Without an organization it holds all of them. */
export async function beginExport(tx: Tx, begun: Begun): Promise<string> {
  const { caller, request, organizationId, action, what, after } = begun
  const own = caller.organizationId
  if (own !== null && organizationId !== undefined && organizationId !== own) throw refuse('not_found')
  const id = own ?? organizationId ?? null
  const entity = id === null ? 'installation' : 'organization'
  await audit(tx, { caller, request }, { organizationId: id, action, entity, entityId: id, after })
  if (id === null) return `${what}-${new Date().toISOString().slice(0, 10)}`
  const { slug } = await requireRow(
    tx,
    SlugRow,
    sql`select slug from organizations where id = ${id} and deleted_at is null`,
  )
  return exportName(slug, what)
}
