import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '#server/platform/db/embedded/embedded.ts'
import { migrateDatabase } from '#server/platform/db/migrate.ts'
import { addressesOf, servingUrl } from '#server/platform/db/roles.ts'
import { installJobs } from '#server/platform/jobs/queue.ts'

/** A database server of one workload, empty but for the schema, as durable as a real one. */
export type BenchDatabase = {
  url: string
  /** Of the owner: a floor makes its own tables, and knows of no tenants. */
  ownerUrl: string
  /** Process of the database server; its sessions are its children. */
  pid: number
  /** For files of the workload; removed at the end. */
  dataDir: string
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

const open = new Set<() => Promise<void>>()

export async function startBenchDatabase(): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'sendreel-bench-'))
  // So that the database's own user can enter it.
  await chmod(dataDir, 0o755)
  const database = await startEmbedded({ dataDir })
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  const close = async () => {
    if (!open.delete(close)) return
    await pool.end()
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  open.add(close)
  await migrateDatabase(addressesOf({ databaseUrl: database.url }), installJobs)
  return {
    url: servingUrl(database.url),
    ownerUrl: database.url,
    pid: Number(readFileSync(path.join(database.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]),
    dataDir,
    async query<Row extends object>(text: string, values: unknown[] = []) {
      return (await pool.query<Row>(text, values)).rows
    },
    close,
  }
}

/** For a run that is broken off: stops every database server that is still there. */
export async function closeBenchDatabases(): Promise<void> {
  await Promise.allSettled([...open].map((close) => close()))
}
