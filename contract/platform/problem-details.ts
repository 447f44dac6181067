import * as z from 'zod/mini'
import { problems, type ProblemCode } from '../problems.ts'
import { reasons, type Reason, type ReasonCode } from './reasons.ts'

const codes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]]
const reasonCodes = Object.keys(reasons) as [ReasonCode, ...ReasonCode[]]

/** RFC 9457 `application/problem+json`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.enum(codes),
  /** The reason as an English sentence, for people who read answers as they come. */
  detail: z.optional(z.string()),
  /** Why, where the code alone does not tell. */
  reason: z.optional(
    z.object({
      code: z.enum(reasonCodes),
      /** What the sentence names. */
      params: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
    }),
  ),
  /** Field path (dots between levels) to what is wrong with it. */
  fields: z.optional(z.record(z.string(), z.array(z.string()))),
  /** Of a file that was sent: what is wrong with it, as a code, and in which line, from 1 on; `detail` says what to do. */
  fault: z.optional(z.string()),
  line: z.optional(z.number()),
  /** Seconds to wait before another try. */
  retryAfter: z.optional(z.number()),
  requestId: z.optional(z.string()),
})
export type Problem = Omit<z.infer<typeof Problem>, 'reason'> & { reason?: Reason }

/** What the browser reads of it. The sentences are for people who read answers as they come. */
export type CodedProblem = Omit<Problem, 'title' | 'detail'>
