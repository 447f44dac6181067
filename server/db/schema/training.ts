import { createdAt, id, instant } from '../columns.ts'
import {
  bigint,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  smallint,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { videos } from './content.ts'

/** Somebody need not watch a video: who decided so, when and why. Never deleted, only ended; what ran out is ended too. */
export const trainingWaivers = pgTable(
  'training_waivers',
  {
    id: id(),
    organizationId: uuid().notNull(),
    userId: uuid().notNull(),
    videoId: uuid().notNull(),
    reason: text().notNull(),
    /** It holds up to this instant; null: for good. */
    until: instant(),
    givenBy: uuid(),
    givenByName: text().notNull(),
    givenAt: createdAt(),
    endedAt: instant(),
    endedBy: uuid(),
    endedByName: text(),
  },
  (t) => [
    foreignKey({
      name: 'training_waivers_video',
      columns: [t.organizationId, t.videoId],
      foreignColumns: [videos.organizationId, videos.id],
    }),
    uniqueIndex('training_waivers_standing')
      .on(t.organizationId, t.userId, t.videoId)
      .where(sql`ended_at is null`),
    index('training_waivers_by_person').on(t.userId, t.videoId),
  ],
)

/**
 * What is known of a person and a video, without what time alone decides: it is late from `lateAt` on (`infinity`: never, because no
 * day was set or there is nothing left to do), and excused up to `waivedUntil` (`-infinity`: not at all).
 */
const standing = {
  /** As `trainingFacts` number them, without `waived` and `late`. */
  bits: smallint().notNull(),
  lateAt: instant().notNull(),
  waivedUntil: instant().notNull(),
}

/** The cells of the training matrix of which anything is known, of people and videos that are there. */
export const trainingCells = pgTable(
  'training_cells',
  {
    organizationId: uuid().notNull(),
    userId: uuid().notNull(),
    videoId: uuid().notNull(),
    ...standing,
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.userId, t.videoId] })],
)

/** How many cells of each kind a person has. */
export const trainingByPerson = pgTable(
  'training_by_person',
  {
    organizationId: uuid().notNull(),
    userId: uuid().notNull(),
    ...standing,
    n: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [
    primaryKey({
      name: 'training_by_person_pk',
      columns: [t.organizationId, t.userId, t.bits, t.lateAt, t.waivedUntil],
    }),
    index('training_by_person_late')
      .on(t.organizationId, t.lateAt, t.userId, t.waivedUntil)
      .where(sql`late_at < 'infinity'`),
  ],
)

/** How many cells of each kind a video has. */
export const trainingByVideo = pgTable(
  'training_by_video',
  {
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    ...standing,
    n: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [
    primaryKey({
      name: 'training_by_video_pk',
      columns: [t.organizationId, t.videoId, t.bits, t.lateAt, t.waivedUntil],
    }),
  ],
)

/**
 * Cells that have changed since the sums were brought up to date: of these people, or (null) of everybody, with this video, or with
 * all. Written by triggers.
 */
export const trainingMarks = pgTable('training_marks', {
  organizationId: uuid().notNull(),
  videoId: uuid(),
  userIds: uuid().array(),
})
