import path from 'node:path'
import pg from 'pg'
import { drizzle, migrate } from './drizzle.ts'
import { keepWords } from './words.ts'

const migrationsFolder = path.join(import.meta.dirname, 'migrations')
/** Any constant; every process that migrates this database asks for the same lock. */
const migrationLock = 7_236_401

/**
 * Brings the schema up to date as the owner of the database, then runs `install` for what others keep in it (the queue). Servers
 * that start at once take turns.
 */
export async function migrateDatabase(url: string, install: (url: string) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await migrate(drizzle(client), { migrationsFolder })
    await keepWords(client)
    await install(url)
  } finally {
    await client.end()
  }
}
