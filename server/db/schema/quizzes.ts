import { createdAt, id, instant, updatedAt } from '../columns.ts'
import { questionKinds, type QuizDraft, type QuizSettings } from '#contract/quizzes.ts'
import {
  bigint,
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { videos } from './content.ts'

/** The questions in a video: a draft that may change at any time, and published versions that never do. */
export const quizzes = pgTable(
  'quizzes',
  {
    id: id(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull().unique(),
    draft: jsonb().$type<QuizDraft>().notNull(),
    /** The version that people are asked now; null while none is, and after it was withdrawn. */
    currentVersionId: uuid(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    /** Who saved the draft last. */
    updatedBy: uuid(),
  },
  (t) => [
    unique('quizzes_tenant').on(t.organizationId, t.id),
    foreignKey({
      name: 'quizzes_video',
      columns: [t.organizationId, t.videoId],
      foreignColumns: [videos.organizationId, videos.id],
    }),
  ],
)

/** Immutable. */
export const quizVersions = pgTable(
  'quiz_versions',
  {
    id: id(),
    organizationId: uuid().notNull(),
    quizId: uuid().notNull(),
    number: integer().notNull(),
    settings: jsonb().$type<QuizSettings>().notNull(),
    maxScore: doublePrecision().notNull(),
    publishedAt: createdAt(),
    publishedBy: uuid(),
  },
  (t) => [
    unique('quiz_versions_number').on(t.quizId, t.number),
    unique('quiz_versions_tenant').on(t.organizationId, t.id),
    foreignKey({
      name: 'quiz_versions_quiz',
      columns: [t.organizationId, t.quizId],
      foreignColumns: [quizzes.organizationId, quizzes.id],
    }),
  ],
)

/** One question of one version. `key` is the same in every version; `id` is what answers refer to. */
export const quizItems = pgTable(
  'quiz_items',
  {
    id: id(),
    organizationId: uuid().notNull(),
    versionId: uuid().notNull(),
    key: uuid().notNull(),
    position: integer().notNull(),
    kind: text({ enum: questionKinds }).notNull(),
    /** Media milliseconds at which it is asked; null: at the end. */
    atMs: integer(),
    /** The video is completed only when this has been answered. */
    gate: boolean().notNull().default(false),
    points: doublePrecision().notNull(),
    /** The question as `QuizQuestion`, its key included: never leaves the server whole. */
    question: jsonb().notNull(),
    teachesFromMs: integer(),
    teachesToMs: integer(),
  },
  (t) => [
    unique('quiz_items_key').on(t.versionId, t.key),
    foreignKey({
      name: 'quiz_items_version',
      columns: [t.organizationId, t.versionId],
      foreignColumns: [quizVersions.organizationId, quizVersions.id],
    }),
  ],
)

export const quizAttempts = pgTable(
  'quiz_attempts',
  {
    id: id(),
    organizationId: uuid().notNull(),
    quizId: uuid().notNull(),
    versionId: uuid().notNull(),
    videoId: uuid().notNull(),
    /** As in `play_sessions`. */
    viewerKey: text().notNull(),
    userId: uuid(),
    transmissionId: uuid(),
    deliveryId: uuid(),
    sessionId: uuid().notNull(),
    /** From 1 for each viewer and quiz. */
    number: integer().notNull(),
    /** Decides the order in which questions and options are shown. */
    seed: integer().notNull(),
    startedAt: createdAt(),
    completedAt: instant(),
    /** Sum of the scores of its answers; final when completed. */
    score: doublePrecision().notNull().default(0),
    maxScore: doublePrecision().notNull(),
    passed: boolean(),
    /** The first that its person completed with this version: what statistics are made of. */
    isFirst: boolean().notNull().default(false),
    /** Milliseconds for which its questions were in sight, all tries. */
    tookMs: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [
    unique('quiz_attempts_number').on(t.quizId, t.viewerKey, t.number),
    index('quiz_attempts_by_version').on(t.versionId, t.completedAt),
    uniqueIndex('quiz_attempts_first')
      .on(t.versionId, sql`coalesce(user_id::text, viewer_key)`)
      .where(sql`is_first`),
    index('quiz_attempts_by_nobody')
      .on(t.organizationId, t.viewerKey)
      .where(sql`user_id is null`),
    index('quiz_attempts_by_whom').on(t.organizationId, t.userId, t.videoId),
    index('quiz_attempts_by_delivery').on(t.transmissionId, t.deliveryId),
  ],
)

/** What was answered, as it was given and as it was graded; nothing here is ever changed. */
export const quizAnswers = pgTable(
  'quiz_answers',
  {
    attemptId: uuid()
      .notNull()
      .references(() => quizAttempts.id, { onDelete: 'cascade' }),
    itemId: uuid().notNull(),
    organizationId: uuid().notNull(),
    /** From 1; a question in the video may be tried again after its part was watched again. The first one counts. */
    try: integer().notNull().default(1),
    answer: jsonb().notNull(),
    score: doublePrecision().notNull(),
    correct: boolean().notNull(),
    answeredAt: createdAt(),
    /** Milliseconds for which the question was in sight. */
    tookMs: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.attemptId, t.itemId, t.try] }),
    index('quiz_answers_by_item').on(t.itemId),
  ],
)

/**
 * Sums over the first completed attempt of each person, so that statistics follow from a few additions per attempt:
 * x is the score of the question, t that of the whole attempt.
 */
export const quizItemStats = pgTable('quiz_item_stats', {
  itemId: uuid().primaryKey(),
  organizationId: uuid().notNull(),
  versionId: uuid().notNull(),
  n: integer().notNull().default(0),
  sumX: doublePrecision().notNull().default(0),
  sumXX: doublePrecision().notNull().default(0),
  sumT: doublePrecision().notNull().default(0),
  sumTT: doublePrecision().notNull().default(0),
  sumXT: doublePrecision().notNull().default(0),
  /** Option id, or the answer in a short form, to how often it was chosen and the rest score of those who chose it. */
  options: jsonb().$type<Record<string, { n: number; rest: number }>>().notNull().default({}),
})

/** How many of those people had this score in the question, and this one in the whole attempt. */
export const quizItemMarks = pgTable(
  'quiz_item_marks',
  {
    itemId: uuid().notNull(),
    organizationId: uuid().notNull(),
    x: doublePrecision().notNull(),
    t: doublePrecision().notNull(),
    n: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.itemId, t.x, t.t] })],
)

/** How many of those people had the question in sight for so many tenths of a second. */
export const quizItemTimes = pgTable(
  'quiz_item_times',
  {
    itemId: uuid().notNull(),
    organizationId: uuid().notNull(),
    tenths: integer().notNull(),
    n: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.itemId, t.tenths] })],
)
