import * as z from 'zod/mini'
import { arrayOf, row, type Tx } from './client.ts'
import type { SQL } from './sql.ts'

/** What very many statements answer. */
export const Count = z.object({ n: z.number() })
export const Id = z.object({ id: z.string() })

/** The ids of these, for `= any(…)` and `unnest(…)`. */
export const idsOf = (things: readonly { id: string }[]): SQL =>
  arrayOf(
    things.map(({ id }) => id),
    'uuid',
  )

/** Whether a lock was got, asked together with settings of the transaction: PostgreSQL calls their column as their function. */
export const Locked = z.object({ mine: z.boolean(), set_config: z.string() })

/** The figure `n` of the one row of a statement; 0 where there is none. */
export async function readCount(tx: Tx, statement: SQL): Promise<number> {
  return (await row(tx, Count, statement))?.n ?? 0
}

/** The id of the one row that a statement writes. */
export async function insertedId(tx: Tx, statement: SQL): Promise<string> {
  const inserted = await row(tx, Id, statement)
  if (!inserted) throw new Error('nothing was inserted')
  return inserted.id
}
