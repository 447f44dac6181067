import { instant } from '../columns.ts'
import {
  bigint,
  customType,
  date,
  doublePrecision,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from '../drizzle.ts'

/** What one person adds to `quiz_sums`: rows of it without the organization. Read and written by the database alone. */
const quizParts = customType<{ data: string }>({ dataType: () => 'quiz_part[]' })

/**
 * Completed attempts and the people behind them, of any days, as exact sums. Who was there on `day` had been there last on `before`
 * (`-infinity`: never, and for all that is not about different people), as in `reach_sums`.
 */
export const quizSums = pgTable(
  'quiz_sums',
  {
    /** One of `quizKinds`. */
    kind: smallint().notNull(),
    organizationId: uuid().notNull(),
    /** A version of questions or a video, by the kind; nothing but zeros for the organization. */
    subject: uuid().notNull(),
    day: date().notNull(),
    before: date().notNull(),
    /** Of first attempts: the share of the full score, -1 where there is none to reach. 0 for all else. */
    share: doublePrecision().notNull(),
    n: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.organizationId, t.day, t.before, t.subject, t.share] })],
)

/** What each person stands for in these sums, so that it can be taken out again, and counted for some people alone. */
export const quizPeople = pgTable(
  'quiz_people',
  {
    organizationId: uuid().notNull(),
    /** The id where they are known by name, else the key. */
    person: text().notNull(),
    userId: uuid(),
    parts: quizParts().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.person] }), index('quiz_people_by_user').on(t.userId)],
)

/** People whose attempts have changed since the sums were brought up to date. Written by triggers of `quiz_attempts`. */
export const quizMarks = pgTable('quiz_marks', {
  organizationId: uuid().notNull(),
  person: text().notNull(),
  userId: uuid(),
})

/** Who got a question wrong whose part of the video is known, and what of that part they had watched. */
export const quizAttention = pgTable(
  'quiz_attention',
  {
    videoId: uuid().notNull(),
    person: text().notNull(),
    itemId: uuid().notNull(),
    organizationId: uuid().notNull(),
    /** One of `verdicts`. */
    verdict: smallint().notNull(),
    /** The last instant that decided: sittings that began later change nothing by going on. */
    until: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.videoId, t.person, t.itemId] })],
)

/** How many people these are for each question and verdict. */
export const quizAttentionSums = pgTable(
  'quiz_attention_sums',
  {
    itemId: uuid().notNull(),
    verdict: smallint().notNull(),
    organizationId: uuid().notNull(),
    n: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.itemId, t.verdict] })],
)

/** People about whom it has to be found out again. Written by triggers of attempts, answers, sessions and spans. */
export const quizAttentionMarks = pgTable(
  'quiz_attention_marks',
  {
    videoId: uuid().notNull(),
    person: text().notNull(),
    organizationId: uuid().notNull(),
  },
  (t) => [index('quiz_attention_marks_by_video').on(t.videoId)],
)
