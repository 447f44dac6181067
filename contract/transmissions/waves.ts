import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, TransmissionParams, wholeBetween } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'

const Minutes = wholeBetween(5, 10_080)

/** A small share of the people, chosen by chance, gets it first; after a pause without trouble the others do. */
export const WavePlan = z.object({
  /** This percentage of the people gets it first, and 20 of them at least. */
  share: wholeBetween(1, 50),
  /** The pause begins after the last mail of the first wave has left. */
  waitMinutes: Minutes,
  /** Each further wave has this number of people; null means all others at once. */
  size: z.nullable(wholeBetween(20, 1_000_000)),
  /** The pause is between two further waves. */
  pauseMinutes: Minutes,
})
export type WavePlan = z.infer<typeof WavePlan>

/** With fewer recipients there is nothing to try out first, and waves are refused. */
export const worthWaves = 100

/** Beyond these shares of a wave the next one does not begin: mails that did not arrive, and readers who did not want theirs. */
export const waveLimits = { troubled: 0.05, unwanted: 0.003 } as const

export const Wave = z.object({
  number: z.number(),
  people: z.number(),
  begunAt: Instant,
  /** This number of its mails a mail server has taken and not returned. */
  sent: z.number(),
  /** These were refused, returned, put off or given up, or nobody knows. */
  troubled: z.number(),
  /** It is true when the transmission was paused because of it. */
  isTroubled: z.boolean(),
})
export type Wave = z.infer<typeof Wave>

/** For these people in one zone an hour of their own has not come yet. */
export const ZoneWaiting = z.object({ timeZone: z.string(), people: z.number(), at: Instant })
export const ZoneAhead = z.extend(ZoneWaiting, {
  /** It is true when the hour has passed there, so that they get it as soon as it leaves. */
  isPast: z.boolean(),
})
export type ZoneAhead = z.infer<typeof ZoneAhead>

export const readWaves = endpoint({
  name: 'readWaves',
  method: 'GET',
  path: '/transmissions/:transmissionId/waves',
  summary:
    'The waves of a transmission that were let go, what waits for the next one, and who waits for an hour of their own',
  access: only(adminRoles, 'evidence:read'),
  params: TransmissionParams,
  reply: z.object({
    id: Id,
    /** They are in their order; there are none where it is sent all at once, or has not begun. */
    waves: z.array(Wave),
    /** For these people their own hour has not come yet, the first zone first. */
    zones: z.array(ZoneWaiting),
    /** No wave has let this number of people go yet. */
    waiting: z.number(),
    /** The next wave may begin then; null means that mails of the present one have not left, or that there is none. */
    nextAt: z.nullable(Instant),
  }),
  cacheSeconds: 2,
})
