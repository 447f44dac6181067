import * as z from 'zod/mini'
import { endpoint, Id, only, VideoParams } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'

/** A row each for as many people; of more the rows are tenths of them. */
export const mostThreads = 2_000

/**
 * In the order of the rows. `owes`: would be reminded of it. `open`: has not completed it, and nobody reminds them. `done`: completed it,
 * whichever way. `excused`: need not see it.
 */
export const threadStates = ['owes', 'open', 'done', 'excused'] as const
export type ThreadState = (typeof threadStates)[number]

export const Thread = z.object({
  userId: Id,
  name: z.string(),
  state: z.enum(threadStates),
  /** Their day is over. */
  isLate: z.boolean(),
  /** Where what they have seen begins and ends, in turn: whole seconds, in order. Somebody has seen a second once they have its middle. */
  seen: z.array(z.number()),
})
export type Thread = z.infer<typeof Thread>

/** Those whose lack of something counts: they owe it, or have not completed it. */
export const Lacking = z.object({ lacking: z.number(), owing: z.number() })
export type Lacking = z.infer<typeof Lacking>

/** The people in ten bands, those who lack most first, in steps of time: each tells of the second in its middle, the later of two. */
export const Tenths = z.object({
  stepSeconds: z.number(),
  bands: z.array(z.object({ people: z.number(), seen: z.array(z.number()) })),
  /** Of all bands together. */
  steps: z.array(Lacking),
})
export type Tenths = z.infer<typeof Tenths>

/** What people have of the version that plays now; of whoever owes it anew, what they have since. */
export const Weave = z.object({
  durationMs: z.number(),
  /** Seconds whose middle lies in the video. */
  seconds: z.number(),
  people: z.number(),
  /** Those who lack most first; nobody where there are more than `mostThreads`. */
  threads: z.array(Thread),
  tenths: z.nullable(Tenths),
  /** How many lack something of the part that was asked about. */
  part: z.nullable(Lacking),
})
export type Weave = z.infer<typeof Weave>

const second = z.coerce.number().check(z.int('invalid'), z.gte(0, 'too_small'), z.lte(86_400, 'too_big'))

export const readWeave = endpoint({
  name: 'readWeave',
  method: 'GET',
  path: '/videos/:videoId/weave',
  summary:
    'Which seconds of a video each of its people has seen: whom it was sent to, who owes it or watched it',
  access: only(adminRoles, 'evidence:read'),
  readsMuch: true,
  params: VideoParams,
  query: z
    .object({
      /** Only the recipients of this message, and what they owe by it. */
      transmissionId: z.optional(Id),
      /** A part to count in: from the beginning of the first second to the end of the last one. */
      from: z.optional(second),
      to: z.optional(second),
    })
    .check(
      z.refine(({ from, to }) => (from === undefined) === (to === undefined) && (from ?? 0) < (to ?? 1), {
        error: 'invalid',
        path: ['to'],
      }),
    ),
  /** Null: nothing plays, or the organization does not tell how single people watch. */
  reply: z.object({ weave: z.nullable(Weave) }),
  cacheSeconds: 10,
})
