import { pipeline } from 'node:stream/promises'
import { Writable } from 'node:stream'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import * as z from 'zod/mini'
import { hasRow, rows, statementsOn } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { damageOf } from './damage.ts'
import { fileOf } from '../dump.ts'
import type { Store } from '../../platform/storage/store.ts'
import { addressOf, partsOf, unlessOfStore, type Manifest, type StoredTable } from '../manifest.ts'
import type { ProgressListener } from '../progress.ts'
import { measuring, readSealed, type Measured, type Unseal } from '../seal.ts'
import {
  copyIn,
  copyOut,
  createPart,
  fullName,
  plainName,
  plainSession,
  sequencesOf,
  tablesOf,
} from '../tables.ts'

const { escapeIdentifier, escapeLiteral } = pg

type Loading = { manifest: Manifest; store: Store; name: string; unseal: Unseal; tell: ProgressListener }

/**
 * Fills the tables of a schema that the same migrations have made, reads every one of them out again and compares; all of it or, where
 * anything is not as it was, nothing. Throws a sentence that names the table. It needs to own the tables, and no more than that:
 * foreign keys are taken off and put on again, which checks them, indexes are built at the end, and triggers of ours rest meanwhile.
 */
export async function loadTables(client: pg.Client, loading: Loading): Promise<void> {
  const { manifest } = loading
  await client.query(plainSession)
  await client.query('begin')
  try {
    await fitPartitions(client, manifest)
    const tables = await requireSameTables(client, manifest)
    const keys = await foreignKeys(client)
    for (const key of keys)
      await client.query(`alter table ${key.table} drop constraint ${escapeIdentifier(key.name)}`)
    const resting = await withTriggers(client)
    for (const table of resting) await client.query(`alter table ${table} disable trigger user`)
    for (const table of tables.forced) await client.query(`alter table ${table} no force row level security`)
    const indexes = await plainIndexes(client)
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    await client.query(`truncate ${manifest.tables.map(fullName).join(', ')}`)
    await fill(client, loading)
    await setSequences(client, manifest)
    for (const table of manifest.tables) await compare(client, table)
    await requireQueues(client)
    for (const { definition } of indexes) await client.query(definition)
    for (const key of keys)
      await client.query(
        `alter table ${key.table} add constraint ${escapeIdentifier(key.name)} ${key.definition}`,
      )
    for (const table of resting) await client.query(`alter table ${table} enable trigger user`)
    for (const table of tables.forced) await client.query(`alter table ${table} force row level security`)
    // Whatever the moment of the backup: another one, or itself at a later time, may have sent what waits here.
    await client.query(
      `update public.sending_guard set held_at = now(), signs = '{copied}', answer = null, marker = null`,
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw isOfValues(error) ? unfitting(error) : error
  }
  await client.query('analyze')
}

/** Days of the raw log and of the queue's figures come and go: those of the backup are made, others removed, while all are empty. */
async function fitPartitions(client: pg.Client, { tables }: Manifest): Promise<void> {
  const all = await tablesOf(statementsOn(client))
  const present = all.filter(({ parent }) => parent !== null)
  const wanted = tables.filter(({ parent }) => parent !== null)
  const isIn = (list: readonly { schema: string; name: string; bound: string | null }[]) => {
    const known = new Set(list.map((table) => `${plainName(table)} ${table.bound}`))
    return (table: { schema: string; name: string; bound: string | null }) =>
      known.has(`${plainName(table)} ${table.bound}`)
  }
  const isWanted = isIn(wanted)
  const isPresent = isIn(present)
  for (const table of present.filter((one) => !isWanted(one)))
    await client.query(`drop table ${fullName(table)}`)
  const whole = new Set(all.filter(({ parent }) => parent === null).map(plainName))
  const parents = new Set(present.map(({ schema, parent }) => plainName({ schema, name: parent ?? '' })))
  for (const table of wanted.filter((one) => !isPresent(one))) {
    const { schema, name, parent } = table
    const isPart = parents.has(plainName({ schema, name: parent ?? '' })) && name.startsWith(`${parent}_`)
    if (!isPart || whole.has(plainName(table))) throw noPart(table)
    await makePart(client, table)
  }
}

const noPart = (table: StoredTable, cause?: unknown) =>
  damageOf(
    `The backup describes ${plainName(table)} as a part of ${table.parent}, which it cannot be.`,
    cause,
  )

async function makePart(client: pg.Client, table: StoredTable): Promise<void> {
  try {
    await client.query(createPart(table))
  } catch (error) {
    throw isOfValues(error) || isOfStatement(error) ? noPart(table, error) : error
  }
  if (table.parent === 'track_batches')
    await client.query(`select add_tenant_policy(${escapeLiteral(fullName(table))}, 'organization_id')`)
}

/** Numbers go on behind those of the backup, in sequences of this release. */
async function setSequences(client: pg.Client, { sequences }: Manifest): Promise<void> {
  const known = new Set((await sequencesOf(statementsOn(client))).map(plainName))
  const other = sequences.find((one) => !known.has(plainName(one)))
  if (other) throw damageOf(`The backup numbers by ${plainName(other)}, which this release does not know.`)
  for (const { schema, name, value } of sequences)
    if (value !== null)
      await client.query('select setval($1::regclass, $2::bigint)', [fullName({ schema, name }), value])
}

/**
 * The queue makes statements of names that stand in its tables, and runs some that stand there whole: none of them comes from a backup.
 */
async function requireQueues(client: pg.Client): Promise<void> {
  await client.query('delete from pgboss.bam')
  const isForged = await hasRow(
    statementsOn(client),
    sql`select 1 from pgboss.queue where concat(name, coalesce(dead_letter, '')) !~ '^[A-Za-z0-9._-]+$' or table_name not in
        (select relname from pg_class where relnamespace = 'pgboss'::regnamespace and relkind in ('r', 'p'))`,
  )
  if (isForged) throw damageOf('The table pgboss.queue of the backup names what is no queue.')
}

async function requireSameTables(client: pg.Client, { tables }: Manifest): Promise<{ forced: string[] }> {
  const present = await tablesOf(statementsOn(client))
  const known = new Map(present.map((table) => [plainName(table), new Set(table.columns)]))
  for (const table of tables) {
    const columns = known.get(plainName(table))
    const gone = table.columns.filter((name) => !columns?.has(name))
    if (gone.length > 0)
      throw new Error(
        `This release has no ${gone.map((name) => `${plainName(table)}.${name}`).join(', ')}, of which the backup holds values. Restore it with the release that made it.`,
      )
  }
  const wanted = new Set(tables.map(plainName))
  const lacking = present.filter((table) => table.schema === 'public' && !wanted.has(plainName(table)))
  if (lacking.length > 0)
    throw damageOf(`The backup lacks the table ${plainName(lacking[0] ?? { schema: '', name: '' })}.`)
  return { forced: present.filter(({ isForced }) => isForced).map(fullName) }
}

const ForeignKey = z.object({ table: z.string(), name: z.string(), definition: z.string() })

const foreignKeys = (client: pg.Client) =>
  rows(
    statementsOn(client),
    ForeignKey,
    sql`select format('%I.%I', n.nspname, c.relname) as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'f' and k.conparentid = 0 and n.nspname in ('public', 'pgboss') order by 1, 2`,
  )

const PlainIndex = z.object({ name: z.string(), definition: z.string() })

/** Built once over all rows, they take a fraction of the time; those of constraints and partitions belong to others and stay. */
const plainIndexes = (client: pg.Client) =>
  rows(
    statementsOn(client),
    PlainIndex,
    sql`select format('%I.%I', n.nspname, i.relname) as name, pg_get_indexdef(x.indexrelid) as definition
      from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'pgboss') and c.relkind = 'r' and not c.relispartition
        and not exists (select from pg_constraint k where k.conindid = x.indexrelid and k.contype <> 'f')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') order by 1`,
  )

const Named = z.object({ name: z.string() })

async function withTriggers(client: pg.Client): Promise<string[]> {
  const found = await rows(
    statementsOn(client),
    Named,
    sql`select distinct format('%I.%I', n.nspname, c.relname) as name from pg_trigger t
      join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where not t.tgisinternal and n.nspname in ('public', 'pgboss') order by 1`,
  )
  return found.map(({ name }) => name)
}

async function fill(client: pg.Client, { manifest, store, name, unseal, tell }: Loading): Promise<void> {
  for (const [done, table] of manifest.tables.entries()) {
    tell({ step: 'tables', done, total: manifest.tables.length })
    const measured: Partial<Measured> = {}
    const key = `${partsOf(name).tables}${fileOf(table, manifest)}`
    const address = addressOf(store, key)
    try {
      await pipeline(
        await readSealed(store, key, { unseal, isText: true, measured, most: table.bytes }),
        client.query(copyFrom(copyIn(table))),
      )
    } catch (error) {
      unlessOfStore(error)
      throw isOfServer(error) ? error : damaged(table, address, error)
    }
    if (measured.sha256 !== table.sha256 || measured.bytes !== table.bytes) throw damaged(table, address)
  }
}

/** Of the values that the server was given, which say something about the backup; else it is full, say, or has ended. */
const isOfValues = (error: unknown) => error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')
const isOfStatement = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code ?? '').startsWith('42')
const isOfServer = (error: unknown) => error instanceof pg.DatabaseError && !isOfValues(error)

const damaged = (table: StoredTable, address: string, cause?: unknown) =>
  damageOf(`The table ${plainName(table)} is missing in the backup or damaged there: ${address}`, cause)

/** As it was copied, and yet a key or an index refuses it: so it is in the installation too. */
const unfitting = (cause: unknown) =>
  damageOf(
    `The tables of the backup do not fit together: ${cause instanceof Error ? cause.message : String(cause)}`,
    cause,
  )

/** What lies in the database now, read as the backup was. */
async function compare(client: pg.Client, table: StoredTable): Promise<void> {
  const measured: Partial<Measured> = {}
  const reading = client.query(copyTo(copyOut(table)))
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  await pipeline(reading, measuring(measured), nowhere)
  if (measured.sha256 !== table.sha256 || reading.rowCount !== table.rows)
    throw damageOf(
      `The table ${plainName(table)} is not the same after it was filled: ${reading.rowCount} rows in place of ${table.rows}, or others.`,
    )
}
