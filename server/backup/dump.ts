import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import * as z from 'zod/mini'
import { hasRow, requireRow, statementsOn } from '../platform/db/client.ts'
import { madeMigrations } from '../platform/db/migrations.ts'
import { sql } from '../platform/db/sql.ts'
import type { Manifest, StoredTable } from './manifest.ts'
import type { ProgressListener } from './progress.ts'
import { writeSealed, type Seal } from './seal.ts'
import { copyOut, plainName, plainSession, sequencesOf, tablesOf, type Table } from './tables.ts'

type Dumped = Pick<Manifest, 'postgres' | 'migrations' | 'snapshotAt' | 'tables' | 'sequences'>
type Dumping = { folder: string; seal: Seal; tell: ProgressListener }

const Moment = z.object({ at: z.string(), postgres: z.string() })

/** Begins the one snapshot in which everything is read. Throws a sentence when not all rows would be seen. */
export async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query(plainSession)
  await client.query('begin isolation level repeatable read read only')
  const tx = statementsOn(client)
  const isOwner = await hasRow(
    tx,
    sql`select 1 from pg_class where oid = 'public.users'::regclass and pg_has_role(relowner, 'usage')`,
  )
  if (!isOwner)
    throw new Error(
      'A backup reads as the owner of the tables: name its address in DATABASE_OWNER_URL (docs/operating.md).',
    )
}

/** Writes every table as it was at the snapshot. */
export async function dumpTables(client: pg.Client, { folder, seal, tell }: Dumping): Promise<Dumped> {
  const tx = statementsOn(client)
  const { at, postgres } = await requireRow(
    tx,
    Moment,
    sql`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
      split_part(current_setting('server_version'), ' ', 1) as postgres`,
  )
  const made = await madeMigrations(client)
  await mkdir(folder, { mode: 0o700 })
  const tables: StoredTable[] = []
  const found = await tablesOf(tx)
  for (const table of found) {
    tell({ step: 'tables', done: tables.length, total: found.length })
    tables.push(await dumpTable(client, table, { folder, seal }))
  }
  return {
    postgres,
    snapshotAt: at,
    migrations: [...made].map(([name, hash]) => ({ name, hash })),
    tables,
    sequences: await sequencesOf(tx),
  }
}

async function dumpTable(
  client: pg.Client,
  table: Table,
  { folder, seal }: Omit<Dumping, 'tell'>,
): Promise<StoredTable> {
  // Policies that hid a row from us are an error, not a gap; those that bind the owner too let everybody read.
  await client.query(`set local row_security = ${table.isForced ? 'on' : 'off'}`)
  const copying = client.query(copyTo(copyOut(table)))
  const file = path.join(folder, fileOf(table, seal))
  const written = await writeSealed(file, copying as AsyncIterable<Buffer>, { seal, isText: true })
  const { isForced: _, ...known } = table
  return { ...known, rows: copying.rowCount, ...written }
}

export const fileOf = (
  table: { schema: string; name: string },
  { recipient }: { recipient: string | null },
): string => `${plainName(table)}.zst${recipient === null ? '' : '.age'}`
