import pg from 'pg'
import { startEmbedded } from '#server/platform/db/embedded.ts'
import type { Product } from './product.ts'

/** The running product's database, for what cannot be waited for: an hour that passes, a day that is over. */
export type Ground = {
  query(statement: string, values?: unknown[]): Promise<pg.QueryResult>
  close(): Promise<void>
}

export async function openDatabase(product: Product): Promise<Ground> {
  const database = await startEmbedded({ dataDir: product.dataDir })
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  return {
    query: (statement, values) => pool.query(statement, values),
    async close() {
      await pool.end()
      await database.stop()
    },
  }
}
