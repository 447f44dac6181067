import * as z from 'zod/mini'
import { Id } from '../endpoint.ts'

/**
 * These say how somebody has watched a video so far. `not_completed`: they have not completed it, whichever way it came to them. `late`:
 * they have not completed it, are not excused, and its due day has passed. `not_seen`: they lack something of a part of the version that
 * plays now. `answered_wrongly`: the first answer of their newest attempt at a question was wrong.
 */
export const viewingKinds = ['not_completed', 'late', 'not_seen', 'answered_wrongly'] as const
export type ViewingKind = (typeof viewingKinds)[number]

const longestMs = 24 * 3_600_000
const Position = z.number().check(z.int('invalid'), z.gte(0, 'too_small'), z.lte(longestMs, 'too_big'))

/** This leaves of an audience only those of whom it is true when the list of recipients is made. */
export const Viewing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('not_completed'), videoId: Id }),
  z.object({ kind: z.literal('late'), videoId: Id }),
  z
    .object({ kind: z.literal('not_seen'), videoId: Id, fromMs: Position, toMs: Position })
    .check(z.refine(({ fromMs, toMs }) => fromMs < toMs, { error: 'invalid', path: ['toMs'] })),
  /** `questionKey` is the same in every version of the questions. */
  z.object({ kind: z.literal('answered_wrongly'), videoId: Id, questionKey: Id }),
])
export type Viewing = z.infer<typeof Viewing>
