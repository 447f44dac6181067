import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import * as z from 'zod/mini'
import { row, rows, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { type ChainEntry, Hashes } from './canonical.ts'
import { entryColumns, linkColumns, toEntry, EntryRow } from './rows.ts'
import type { Head, Link } from './verify.ts'
import { Id, readCount } from '../db/rows.ts'

const batch = 2_000

/** What stands in the first line of an exported file. */
export type FileHead = {
  format: 'sendreel-audit-1'
  /** Every link of the installation, in contrast to a selection. */
  complete: boolean
  filters: Record<string, unknown>
  /** The chain's end when the export began. */
  head: Head | null
  exportedAt: string
}

/** Every other line but the last; without a link while the entry waits for one. */
export type FileLine = ChainEntry & {
  seal: (Hashes & { seq: number; previous: string; sealedAt: string }) | null
}

/** The last line: without it the file was cut off. */
export type FileEnd = { end: { entries: number } }

const LinkRow = z.extend(Hashes, { seq: z.string(), sealedAt: z.string() })
const nothing = Object.fromEntries(Object.keys(EntryRow.shape).map((name) => [name, z.null()]))
const SourceRow = z.union([
  z.object({ ...LinkRow.shape, ...EntryRow.shape, gone: z.literal(false) }),
  z.object({ ...LinkRow.shape, ...nothing, gone: z.literal(true) }),
])

/** All links in the order of the chain; the transaction sees one state of the database. */
export async function* databaseLinks(tx: Tx): AsyncGenerator<Link> {
  await tx.execute(
    sql`declare links no scroll cursor for select ${linkColumns}, ${entryColumns}, a.id is null as gone
      from audit_chain c left join audit a on a.id = c.audit_id order by c.seq`,
  )
  for (;;) {
    const found = await rows(tx, SourceRow, sql.raw(`fetch ${batch} from links`))
    for (const one of found) {
      const { seq, detailsHash, entryHash, hash } = one
      yield { seq: Number(seq), detailsHash, entryHash, hash, entry: one.gone ? null : toEntry(one) }
    }
    if (found.length < batch) return
  }
}

const Unlinked = z.object({ id: z.string(), action: z.string(), waits: z.boolean() })

/** Entries outside the chain: how many wait for their link, and what is wrong with one of them, if anything. */
export async function outsideChain(tx: Tx): Promise<{ waiting: number; fault: string | null }> {
  const lost = await row(
    tx,
    Id,
    sql`select w.audit_id as id from audit_unsealed w where not exists (select 1 from audit a where a.id = w.audit_id) limit 1`,
  )
  if (lost) return { waiting: 0, fault: `entry ${lost.id} is missing: it was deleted before it was sealed` }
  const outside = sql`from audit a left join audit_unsealed w on w.audit_id = a.id
    where not exists (select 1 from audit_chain c where c.audit_id = a.id)`
  const unlinked = await row(
    tx,
    Unlinked,
    sql`select a.id, a.action, w.audit_id is not null as waits ${outside}
      and (w.audit_id is null or a.at < now() - interval '5 minutes') order by waits limit 1`,
  )
  const waiting = await readCount(tx, sql`select count(*)::int as n from audit_unsealed`)
  const name = unlinked && `entry ${unlinked.id} (${unlinked.action})`
  if (!unlinked) return { waiting, fault: null }
  const fault = unlinked.waits
    ? `${name} has waited for its link for more than five minutes: is the worker running?`
    : `${name} has no link: it was put in beside the product, or its link was removed`
  return { waiting, fault }
}

type AuditFile = {
  head: FileHead
  links: AsyncGenerator<Link>
  outside: { waiting: number; fault: string | null }
}

/** Reads an exported file line by line. `outside` is known when the links have been read. */
export async function openFile(path: string): Promise<AuditFile> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })[
    Symbol.asyncIterator
  ]()
  const first = await lines.next()
  // Whatever else a line holds is settled by the hashes.
  const head = parse(first.done ? '' : first.value) as FileHead | undefined
  if (head?.format !== 'sendreel-audit-1') throw new Error(`${path} is not an export of the audit log.`)
  const outside: AuditFile['outside'] = { waiting: 0, fault: null }
  return { head, outside, links: linksOf({ [Symbol.asyncIterator]: () => lines }, head, outside) }
}

async function* linksOf(
  lines: AsyncIterable<string>,
  head: FileHead,
  outside: AuditFile['outside'],
): AsyncGenerator<Link> {
  let entries = 0
  let last = 0
  for await (const text of lines) {
    const line = parse(text) as FileLine | FileEnd | undefined
    if (!line) return void (outside.fault ??= `line ${entries + 2} of the file cannot be read`)
    if ('end' in line)
      return void (outside.fault ??= endFault({ head, last, entries, claimed: line.end.entries }))
    entries += 1
    if (line.seal) last = line.seal.seq
    if (line.seal) yield linkOf(line, line.seal, head.complete)
    else outside.waiting += 1
  }
  outside.fault ??= 'the file has no last line: it was cut off'
}

function linkOf(line: FileLine, seal: NonNullable<FileLine['seal']>, complete: boolean): Link {
  const { seal: _seal, ...entry } = line
  const { seq, detailsHash, entryHash, hash, previous } = seal
  return { seq, detailsHash, entryHash, hash, entry, ...(complete ? {} : { previous }) }
}

type End = { head: FileHead; last: number; entries: number; claimed: number }

function endFault({ head, last, entries, claimed }: End): string | null {
  if (claimed !== entries) return `the file says ${claimed} entries and holds ${entries}`
  if (head.complete && head.head && last < head.head.seq)
    return `the file ends at link ${last}, but it was made when link ${head.head.seq} existed`
  return null
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
