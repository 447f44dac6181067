import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, instant, ranges } from '../columns.ts'

/**
 * The raw log: one row per batch, as it was received, partitioned by day. It names no foreign keys, because it is
 * written on the hottest path from a signed token and must outlive its neighbours.
 */
export const trackBatches = pgTable(
  'track_batches',
  {
    id: uuid()
      .notNull()
      .default(sql`uuidv7()`),
    receivedAt: createdAt(),
    organizationId: uuid().notNull(),
    sessionId: uuid().notNull(),
    videoId: uuid().notNull(),
    versionId: uuid().notNull(),
    batch: bigint({ mode: 'number' }).notNull(),
    elapsedMs: bigint({ mode: 'number' }).notNull(),
    /** The signed facts of the play token, then what the client said. */
    claims: jsonb().notNull(),
    spans: jsonb().notNull(),
    events: jsonb().notNull(),
    state: jsonb(),
    ended: boolean().notNull().default(false),
    folded: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.receivedAt, t.id] }),
    index('track_batches_unfolded')
      .on(t.videoId, t.receivedAt)
      .where(sql`not folded`),
    index('track_batches_by_session').on(t.sessionId),
  ],
)

/** What one session played: span i started at startMs; end and wall only grow, so a merge may come twice, late or out of order. */
export const playSpans = pgTable(
  'play_spans',
  {
    sessionId: uuid().notNull(),
    i: integer().notNull(),
    organizationId: uuid().notNull(),
    startMs: integer().notNull(),
    endMs: integer().notNull(),
    wallMs: integer().notNull(),
    rate: integer().notNull(),
    flags: integer().notNull(),
    /** Why the span earns no credit; null when it does. */
    refused: text(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.i] })],
)

export const playSessions = pgTable(
  'play_sessions',
  {
    id: uuid().primaryKey(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    versionId: uuid().notNull(),
    transmissionId: uuid(),
    deliveryId: uuid(),
    userId: uuid(),
    /** `recipient:<user>`, `user:<user>` or `visitor:<cookie>`. */
    viewerKey: text().notNull(),
    startedAt: instant().notNull(),
    lastAt: instant().notNull(),
    /** Media milliseconds, repeats counted. */
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    wallMs: bigint({ mode: 'number' }).notNull().default(0),
    coverage: ranges()
      .notNull()
      .default(sql`'{}'`),
    position: integer().notNull().default(0),
    batchesSeen: integer().notNull().default(0),
    batchesExpected: integer().notNull().default(0),
    flags: integer().notNull().default(0),
    userAgent: text(),
  },
  (t) => [
    index('play_sessions_by_viewer').on(t.versionId, t.viewerKey),
    index('play_sessions_by_delivery').on(t.transmissionId, t.deliveryId),
    index('play_sessions_by_organization').on(t.organizationId, t.lastAt),
  ],
)

/** One viewer and one version, over all sessions. */
export const viewerVideos = pgTable(
  'viewer_videos',
  {
    versionId: uuid().notNull(),
    viewerKey: text().notNull(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    userId: uuid(),
    coverage: ranges()
      .notNull()
      .default(sql`'{}'`),
    coveredMs: integer().notNull().default(0),
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    plays: integer().notNull().default(0),
    firstAt: instant().notNull(),
    lastAt: instant().notNull(),
    position: integer().notNull().default(0),
    /** Sticky: once completed, always completed. */
    completedAt: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.versionId, t.viewerKey] }),
    index('viewer_videos_by_organization').on(t.organizationId, t.lastAt),
  ],
)

/** What one recipient watched through the link of one delivery. */
export const deliveryViewing = pgTable(
  'delivery_viewing',
  {
    transmissionId: uuid().notNull(),
    deliveryId: uuid().notNull(),
    organizationId: uuid().notNull(),
    openedAt: instant(),
    firstPlayAt: instant(),
    lastAt: instant(),
    coverage: ranges()
      .notNull()
      .default(sql`'{}'`),
    coveredMs: integer().notNull().default(0),
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    completedAt: instant(),
  },
  (t) => [primaryKey({ columns: [t.transmissionId, t.deliveryId] })],
)

/** Media time watched per organization, video and day (UTC), for dashboards. */
export const dayRollups = pgTable(
  'day_rollups',
  {
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    /** ISO date. */
    day: text().notNull(),
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    plays: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.day, t.videoId] })],
)
