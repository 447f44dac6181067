import * as z from 'zod/mini'
import { Reminders } from '../duty/reminders.ts'
import { WavePlan } from './waves.ts'

/** This is an hour on a clock. Left out, it leaves as soon as it may. */
export const Leaving = z.object({
  day: z.iso.date(),
  time: z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'invalid')),
  /** This is an IANA zone, such as Europe/Berlin; left out, it is that of the organization. */
  timeZone: z.optional(z.string().check(z.maxLength(100, 'too_long'))),
  /** It is true when the hour is on the clock of each recipient in place of that zone. */
  inOwnZones: z.optional(z.boolean()),
})
export type Leaving = z.infer<typeof Leaving>

/** These say when its mails leave, how many of them at once, and when its people are reminded. */
export const When = z.object({
  leavesAt: z.optional(z.nullable(Leaving)),
  waves: z.optional(z.nullable(WavePlan)),
  /** It is true when its mails do not wait for the hours of the organization. */
  outsideHours: z.optional(z.boolean()),
  /** Whoever still owes it gets these reminders, where it has a day; null or left out means none. */
  reminders: z.optional(z.nullable(Reminders)),
})
export type When = z.infer<typeof When>
