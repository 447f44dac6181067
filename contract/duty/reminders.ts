import * as z from 'zod/mini'
import { wholeBetween } from '../endpoint.ts'

const distinctDays = (most: number) =>
  z.array(wholeBetween(1, 365)).check(
    z.maxLength(most, 'too_long'),
    z.refine((days) => new Set(days).size === days.length, { error: 'invalid' }),
  )

/** These say when somebody who has not done it is reminded. Without a due day, days after count from the first message. */
export const Reminders = z.strictObject({
  daysBefore: distinctDays(5),
  onTheDay: z.boolean(),
  daysAfter: distinctDays(5),
  /** It also reminds each week after the last of them. */
  weekly: z.boolean(),
  /** Each person gets at most this number in all. */
  most: wholeBetween(0, 20),
})
export type Reminders = z.infer<typeof Reminders>
