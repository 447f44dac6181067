import pg from 'pg'
import * as z from 'zod/mini'
import { rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { boundOf } from './bound.ts'
import { damageOf } from './restore/damage.ts'
import { Sequence, type StoredTable } from './manifest.ts'

const { escapeIdentifier } = pg

/** Made again by whoever starts on the database: the key of the policies, and the list of migrations. */
const leftOut = sql`('public.scope_keys', 'public.migrations')`

const Table = z.object({
  schema: z.enum(['public', 'pgboss']),
  name: z.string(),
  columns: z.array(z.string()),
  parent: z.nullable(z.string()),
  bound: z.nullable(z.string()),
  /** Its policies bind its owner too. */
  isForced: z.boolean(),
})
export type Table = z.infer<typeof Table>

/** Every table that holds rows, as a partition its own, in the order of their names. */
export function tablesOf(tx: Tx): Promise<Table[]> {
  return rows(
    tx,
    Table,
    sql`select n.nspname as schema, c.relname as name, c.relforcerowsecurity as "isForced",
        (select p.relname from pg_inherits i join pg_class p on p.oid = i.inhparent where i.inhrelid = c.oid) as parent,
        pg_get_expr(c.relpartbound, c.oid) as bound,
        array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'pgboss') and c.relkind = 'r' and n.nspname || '.' || c.relname not in ${leftOut}
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      order by n.nspname collate "C", c.relname collate "C"`,
  )
}

/** Asked after the tables: a number that has been given out since belongs to nothing. */
export function sequencesOf(tx: Tx): Promise<z.infer<typeof Sequence>[]> {
  return rows(
    tx,
    Sequence,
    sql`select schemaname as schema, sequencename as name, last_value::text as value from pg_sequences
      where schemaname in ('public', 'pgboss') order by 1, 2`,
  )
}

export const fullName = ({ schema, name }: { schema: string; name: string }): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`

/** For people, and for the name of a file. */
export const plainName = ({ schema, name }: { schema: string; name: string }): string => `${schema}.${name}`

type Copied = Pick<StoredTable, 'schema' | 'name' | 'columns'>
const listed = ({ columns }: Copied) => columns.map((name) => escapeIdentifier(name)).join(', ')

export const copyOut = (table: Copied): string => `copy ${fullName(table)} (${listed(table)}) to stdout`

/** Frozen: the table was emptied in the same transaction, so no one sees it before it is whole, and its rows come to lie in order. */
export const copyIn = (table: Copied): string =>
  `copy ${fullName(table)} (${listed(table)}) from stdin (freeze)`

/** A part of a table, as its backup describes it. */
export function createPart({ schema, name, parent, bound }: StoredTable): string {
  const part = boundOf(bound ?? '')
  if (parent === null || part === undefined)
    throw damageOf(`The backup describes ${name} as no part of a table.`)
  return `create table ${fullName({ schema, name })} partition of ${fullName({ schema, name: parent })} ${part}`
}

/** Texts of values that say the same on every server, and no limit of time. */
export const plainSession = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set client_encoding = 'UTF8'; set bytea_output = 'hex'; set extra_float_digits = 1; set synchronize_seqscans = off;
  set standard_conforming_strings = on; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set search_path = public`
