import { createdAt, id, instant } from '../columns.ts'
import { foreignKey, index, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts'
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
