import type { Env } from '../env.ts'
import { connect, type Database } from './client.ts'
import { startEmbedded } from './embedded/embedded.ts'
import { addressesOf } from './roles.ts'

/** Does the work of a command with the database of the installation, which is started where nobody has done so. */
export async function withDatabase(env: Env, work: (db: Database) => Promise<void>): Promise<void> {
  const embedded = env.databaseUrl ? undefined : await startEmbedded({ dataDir: env.dataDir })
  const { serving } = addressesOf(env.databaseUrl ?? embedded?.url ?? '', env.databaseOwnerUrl)
  const db = connect(serving, { max: 4 })
  try {
    await work(db)
  } finally {
    await db.close()
    await embedded?.stop()
  }
}
