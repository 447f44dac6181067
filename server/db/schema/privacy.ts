import { createdAt, id, instant } from '../columns.ts'
import { index, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'

/**
 * When an organization recorded nothing but completions. What was watched before a period ended is never shown again: it stays
 * hidden until it has been deleted (`wiped_at`).
 */
export const privatePeriods = pgTable(
  'private_periods',
  {
    id: id(),
    organizationId: uuid().notNull(),
    beganAt: createdAt(),
    endedAt: instant(),
    wipedAt: instant(),
  },
  (t) => [
    index('private_periods_open')
      .on(t.organizationId)
      .where(sql`wiped_at is null`),
  ],
)

/** Every text that viewers of an organization were shown before they played, by the SHA-256 of its UTF-8 in hexadecimal. */
export const consentTexts = pgTable(
  'consent_texts',
  {
    organizationId: uuid().notNull(),
    hash: text().notNull(),
    text: text().notNull(),
    since: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.hash] })],
)

/** Who pressed play below which text, and when first. */
export const consents = pgTable(
  'consents',
  {
    organizationId: uuid().notNull(),
    viewerKey: text().notNull(),
    hash: text().notNull(),
    firstAt: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.viewerKey, t.hash] })],
)

/** People whose viewing evidence an administrator wants erased: at once, or when the person is erased for good. */
export const evidenceErasures = pgTable(
  'evidence_erasures',
  {
    id: id(),
    organizationId: uuid().notNull(),
    userId: uuid().notNull(),
    askedAt: createdAt(),
    askedBy: uuid(),
    doneAt: instant(),
    /** How many rows of each kind went. */
    counts: jsonb().$type<Record<string, number>>(),
  },
  (t) => [
    index('evidence_erasures_waiting')
      .on(t.userId)
      .where(sql`done_at is null`),
  ],
)

/** What deletion by age has done for an organization. */
export const retentionMarks = pgTable('retention_marks', {
  organizationId: uuid().primaryKey(),
  /** The raw log is cleared of days (UTC) before this one. */
  clearedTo: text().notNull(),
  /** Rows of each kind that are gone and not yet in the audit log: written with every step, so that no kill makes it forget. */
  gone: jsonb()
    .notNull()
    .default(sql`'{}'`),
})

/**
 * Videos whose totals hold what nobody knows the sessions of any more: they were deleted, and the totals kept. A rebuild keeps that
 * part as it is.
 */
export const forgottenViewing = pgTable('forgotten_viewing', {
  videoId: uuid().primaryKey(),
  organizationId: uuid().notNull(),
  since: createdAt(),
})
