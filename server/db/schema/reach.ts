import { bigint, customType, date, pgTable, primaryKey, smallint, text, unique, uuid } from '../drizzle.ts'

/** What one viewer adds to `reach_sums`: rows of it without the organization. Read and written by the database alone. */
const reachParts = customType<{ data: string }>({ dataType: () => 'reach_part[]' })

/**
 * Different people, viewers, viewings and completions of any days, as exact sums. Who was there on `day` had been there last on
 * `before` (`-infinity`: never): those who were there from one day to another are the rows of these days whose `before` is earlier.
 * Beside them stands the sum of each day (`before` is `infinity`), from which few have to be taken away where the period is short.
 */
export const reachSums = pgTable(
  'reach_sums',
  {
    /** One of `reachKinds`. */
    kind: smallint().notNull(),
    organizationId: uuid().notNull(),
    /** A video or a version, by the kind; nothing but zeros for the organization. */
    subject: uuid().notNull(),
    day: date().notNull(),
    before: date().notNull(),
    n: bigint({ mode: 'number' }).notNull(),
    /** Of viewings: those of which only the day is kept, those of which more is known, and the completed among these. */
    forgotten: bigint({ mode: 'number' }).notNull(),
    known: bigint({ mode: 'number' }).notNull(),
    finished: bigint({ mode: 'number' }).notNull(),
    /** Of viewers of a version, as they stand by now: media time covered within its length, covered, played. */
    seenMs: bigint({ mode: 'number' }).notNull(),
    coveredMs: bigint({ mode: 'number' }).notNull(),
    watchMs: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.organizationId, t.before, t.day, t.subject] })],
)

/** What each viewer stands for in these sums, so that it can be taken out again when their days have changed. */
export const viewerReach = pgTable(
  'viewer_reach',
  {
    organizationId: uuid().notNull(),
    /** The person where they are known, else the key. */
    viewer: text().notNull(),
    parts: reachParts().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.viewer] })],
)

/** Viewers whose days have changed since the sums were brought up to date. Written by triggers of `viewer_days` and `viewer_videos`. */
export const reachMarks = pgTable('reach_marks', {
  organizationId: uuid().notNull(),
  viewer: text().notNull(),
  userId: uuid(),
})

/** Entries of the audit log by day (UTC), as far as they are sealed; what waits for its link is still to be counted. */
export const auditDays = pgTable(
  'audit_days',
  {
    /** Null: of no organization. */
    organizationId: uuid(),
    day: date().notNull(),
    action: text().notNull(),
    n: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [unique('audit_days_once').on(t.organizationId, t.day, t.action).nullsNotDistinct()],
)

/** The same by who did it. */
export const actorDays = pgTable(
  'actor_days',
  {
    organizationId: uuid(),
    day: date().notNull(),
    actorId: uuid().notNull(),
    n: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [unique('actor_days_once').on(t.organizationId, t.day, t.actorId).nullsNotDistinct()],
)
