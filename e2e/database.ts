import { expect } from '@playwright/test'
import pg from 'pg'
import { startEmbedded } from '#server/platform/db/embedded/embedded.ts'
import type { Product } from './product.ts'

/** The running product's database, for what cannot be waited for: an hour that passes, a day that is over. */
export type ProductDatabase = {
  query(statement: string, values?: unknown[]): Promise<pg.QueryResult>
  close(): Promise<void>
}

export async function openDatabase(product: Product): Promise<ProductDatabase> {
  const database = await startEmbedded({ dataDir: product.dataDir })
  // A transaction that is begun by one statement and ended by another keeps its connection.
  const pool = new pg.Pool({ connectionString: database.url, max: 1, idleTimeoutMillis: 0 })
  return {
    query: (statement, values) => pool.query(statement, values),
    async close() {
      await pool.end()
      await database.stop()
    },
  }
}

/** Waits until the product has worked out everything that has changed in an organization. */
export async function derived(productDatabase: ProductDatabase, organizationId: string): Promise<void> {
  const waits = async () =>
    (
      await productDatabase.query('select 1 from dirty_keys where organization_id = $1 limit 1', [
        organizationId,
      ])
    ).rowCount
  await expect.poll(waits, { timeout: 120_000 }).toBe(0)
}
