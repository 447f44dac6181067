import * as z from 'zod/mini'
import { capability, endpoint } from '../endpoint.ts'
import { trackLimits } from './track-limits.ts'

const playToken = z.string().check(z.maxLength(2_000))
const whole = z.number().check(z.int(), z.gte(0), z.lte(2 ** 40))

/**
 * A span is [index, startMs, endMs, wallMs, rate x 100, flags]: media time [startMs, endMs) that was played without a break at one rate,
 * and took wallMs of the viewer's monotonic clock. A span that is still open is sent again with a later end under the same index.
 */
export const Span = z.tuple([whole, whole, whole, whole, whole, whole])
export type Span = z.infer<typeof Span>

/**
 * An event is [number, type, milliseconds since the session began, position in ms, details]. Unknown types are counted and dropped. A
 * `play` that carries `span` says when the span of that index began.
 */
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
  /** The signed token says whose viewing this is, and nothing else in the body does. */
  playToken,
  /** This counts the batches of this session, from 0, and is raised by every attempt. It only serves to measure loss. */
  batch: z.number().check(z.int(), z.gte(0), z.lte(1_000_000)),
  /** This is the number of milliseconds since the session began, by a monotonic clock. */
  elapsedMs: whole,
  spans: z.array(Span).check(z.maxLength(trackLimits.spansPerBatch)),
  events: z.array(TrackEvent).check(z.maxLength(trackLimits.eventsPerBatch)),
  /** This is the last known state: position, visible, height of the rendition. */
  state: z.optional(
    z.object({
      position: whole,
      visible: z.boolean(),
      height: z.optional(whole),
      captions: z.optional(z.string().check(z.maxLength(40))),
    }),
  ),
  /** It is true when the video has been played to its end, or the page is closed for good. */
  ended: z.optional(z.boolean()),
})
export type TrackBatch = z.infer<typeof TrackBatch>

/**
 * The answer leaves after COMMIT and speaks of this batch alone: `ack.spans` and `ack.events` are the highest index that it
 * carried, -1 for none, and everything that it carried is committed. The logs are append-only and every batch starts at the
 * first entry whose present form has not been acknowledged; so the highest ack that a client has seen covers all entries before
 * it, whatever was lost, doubled or reordered on the way. A span that grew after its ack is sent again.
 */
export const TrackReply = z.object({
  ack: z.object({ spans: z.number(), events: z.number() }),
  /** The next heartbeat is due after this number of milliseconds. */
  next: z.number(),
})
export type TrackReply = z.infer<typeof TrackReply>

/** A page that was opened by a personal link asks who reads it, in a browser that holds a session of the console. */
export const nameReader = endpoint({
  name: 'nameReader',
  method: 'POST',
  path: '/tracks/reader',
  summary:
    'Whether viewing counts for the recipient of a link although the console is open in the same browser',
  access: capability,
  body: z.object({
    playToken,
    /** It is true when whoever reads the page has said that they are the recipient. */
    isRecipient: z.boolean(),
  }),
  reply: z.object({
    /** Where the viewing counts, this token keeps who said so; else it is that of a preview, with which the page is opened again. */
    playToken: z.string(),
    /** False means that somebody else is signed in, and has not said that they are the recipient. */
    counts: z.boolean(),
  }),
  whileLocked: true,
  whileImpersonating: true,
})

/**
 * Where the organization lets only signed-in people watch, the page asks this with the session of the console in the same browser. Where it
 * is that of the recipient, the answer sets a cookie that no script reads, and by which the page of the video opens from then on, for as
 * long as the session does.
 */
export const enterAsWatcher = endpoint({
  name: 'enterAsWatcher',
  method: 'POST',
  path: '/tracks/watcher',
  summary: 'Whether the signed-in person is the one for whom a personal link was made',
  access: capability,
  body: z.object({
    /** This is the secret of the personal link, `d` in its address. */
    link: z.string().check(z.maxLength(100)),
  }),
  reply: z.discriminatedUnion('status', [
    /** The page opens now. */
    z.object({ status: z.literal('recipient') }),
    /** Somebody else is signed in, of this name. */
    z.object({ status: z.literal('other'), name: z.string() }),
    /** Nobody is, or the session is locked. */
    z.object({ status: z.literal('nobody') }),
  ]),
  whileLocked: true,
  whileImpersonating: true,
})

export const postTracks = endpoint({
  name: 'postTracks',
  method: 'POST',
  path: '/tracks',
  summary: 'Viewing evidence; acknowledged only after it is committed',
  access: capability,
  body: TrackBatch,
  // Pages that are older or newer than the server must not lose evidence.
  dropsUnknown: true,
  reply: TrackReply,
})
