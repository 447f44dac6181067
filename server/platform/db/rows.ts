import * as z from 'zod/mini'

/** What very many statements answer. */
export const Count = z.object({ n: z.number() })
export const Id = z.object({ id: z.string() })

/** Whether a lock was got, asked together with settings of the transaction: PostgreSQL calls their column as their function. */
export const Locked = z.object({ mine: z.boolean(), set_config: z.string() })
