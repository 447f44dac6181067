import { existsSync } from 'node:fs'
import type { Env } from '../env.ts'
import { connect, type Database } from './client.ts'
import { startEmbedded } from './embedded/embedded.ts'
import { addressesOf } from './roles.ts'

/**
 * Does the work of a command with the database of the installation, past a pooler, and starts the embedded one where nobody has done so.
 * Throws a sentence where there is no installation.
 */
export async function withDatabase<T>(env: Env, work: (db: Database) => Promise<T>): Promise<T> {
  if (env.databaseUrl === undefined && !existsSync(env.dataDir))
    throw new Error(`There is no data in ${env.dataDir}. Name the place with DATA_DIR.`)
  const embedded = env.databaseUrl ? undefined : await startEmbedded({ dataDir: env.dataDir })
  const pooling = env.databaseDirectUrl === undefined ? env.databasePool : undefined
  const db = connect(addressesOf(env, embedded?.url).direct, { pooling })
  try {
    return await work(db)
  } finally {
    await db.close()
    await embedded?.stop()
  }
}
