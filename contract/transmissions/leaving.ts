import * as z from 'zod/mini'
import { Reminders } from '../duty/reminders.ts'
import { WavePlan } from './waves.ts'

/** An hour on a clock. Left out: as soon as it may. */
export const Leaving = z.object({
  day: z.iso.date(),
  time: z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'invalid')),
  /** IANA, such as Europe/Berlin; left out: that of the organization. */
  timeZone: z.optional(z.string().check(z.maxLength(100, 'too_long'))),
  /** On the clock of each recipient in place of that. */
  inOwnZones: z.optional(z.boolean()),
})
export type Leaving = z.infer<typeof Leaving>

/** When its mails leave, how many of them at once, and when its people are reminded. */
export const When = z.object({
  leavesAt: z.optional(z.nullable(Leaving)),
  waves: z.optional(z.nullable(WavePlan)),
  /** Its mails do not wait for the hours of the organization; left out: they do. */
  outsideHours: z.optional(z.boolean()),
  /** Of whoever still owes it, where it has a day; null or left out: none. */
  reminders: z.optional(z.nullable(Reminders)),
})
export type When = z.infer<typeof When>
