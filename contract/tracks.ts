import * as z from 'zod/mini'
import { capability, endpoint } from './endpoint.ts'

/** Bits of a span's flags. */
export const spanFlags = {
  hidden: 1,
  muted: 2,
  pictureInPicture: 4,
  fullscreen: 8,
  autoplay: 16,
  replayed: 32,
  assistive: 64,
} as const

export const trackLimits = {
  bytes: 16 * 1024,
  spansPerBatch: 64,
  eventsPerBatch: 64,
  spansPerSession: 2_000,
  eventsPerSession: 5_000,
  /** Milliseconds; how often a playing client reports, chosen by the server in `next`. */
  heartbeat: { least: 2_000, most: 60_000 },
} as const

export const eventTypes = [
  'impression',
  'play',
  'pause',
  'seek',
  'rate',
  'stall',
  'quality',
  'cc',
  'fs',
  'error',
  'ended',
  'chapter',
  'cta',
  'download',
  'reply',
  'quiz.shown',
  'quiz.answered',
  'ack',
  'sleep',
] as const

const whole = z.number().check(z.int(), z.gte(0), z.lte(2 ** 40))

/**
 * [index, startMs, endMs, wallMs, rate x 100, flags]: media time [startMs, endMs) played without a break at one rate, which took
 * wallMs of the viewer's monotonic clock.
 */
export const Span = z.tuple([whole, whole, whole, whole, whole, whole])
export type Span = z.infer<typeof Span>

/** [number, type, milliseconds since the session began, position in ms, details]. Unknown types are counted and dropped. */
export const TrackEvent = z.tuple([
  whole,
  z.string().check(z.maxLength(40)),
  whole,
  whole,
  z.nullable(
    z.record(z.string().check(z.maxLength(40)), z.union([z.string().check(z.maxLength(200)), z.number()])),
  ),
])
export type TrackEvent = z.infer<typeof TrackEvent>

export const TrackBatch = z.object({
  version: z.literal(1),
  /** Signed; says whose viewing this is. Nothing else in the body does. */
  playToken: z.string().check(z.maxLength(2_000)),
  /** Counter of batches, only to measure loss. */
  batch: whole,
  /** Milliseconds since the session began, monotonic. */
  elapsedMs: whole,
  spans: z.array(Span).check(z.maxLength(trackLimits.spansPerBatch)),
  events: z.array(TrackEvent).check(z.maxLength(trackLimits.eventsPerBatch)),
  /** Last known state: position, visible, height of the rendition. */
  state: z.optional(
    z.object({
      position: whole,
      visible: z.boolean(),
      height: z.optional(whole),
      captions: z.optional(z.string()),
    }),
  ),
  ended: z.optional(z.boolean()),
})
export type TrackBatch = z.infer<typeof TrackBatch>

export const TrackReply = z.object({
  /** Highest index below which everything is committed; the client may forget what comes before. */
  ack: z.object({ spans: z.number(), events: z.number() }),
  /** Milliseconds until the next heartbeat. */
  next: z.number(),
})
export type TrackReply = z.infer<typeof TrackReply>

export const postTracks = endpoint({
  name: 'postTracks',
  method: 'POST',
  path: '/tracks',
  summary: 'Viewing evidence; acknowledged only after it is committed',
  access: capability,
  body: TrackBatch,
  reply: TrackReply,
})
