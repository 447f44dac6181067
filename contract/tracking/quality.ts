import * as z from 'zod/mini'
import { Instant } from '../endpoint.ts'

/** How good the evidence behind a figure is. Counts are sessions, if they do not say otherwise. */
export const Quality = z.object({
  /** Everything that had arrived by then is in the figure. */
  completeTo: Instant,
  sessions: z.number(),
  /** Of nobody known by name. */
  anonymous: z.number(),
  /** Of programs; left out of every figure. */
  bots: z.number(),
  /** With more parts or events than one session may have; the surplus was dropped. */
  capped: z.number(),
  /** With parts that earned no credit. */
  refused: z.number(),
  /** Reports that arrived, of those that were sent as far as is known. */
  batchesSeen: z.number(),
  batchesExpected: z.number(),
})
export type Quality = z.infer<typeof Quality>
