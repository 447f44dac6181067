import * as z from 'zod/mini'
import { Instant } from '../endpoint.ts'

/**
 * These say where one person stands with one video, each with the letter by which rows of the training matrix name it; `-` is a cell of
 * which nothing is known. server/matrix/state.ts decides when several hold.
 */
export const trainingLetters = {
  passed: 'p',
  completed: 'c',
  expired: 'e',
  waived: 'w',
  overdue: 'o',
  out_of_attempts: 'n',
  failed: 'f',
  started: 's',
  delivered: 'd',
  assigned: 'a',
} as const
export type TrainingState = keyof typeof trainingLetters
export const trainingStates = Object.keys(trainingLetters) as TrainingState[]

/**
 * It is the same wherever a person and a video meet, by everything that was sent to them, asked of them and watched. For somebody who is
 * disabled, and for a video that was removed, only viewing counts.
 */
export const Standing = z.object({
  state: z.enum(trainingStates),
  /** It is asked for by this day, while it is asked for; null means by no day, or that nothing is asked. */
  dueAt: z.nullable(Instant),
})
export type Standing = z.infer<typeof Standing>
