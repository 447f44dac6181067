import * as z from 'zod/mini'
import { Instant } from '../endpoint.ts'

/**
 * An approval is a decision of somebody else about one content and one audience. `withdrawn`: the author took it back or changed something,
 * or the transmission was cancelled before anybody had decided.
 */
export const approvalStates = ['waiting', 'approved', 'rejected', 'withdrawn'] as const

/** The recipients may be more than, or other people than, those for whom an approval was given, by this share. */
export const approvalMargin = 0.05

export const Approval = z.object({
  state: z.enum(approvalStates),
  askedAt: Instant,
  /** There were this many recipients when it was asked for. */
  askedFor: z.number(),
  /** Null means that nobody has decided. */
  decidedBy: z.nullable(z.string()),
  decidedAt: z.nullable(Instant),
  /** It was approved for this number of recipients. */
  decidedFor: z.nullable(z.number()),
  /** It was rejected for this reason. */
  reason: z.nullable(z.string()),
})
