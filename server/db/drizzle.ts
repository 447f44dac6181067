import { createRequire } from 'node:module'

/**
 * The only door to drizzle: its CommonJS build. Node.js parses a package's whole map of exports again for each ES module in it,
 * and drizzle's is 179 kB long: imported, it costs 0.7 s at the start and 200 MB (docs/decisions/0008-drizzle-by-require.md).
 */
const load = createRequire(import.meta.url)

export const { eq, getTableColumns, getTableName, is, sql, Table }: typeof import('drizzle-orm') =
  load('drizzle-orm')
export const { drizzle }: typeof import('drizzle-orm/node-postgres') = load('drizzle-orm/node-postgres')
export const { migrate }: typeof import('drizzle-orm/node-postgres/migrator') = load(
  'drizzle-orm/node-postgres/migrator',
)
export const {
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  inet,
  integer,
  jsonb,
  PgArray,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
}: typeof import('drizzle-orm/pg-core') = load('drizzle-orm/pg-core')

export type { SQL } from 'drizzle-orm'
export type { NodePgDatabase } from 'drizzle-orm/node-postgres'
