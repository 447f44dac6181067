import * as z from 'zod/mini'
import { Instant } from '../endpoint.ts'

/**
 * Where one person stands with one video, each with the letter by which rows of the training matrix name it; `-` is a cell of which
 * nothing is known. What decides when several hold is in server/matrix/state.ts.
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
 * The same wherever a person and a video meet: by everything that was sent to them, asked of them and watched. Of somebody who is
 * disabled, and of a video that was removed, what was watched alone.
 */
export const Standing = z.object({
  state: z.enum(trainingStates),
  /** By which it is asked for, while it is; null: by no day, or nothing is asked. */
  dueAt: z.nullable(Instant),
})
export type Standing = z.infer<typeof Standing>
