import type { Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { catchUp } from '../platform/derived/keys.ts'
import { trainingCells } from './recompute.ts'

/** This is the matrix of an organization. */
export type Matrix = {
  /** This is a table of (user_id, video_id, bits, late_at, waived_until, expires_at). */
  cells: SQL
  /** Changes since this instant are not in it yet; null means that it is as of now. */
  asOf: string | null
}

/** Up to this number of changes is worked out while somebody waits for the matrix. */
const mostAtOnce = 2_000

export async function matrixNow(tx: Tx, organizationId: string): Promise<Matrix> {
  const asOf = await catchUp(tx, { figure: trainingCells, organizationId, subject: null }, mostAtOnce)
  return { cells: cellsKept(organizationId), asOf }
}

/** This table has the same columns as `cells`, with what has been worked out so far. */
export const cellsKept = (organizationId: string): SQL =>
  sql`(select * from training_cells where organization_id = ${organizationId})`

/**
 * Returns the matrix as it read just before an instant at which a day ended. It leaves out what became known later, and what has been
 * erased since.
 */
export function matrixBefore(at: SQL, organizationId: string): Matrix {
  const read = sql`user_id, video_id, bits, late_at, waived_until, expires_at`
  const cells = sql`(select ${read} from training_cells where organization_id = ${organizationId} and since < ${at}
    union all select ${read} from past_training_cells where organization_id = ${organizationId} and since < ${at} and until >= ${at})`
  return { cells, asOf: null }
}
