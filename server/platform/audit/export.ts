import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { auditExportFreshAbove, type exportAudit } from '#contract/platform/audit.ts'
import { requireBlamed } from '../aside.ts'
import { rows, type Database, type Scope, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/sql.ts'
import { csvLine, utf8Mark } from '#contract/platform/csv.ts'
import { origin } from './canonical.ts'
import type { ColumnOf } from '../http/lists/list-export.ts'
import { matching, readHead, type AuditQuery } from './queries.ts'
import { entryColumns, linkColumns, toEntry, EntryRow } from './rows.ts'
import { seal } from './seal.ts'
import type { FileEnd, FileHead, FileLine } from './sources.ts'
import { readCount } from '../db/rows.ts'

/** Links that are looked through in one statement; what matches among them is in memory at once. */
const stretch = 5_000

type Format = ParsedQuery<typeof exportAudit>['format']
export type Order = { db: Database; scope: Scope; asked: AuditQuery; format: Format }

/** How many entries there are, as far as it matters whether the person has to prove who they are. */
export async function countForExport(tx: Tx, asked: AuditQuery): Promise<number> {
  return readCount(
    tx,
    sql`select count(*)::int as n from (select 1 from audit a where ${await matching(tx, asked)}
      limit ${auditExportFreshAbove + 1}) counted`,
  )
}

/** Without a link while the entry waits for one. */
const ExportRow = z.extend(EntryRow, {
  seq: z.nullable(z.string()),
  detailsHash: z.nullable(z.string()),
  entryHash: z.nullable(z.string()),
  hash: z.nullable(z.string()),
  previous: z.string(),
  sealedAt: z.nullable(z.string()),
})
type ExportRow = z.infer<typeof ExportRow>

/** A file in pieces. Every stretch is a transaction of its own: a slow reader holds no connection. */
export async function* exported(order: Order): AsyncGenerator<string> {
  await seal(order.db).catch(requireBlamed)
  const head = await order.db.as(order.scope, readHead)
  const { organizationId, ...filters } = given(order.asked)
  const complete =
    order.scope === 'system' && organizationId === undefined && Object.keys(filters).length === 0
  yield opening(order.format, {
    format: 'sendreel-audit-1',
    complete,
    filters: given(order.asked),
    head: head.hash === null ? null : { seq: head.seq, hash: head.hash },
    exportedAt: new Date().toISOString(),
  })
  let entries = 0
  for await (const found of stretches(order, head.seq)) {
    entries += found.length
    yield found.map((one) => lineOf(order.format, one)).join('')
  }
  const end: FileEnd = { end: { entries } }
  if (order.format === 'jsonl') yield `${JSON.stringify(end)}\n`
}

function given(asked: AuditQuery): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== null && value !== undefined),
  )
}

async function* stretches({ db, scope, asked }: Order, last: number): AsyncGenerator<FileLine[]> {
  for (let from = 0; from < last; from += stretch)
    yield await db.as(scope, async (tx) =>
      fetchRows(
        tx,
        sql`from audit_chain c join audit a on a.id = c.audit_id left join audit_chain p on p.seq = c.seq - 1
          where c.seq > ${from} and c.seq <= ${Math.min(from + stretch, last)} and ${await matching(tx, asked)} order by c.seq`,
      ),
    )
  yield await db.as(scope, async (tx) =>
    fetchRows(
      tx,
      sql`from audit_unsealed w join audit a on a.id = w.audit_id
        left join audit_chain c on false left join audit_chain p on false
        where ${await matching(tx, asked)} order by w.audit_id limit ${stretch}`,
    ),
  )
}

async function fetchRows(tx: Tx, source: SQL): Promise<FileLine[]> {
  const found = await rows(
    tx,
    ExportRow,
    sql`select ${entryColumns}, ${linkColumns}, encode(coalesce(p.hash, decode(${origin}, 'hex')), 'hex') as previous ${source}`,
  )
  return found.map(toLine)
}

function toLine(found: ExportRow): FileLine {
  const { seq, detailsHash, entryHash, hash, previous, sealedAt } = found
  const isLinked = seq && detailsHash && entryHash && hash && sealedAt
  const link = isLinked ? { seq: Number(seq), detailsHash, entryHash, hash, previous, sealedAt } : null
  return { ...toEntry(found), seal: link }
}

const columns: ColumnOf<FileLine>[] = [
  { name: 'Number', cell: ({ seal: link }) => link?.seq ?? null },
  { name: 'Time (UTC)', cell: (entry) => entry.at },
  { name: 'Who', cell: ({ details }) => details.actorName },
  { name: 'Who (id)', cell: (entry) => entry.actorId },
  { name: 'Viewing as (id)', cell: (entry) => entry.viewingAs },
  { name: 'Key (id)', cell: (entry) => entry.keyId ?? null },
  { name: 'Action', cell: (entry) => entry.action },
  { name: 'About', cell: (entry) => entry.entity },
  { name: 'About (id)', cell: (entry) => entry.entityId },
  { name: 'Organization (id)', cell: (entry) => entry.organizationId },
  { name: 'Before', cell: ({ details }) => asText(details.before) },
  { name: 'After', cell: ({ details }) => asText(details.after) },
  { name: 'Network', cell: ({ details }) => details.ipPrefix },
  { name: 'Browser', cell: ({ details }) => details.userAgent },
  { name: 'Request', cell: (entry) => entry.requestId },
  { name: 'Link', cell: ({ seal: link }) => link?.hash ?? null },
]

function opening(format: Format, head: FileHead): string {
  return format === 'jsonl'
    ? `${JSON.stringify(head)}\n`
    : utf8Mark + csvLine(columns.map(({ name }) => name))
}

function lineOf(format: Format, entry: FileLine): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`
  return csvLine(columns.map(({ cell }) => cell(entry)))
}

function asText(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}
