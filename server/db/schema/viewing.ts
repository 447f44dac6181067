import { refusals } from '#contract/evidence.ts'
import { bytes, createdAt, id, instant, ranges } from '../columns.ts'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uuid,
} from '../drizzle.ts'

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
    /** Entries that were not kept: unknown types of events, and what exceeds the limits of a session. */
    dropped: integer().notNull().default(0),
    capped: boolean().notNull().default(false),
    userAgent: text(),
    /** /24 of an IPv4 address, /48 of an IPv6 address; never more of it is written down. */
    network: text(),
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
    /** It began at this millisecond of the session or before; falls towards the truth with every batch that shows it. */
    beganMs: bigint({ mode: 'number' }).notNull(),
    /** Server's milliseconds since the token was made when `wallMs` was first reported. */
    seenMs: bigint({ mode: 'number' }).notNull(),
    /** Why the span earns no credit; null when it does. */
    refused: text({ enum: refusals }),
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
    /** When the page was made; the clock that nothing may outrun. */
    startedAt: instant().notNull(),
    /** The client's zero in the server's time, as near as the batches show. */
    zeroAt: createdAt(),
    lastAt: instant().notNull(),
    /** Milliseconds after zero at which the player was first seen. */
    impressionMs: integer(),
    /** As the play token says: duration of the version, fastest rate that counts (x 100), share that completes. */
    durationMs: integer().notNull().default(0),
    maxRate: integer().notNull().default(200),
    theta: doublePrecision().notNull().default(0.95),
    /** Stretches of media time that earned credit, repeats kept: [[start, end], …], in order. */
    passes: integer()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** Sum of the passes. */
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    wallMs: bigint({ mode: 'number' }).notNull().default(0),
    coverage: ranges()
      .notNull()
      .default(sql`'{}'`),
    position: integer().notNull().default(0),
    /** The batch that said `position`; a later one knows better. */
    positionBatch: integer().notNull().default(-1),
    /** Numbers of the batches that arrived. */
    batches: ranges()
      .notNull()
      .default(sql`'{}'`),
    batchesSeen: integer().notNull().default(0),
    batchesExpected: integer().notNull().default(0),
    /** At least so many entries were not kept (the most that one batch had): unknown types of events, and what exceeds the limits. */
    dropped: integer().notNull().default(0),
    /** The video was played to its end, or the page said that it was closed. */
    ended: boolean().notNull().default(false),
    flags: integer().notNull().default(0),
    userAgent: text(),
    /** From where the first of its batches came. */
    network: text(),
    /** The run in `served_runs` that kept a record of what was handed out when it opened; null: none was kept. */
    run: uuid(),
  },
  (t) => [
    index('play_sessions_by_viewer').on(t.videoId, t.viewerKey),
    index('play_sessions_by_delivery').on(t.transmissionId, t.deliveryId),
    index('play_sessions_by_organization').on(t.organizationId, t.lastAt),
  ],
)

const evidenceStates = sql`evidence in ('proven', 'likely', 'delivered', 'checking', 'contradicted', 'none')`

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
    /** Day (UTC) of the newest session that played; ISO date. */
    playedOn: text(),
    /** When the share that completes was covered by what counts. Sticky. */
    coveredAt: instant(),
    /** What both sources say, as `evidenceStates`; while it is `checking` it is looked at again and again. */
    evidence: text().notNull().default('none'),
    /** Covered, and every question answered that the video insists on. Sticky: once completed, always completed. */
    completedAt: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.versionId, t.viewerKey] }),
    index('viewer_videos_by_organization').on(t.organizationId, t.lastAt),
    index('viewer_videos_by_person').on(t.userId, t.videoId),
    index('viewer_videos_by_nobody')
      .on(t.viewerKey)
      .where(sql`user_id is null`),
    index('viewer_videos_completed_on')
      .on(t.versionId, t.playedOn, t.organizationId)
      .where(sql`completed_at is not null`),
    check('viewer_videos_evidence', evidenceStates),
    index('viewer_videos_checking')
      .on(t.lastAt)
      .where(sql`evidence = 'checking'`),
    index('viewer_videos_completed')
      .on(t.videoId, t.userId)
      .where(sql`completed_at is not null`),
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
    coveredAt: instant(),
    completedAt: instant(),
    /** As in `viewer_videos`, of what was watched through this delivery. */
    evidence: text().notNull().default('none'),
  },
  (t) => [
    primaryKey({ columns: [t.transmissionId, t.deliveryId] }),
    check('delivery_viewing_evidence', evidenceStates),
  ],
)

/** How many recipients of a transmission have opened, started and completed it. Kept by triggers on `delivery_viewing`. */
export const transmissionViewing = pgTable('transmission_viewing', {
  transmissionId: uuid().primaryKey(),
  organizationId: uuid().notNull(),
  opened: bigint({ mode: 'number' }).notNull(),
  started: bigint({ mode: 'number' }).notNull(),
  completed: bigint({ mode: 'number' }).notNull(),
})

/** What a session did besides playing: seeks, pauses, stalls, errors. Event n never changes, so it may come twice. */
export const playEvents = pgTable(
  'play_events',
  {
    sessionId: uuid().notNull(),
    n: integer().notNull(),
    organizationId: uuid().notNull(),
    type: text().notNull(),
    /** Milliseconds of the session. */
    atMs: bigint({ mode: 'number' }).notNull(),
    positionMs: integer().notNull(),
    data: jsonb(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.n] })],
)

/**
 * Viewing certificates, numbered and chained within an organization: each names the hash of the one before. The text is what was
 * signed, byte by byte; it goes when the person is erased, and the chain stays whole without it.
 */
export const certificates = pgTable(
  'certificates',
  {
    id: id(),
    organizationId: uuid().notNull(),
    number: bigint({ mode: 'number' }).notNull(),
    userId: uuid(),
    videoId: uuid().notNull(),
    versionId: uuid().notNull(),
    issuedAt: createdAt(),
    /** Null: the person themselves, on the page of the video. */
    issuedBy: uuid(),
    body: text(),
    bodyHash: bytes().notNull(),
    previousHash: bytes(),
    hash: bytes().notNull(),
    /** Which `certificateFormats` it was signed in. */
    format: integer().notNull().default(1),
    keyId: text().notNull(),
    signature: bytes().notNull(),
  },
  (t) => [
    unique('certificates_number').on(t.organizationId, t.number),
    index('certificates_by_person').on(t.organizationId, t.userId, t.videoId),
  ],
)
