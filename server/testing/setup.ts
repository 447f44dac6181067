import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { migrateDatabase } from '../db/migrate.ts'
import { installJobs } from '../jobs/queue.ts'
import { startEmbedded } from '../db/embedded.ts'

/** One database server for the whole run, with a template that every test file copies instead of migrating anew. */
export async function setup(): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  const dataDir = given ? undefined : await mkdtemp(path.join(os.tmpdir(), 'sendreel-test-'))
  // Otherwise root's cluster would be placed, and left behind, outside this directory.
  if (dataDir) await chmod(dataDir, 0o755)
  const server = dataDir ? await startEmbedded({ dataDir, fsync: false }) : undefined
  const url = server?.url ?? given ?? ''
  const template = `template_${process.pid}`
  await administer(url, `create database ${template}`)
  const templateUrl = withDatabase(url, template)
  await migrateDatabase(templateUrl, installJobs)
  process.env['SENDREEL_TEST_SERVER'] = url
  process.env['SENDREEL_TEST_TEMPLATE'] = template
  return async () => {
    if (!server) await administer(url, `drop database ${template}`)
    await server?.stop()
    if (dataDir) await rm(dataDir, { recursive: true, force: true })
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
