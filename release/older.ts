import pg from 'pg'
import { loadTables } from '#server/backup/restore/load.ts'
import { unsealWith } from '#server/backup/seal.ts'
import { migrateDatabase } from '#server/platform/db/migrate.ts'
import { make, migrations } from '#server/platform/db/migrations.ts'
import { addressesOf } from '#server/platform/db/roles.ts'
import { folderStore } from '#server/platform/storage/folder.ts'
import { installJobs } from '#server/platform/jobs/queue.ts'
import { keptIn, manifestOf } from './kept.ts'

/** The database that a released version has left, which has made no migration from `before` on yet. */
export type Older = {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /** Makes all that it lacks, as the start of this version does. */
  bringUpToDate(): Promise<void>
  close(): Promise<void>
}

type Opening = { root: string; version: string; before: string; url: string }

/** Fills the empty database at `url`, whose owner it names. */
export async function openOlder({ root, version, before, url }: Opening): Promise<Older> {
  const manifest = manifestOf(root, version)
  const all = migrations()
  const until = all.findIndex(({ name }) => name === before)
  const first = all.slice(0, manifest.migrations.length)
  if (until < first.length) throw new Error(`${version} was released with ${before}, or there is none.`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const makeAll = async (list: typeof all) => {
    for (const one of list) await make(client, one, one.text)
  }
  await makeAll(first)
  await installJobs(url)
  const store = folderStore(keptIn(root, version).folder)
  const unseal = unsealWith(null, undefined)
  await loadTables(client, { manifest, store, name: 'backup', unseal, tell: () => {} })
  await makeAll(all.slice(first.length, until))
  // What is compared as text has to read the same before and after.
  await client.query(`set timezone = 'UTC'`)
  return {
    query: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows,
    bringUpToDate: () => migrateDatabase(addressesOf({ databaseUrl: url }), installJobs),
    close: () => client.end(),
  }
}
