import { hasRow, statementsOn } from '../platform/db/client.ts'
import { madeMigrations, migrations } from '../platform/db/migrations.ts'
import { openClient } from '../platform/db/preconditions.ts'
import type { Addresses } from '../platform/db/roles.ts'
import { sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import { makeBackup } from './backup.ts'

/**
 * Before the first migration of a release changes a database with data, its tables are backed up, and one line says so. Throws a
 * sentence when that cannot be done: then nothing is migrated either.
 */
export async function backUpBeforeMigration(env: Env, { owner }: Addresses): Promise<void> {
  if (owner === undefined || !(await willChange(owner))) return
  try {
    const { at } = await makeBackup({ env, owner, kind: 'database' })
    console.log(`Before its tables are brought up to date, they were backed up: ${at}`)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `This release changes the tables of the database, and they could not be backed up before: ${why}\nNothing was changed. To go on without a backup: npm start -- --no-backup`,
      { cause: error },
    )
  }
}

/** There is data, and a migration that it has not seen. */
async function willChange(owner: string): Promise<boolean> {
  const client = await openClient(owner)
  try {
    const tx = statementsOn(client)
    if (!(await hasRow(tx, sql`select 1 where to_regclass('public.users') is not null`))) return false
    if (!(await hasRow(tx, sql`select 1 from public.users limit 1`))) return false
    const made = await madeMigrations(client)
    return migrations().some(({ name, hash }) => made.get(name) !== hash)
  } finally {
    await client.end()
  }
}
