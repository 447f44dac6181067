import * as z from 'zod/mini'
import { Instant } from '../endpoint.ts'

/**
 * A decision of somebody else about one content and one audience. `withdrawn`: the author took it back, changed something, or
 * the transmission was cancelled before anybody had decided.
 */
export const approvalStates = ['waiting', 'approved', 'rejected', 'withdrawn'] as const

/** Share by which the recipients may be more than, or other people than, those for whom an approval was given. */
export const approvalMargin = 0.05

export const Approval = z.object({
  state: z.enum(approvalStates),
  askedAt: Instant,
  /** Recipients when it was asked for. */
  askedFor: z.number(),
  /** Null: nobody has decided. */
  decidedBy: z.nullable(z.string()),
  decidedAt: z.nullable(Instant),
  /** Recipients for whom it was approved. */
  decidedFor: z.nullable(z.number()),
  /** Why it was rejected. */
  reason: z.nullable(z.string()),
})
