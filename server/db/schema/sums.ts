import { bigint, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'

/**
 * Difference arrays per version and second s of media time: the sum of a column up to s is the curve at s. Somebody counts in
 * second s when their coverage contains the instant s + 0.5 s; so the curves can be computed anew from the ranges, exactly.
 */
export const videoHeat = pgTable(
  'video_heat',
  {
    versionId: uuid().notNull(),
    sec: integer().notNull(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    /** Different viewers, whenever they were there. */
    viewersDelta: integer().notNull().default(0),
    /** Passes: every time that somebody played this second, repeats counted. */
    passesDelta: integer().notNull().default(0),
    /** Plain counts in this second, no differences. */
    seekIn: integer().notNull().default(0),
    seekOut: integer().notNull().default(0),
    pauses: integer().notNull().default(0),
    /** Sessions that played, and whose last position this is. */
    exits: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.versionId, t.sec] })],
)

/** The same by the day (UTC) on which a session began; a session counts once in each second, whoever it was. */
export const videoHeatDays = pgTable(
  'video_heat_days',
  {
    versionId: uuid().notNull(),
    /** ISO date. */
    day: text().notNull(),
    sec: integer().notNull(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    sessionsDelta: integer().notNull().default(0),
    passesDelta: integer().notNull().default(0),
    /** Plain counts, as in `video_heat`. */
    seekIn: integer().notNull().default(0),
    seekOut: integer().notNull().default(0),
    pauses: integer().notNull().default(0),
    exits: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.versionId, t.day, t.sec] })],
)

/**
 * Sums per version and day (UTC), for the figures of its audience. Those of sessions stand at the day on which a session began. Those
 * of viewers stand at the last day on which somebody began a session of that kind: the sum since a day is then the exact number of
 * different viewers since that day.
 */
export const audienceDays = pgTable(
  'audience_days',
  {
    versionId: uuid().notNull(),
    /** ISO date. */
    day: text().notNull(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    impressions: bigint({ mode: 'number' }).notNull().default(0),
    plays: bigint({ mode: 'number' }).notNull().default(0),
    /** Sessions with an impression that played. */
    seenPlays: bigint({ mode: 'number' }).notNull().default(0),
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    wallMs: bigint({ mode: 'number' }).notNull().default(0),
    /** Different media time of each session that played. */
    coveredMs: bigint({ mode: 'number' }).notNull().default(0),
    /** Sessions that played and covered the instant at a quarter, half, three quarters and the end. */
    quarter: bigint({ mode: 'number' }).notNull().default(0),
    half: bigint({ mode: 'number' }).notNull().default(0),
    threeQuarters: bigint({ mode: 'number' }).notNull().default(0),
    whole: bigint({ mode: 'number' }).notNull().default(0),
    /** Viewers who played, those of them known by name, who had an impression, and who played in a session with one. */
    viewers: bigint({ mode: 'number' }).notNull().default(0),
    named: bigint({ mode: 'number' }).notNull().default(0),
    seeing: bigint({ mode: 'number' }).notNull().default(0),
    seeingViewers: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.versionId, t.day] })],
)

/** One viewer and one video on one day (UTC): exact distinct counts over any period. */
export const viewerDays = pgTable(
  'viewer_days',
  {
    organizationId: uuid().notNull(),
    day: text().notNull(),
    videoId: uuid().notNull(),
    viewerKey: text().notNull(),
    userId: uuid(),
    sessions: integer().notNull().default(0),
    plays: integer().notNull().default(0),
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    wallMs: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.day, t.videoId, t.viewerKey] }),
    index('viewer_days_by_user').on(t.organizationId, t.userId, t.day),
    index('viewer_days_of_people')
      .on(t.organizationId, t.videoId, t.day, t.userId)
      .where(sql`user_id is not null`),
    index('viewer_days_forgotten')
      .on(t.organizationId, t.day)
      .where(sql`viewer_key like 'gone:%'`),
    index('viewer_days_by_nobody')
      .on(t.organizationId, t.viewerKey)
      .where(sql`user_id is null`),
  ],
)

/** Sums per organization, video and day (UTC) on which the session began, for dashboards, reports and the line about their quality. */
export const dayRollups = pgTable(
  'day_rollups',
  {
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    /** ISO date. */
    day: text().notNull(),
    watchMs: bigint({ mode: 'number' }).notNull().default(0),
    plays: bigint({ mode: 'number' }).notNull().default(0),
    sessions: bigint({ mode: 'number' }).notNull().default(0),
    impressions: bigint({ mode: 'number' }).notNull().default(0),
    /** Sessions of nobody known by name. */
    anonymous: bigint({ mode: 'number' }).notNull().default(0),
    /** Sessions of programs; they count in no other figure of this row. */
    bots: bigint({ mode: 'number' }).notNull().default(0),
    capped: bigint({ mode: 'number' }).notNull().default(0),
    /** Sessions some of whose spans earned no credit. */
    refused: bigint({ mode: 'number' }).notNull().default(0),
    batchesSeen: bigint({ mode: 'number' }).notNull().default(0),
    batchesExpected: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.day, t.videoId] })],
)
