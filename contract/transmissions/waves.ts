import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, TransmissionParams, wholeBetween } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'

const Minutes = wholeBetween(5, 10_080)

/** First a small share of the people, chosen by chance; after a pause without trouble the others. */
export const WavePlan = z.object({
  /** Percent of the people who get it first; 20 of them at least. */
  share: wholeBetween(1, 50),
  /** After the last mail of the first wave has left. */
  waitMinutes: Minutes,
  /** People of each further wave; null: all others at once. */
  size: z.nullable(wholeBetween(20, 1_000_000)),
  /** Between two further waves. */
  pauseMinutes: Minutes,
})
export type WavePlan = z.infer<typeof WavePlan>

/** With fewer recipients there is nothing to try out first, and waves are refused. */
export const worthWaves = 100

/** Shares of a wave beyond which the next one does not begin: of mails that did not arrive, and of readers who did not want theirs. */
export const waveLimits = { troubled: 0.05, unwanted: 0.003 } as const

export const Wave = z.object({
  number: z.number(),
  people: z.number(),
  begunAt: Instant,
  /** Of its mails, those that a mail server has taken and not returned. */
  sent: z.number(),
  /** Refused, returned, put off, given up, or nobody knows. */
  troubled: z.number(),
  /** The transmission was paused because of it. */
  isTroubled: z.boolean(),
})
export type Wave = z.infer<typeof Wave>

/** People in one zone, for whom an hour of their own has not come yet. */
export const ZoneWaiting = z.object({ timeZone: z.string(), people: z.number(), at: Instant })
export const ZoneAhead = z.extend(ZoneWaiting, {
  /** The hour has passed there: they get it as soon as it leaves. */
  isPast: z.boolean(),
})
export type ZoneAhead = z.infer<typeof ZoneAhead>

export const readWaves = endpoint({
  name: 'readWaves',
  method: 'GET',
  path: '/transmissions/:transmissionId/waves',
  summary:
    'The waves of a transmission that were let go, what waits for the next one, and who waits for an hour of their own',
  access: only(adminRoles),
  params: TransmissionParams,
  reply: z.object({
    id: Id,
    /** In their order; none where it is sent all at once, or has not begun. */
    waves: z.array(Wave),
    /** For whom their own hour has not come yet, the first zone first. */
    zones: z.array(ZoneWaiting),
    /** People whom no wave has let go yet. */
    waiting: z.number(),
    /** When the next wave may begin; null: mails of the present one have not left, or there is none. */
    nextAt: z.nullable(Instant),
  }),
  cacheSeconds: 2,
})
