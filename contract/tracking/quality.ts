import * as z from 'zod/mini'
import { Instant } from '../endpoint.ts'

/** These figures say how good the evidence behind a figure is. They count sessions, if they do not say otherwise. */
export const Quality = z.object({
  /** Everything that had arrived by then is in the figure. */
  completeTo: Instant,
  sessions: z.number(),
  /** These are of nobody known by name. */
  anonymous: z.number(),
  /** These are of programs, which are left out of every figure. */
  bots: z.number(),
  /** These had more parts or events than one session may have, and the surplus was dropped. */
  capped: z.number(),
  /** These had parts that earned no credit. */
  refused: z.number(),
  /** These reports arrived, of those that were sent as far as is known. */
  batchesSeen: z.number(),
  batchesExpected: z.number(),
})
export type Quality = z.infer<typeof Quality>
