import * as z from 'zod/mini'
import { arrayOf, row, type Tx } from './client.ts'
import type { SQL } from './sql.ts'

/** Very many statements answer with one of these. */
export const Count = z.object({ n: z.number() })
export const Id = z.object({ id: z.string() })

/** Returns the ids of these things, for `= any(…)` and `unnest(…)`. */
export const idsOf = (things: readonly { id: string }[]): SQL =>
  arrayOf(
    things.map(({ id }) => id),
    'uuid',
  )

/**
 * `mine` says whether a lock was taken, asked together with settings of the transaction, whose column PostgreSQL calls like the function.
 */
export const Locked = z.object({ mine: z.boolean(), set_config: z.string() })

/** Returns the figure `n` of the one row of a statement, or 0 where there is none. */
export async function readCount(tx: Tx, statement: SQL): Promise<number> {
  return (await row(tx, Count, statement))?.n ?? 0
}

/** Returns the id of the one row that a statement writes. */
export async function insertedId(tx: Tx, statement: SQL): Promise<string> {
  const inserted = await row(tx, Id, statement)
  if (!inserted) throw new Error('nothing was inserted')
  return inserted.id
}
