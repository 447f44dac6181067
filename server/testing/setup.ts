import { readdirSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { migrateDatabase } from '../platform/db/migrate.ts'
import { installJobs } from '../platform/jobs/queue.ts'
import { startEmbedded } from '../platform/db/embedded/embedded.ts'
import { isAlive } from '../platform/db/embedded/embedded-cluster.ts'
import { addressesOf } from '../platform/db/roles.ts'

/**
 * One database server for the whole run, with a template that every test file copies instead of migrating anew. All files of a run
 * lie in one folder that names its process; the next run removes what one that was killed has left. Each project of a run asks for
 * it, the first one gets it: a folder within that of another would make paths longer than a socket may have.
 */
export async function setup(): Promise<() => Promise<void>> {
  const run = String(process.pid)
  if (process.env['SENDREEL_TEST_RUN'] === run) return async () => {}
  process.env['SENDREEL_TEST_RUN'] = run
  const place = os.tmpdir()
  sweepRuns(place)
  const folder = await mkdtemp(path.join(place, `sendreel-run-${run}-`))
  // Otherwise root's cluster would be placed, and left behind, outside this directory.
  await chmod(folder, 0o755)
  process.env['TMPDIR'] = folder
  process.env['CHECK_ROWS'] ??= path.join(folder, 'rows')
  const given = process.env['TEST_DATABASE_URL']
  const server = given ? undefined : await startEmbedded({ dataDir: folder, fsync: false })
  const url = server?.url ?? given ?? ''
  const template = `template_${process.pid}`
  await administer(url, `create database ${template}`)
  const templateUrl = withDatabase(url, template)
  await migrateDatabase(addressesOf({ databaseUrl: templateUrl }), installJobs)
  process.env['SENDREEL_TEST_SERVER'] = url
  process.env['SENDREEL_TEST_TEMPLATE'] = template
  return async () => {
    if (!server) await administer(url, `drop database ${template}`)
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
    // Programs of `bench/` set up once more in the same process.
    process.env['TMPDIR'] = place
    delete process.env['SENDREEL_TEST_RUN']
  }
}

/** Removes the folders of runs whose process is gone; their databases have ended with them. */
export function sweepRuns(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = /^sendreel-run-(\d+)-/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) remove(path.join(directory, name))
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  } catch {
    // Left for the next run: a test that was killed may have a small disk mounted in it.
  }
}

export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.toString()
}
