import * as z from 'zod/mini'
import { Span, TrackBatch, TrackEvent } from '#contract/tracking/tracks.ts'
import type { Ranges } from '#server/platform/db/multirange.ts'
import { PlayClaims } from '#server/tracking/ingest/token.ts'
import type { SessionFacts } from './credit.ts'

/** This is a batch of the raw log; `receivedAt` is in epoch milliseconds. */
export const LogRow = z.object({
  receivedAt: z.number(),
  sessionId: z.string(),
  batch: z.number(),
  elapsedMs: z.number(),
  claims: PlayClaims,
  spans: z.array(Span),
  events: z.array(TrackEvent),
  state: z.nullable(TrackBatch.shape.state),
  ended: z.boolean(),
  dropped: z.number(),
  capped: z.boolean(),
  userAgent: z.nullable(z.string()),
  network: z.nullable(z.string()),
})
export type LogRow = z.infer<typeof LogRow>

/** A session is worth this, and the sums of videos, days and viewers are made of it. */
export const Outcome = z.object({
  flags: z.number(),
  coverage: z.array(z.tuple([z.number(), z.number()])),
  /** These stretches earned credit, repeats kept. */
  passes: z.array(z.tuple([z.number(), z.number()])),
  watchMs: z.number(),
  wallMs: z.number(),
  position: z.number(),
  batchesSeen: z.number(),
  batchesExpected: z.number(),
})
export type Outcome = z.infer<typeof Outcome>

/** This is stored of a session beside what it is worth. Times are epoch milliseconds. */
export const StoredFacts = z.object({
  id: z.string(),
  organizationId: z.string(),
  videoId: z.string(),
  versionId: z.string(),
  transmissionId: z.nullable(z.string()),
  deliveryId: z.nullable(z.string()),
  userId: z.nullable(z.string()),
  viewerKey: z.string(),
  startedAt: z.number(),
  zeroAt: z.number(),
  lastAt: z.number(),
  impressionMs: z.nullable(z.number()),
  durationMs: z.number(),
  maxRate: z.number(),
  theta: z.number(),
  position: z.number(),
  positionBatch: z.number(),
  dropped: z.number(),
  ended: z.boolean(),
  userAgent: z.nullable(z.string()),
  network: z.nullable(z.string()),
  /** This run kept a record of what was handed out when the session opened; null means that none was kept. */
  run: z.nullable(z.string()),
  /** Somebody else was signed in to the console there and said that they are the recipient; this is that somebody. */
  saidBy: z.nullable(z.string()),
  /** By what the recipient had signed in, in words of RFC 8176 with spaces between them; null means that the link alone was enough. */
  signedInBy: z.nullable(z.string()),
  flags: z.number(),
})

/** This is a session with its spans, in the order of their index. */
export type StoredSession = SessionFacts &
  z.infer<typeof StoredFacts> & {
    batches: Ranges
    /** It is true when some report of it bore no sign of a program. */
    isPersons: boolean
    /** It is true when somebody decided that a person watched, whatever sign its reports bear. */
    isVouched: boolean
    /** The `network` came from this batch. */
    networkBatch: number
    refusals: Map<number, string | null>
    /** It stands in the sums like this now; null while it is in none. */
    stored: Outcome | null
    /** It is true when something new was merged into it. */
    touched: boolean
    changedSpans: Set<number>
  }
