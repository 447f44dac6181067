import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { AuditAction } from '#contract/audit-actions.ts'
import { row, type Database, type Scope, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { refuse } from '../errors.ts'
import { audit } from './audit.ts'
import type { Caller } from './bearer.ts'
import { csvLine, utf8Mark } from './csv.ts'
import { encodeCursor } from './paging.ts'
import type { Sorted } from './keyset.ts'
import type { Stretch } from './list.ts'

/** Rows of one statement and of one piece of the file. */
const stretch = 1_000

type Cells = readonly (string | number | null)[]

type Listed<Row extends Sorted> = {
  db: Database
  scope: Scope
  header: readonly string[]
  /** Rows behind a position in the order of the list, at most `limit` of them. */
  find: (tx: Tx, stretch: Stretch) => Promise<Row[]>
  cells: (row: Row) => Cells
}

/** A list as a file in pieces. Every stretch is a transaction of its own: a slow reader holds no connection. */
export async function* exportedList<Row extends Sorted>(list: Listed<Row>): AsyncGenerator<string> {
  const { db, scope, header, find, cells } = list
  yield utf8Mark + csvLine(header)
  let after: string | undefined
  do {
    const position = after
    const found = await db.as(scope, (tx) => find(tx, { after: position, limit: stretch }))
    yield found.map((one) => csvLine(cells(one))).join('')
    const last = found.at(-1)
    after = last && found.length === stretch ? encodeCursor([last.key, last.id]) : undefined
  } while (after !== undefined)
}

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

/** Writes the export down; the name of its file, like `acme-videos-2026-11-21.csv`. Without an organization it holds all of them. */
export async function beginExport(tx: Tx, begun: Begun): Promise<string> {
  const { caller, request, organizationId, action, what, after } = begun
  if (
    caller.organizationId !== null &&
    organizationId !== undefined &&
    organizationId !== caller.organizationId
  )
    throw refuse('not_found')
  const id = caller.organizationId ?? organizationId ?? null
  const entry = {
    organizationId: id,
    action,
    entity: id === null ? 'installation' : 'organization',
    entityId: id,
  }
  const day = new Date().toISOString().slice(0, 10)
  await audit(tx, { caller, request }, { ...entry, after })
  if (id === null) return `${what}-${day}.csv`
  const found = await row(
    tx,
    SlugRow,
    sql`select slug from organizations where id = ${id} and deleted_at is null`,
  )
  if (!found) throw refuse('not_found')
  return `${found.slug.replaceAll(/[^\w-]/g, '')}-${what}-${day}.csv`
}
