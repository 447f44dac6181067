import { createdAt, id, instant, ranges } from '../columns.ts'
import { bigint, index, integer, pgTable, sql, text, uuid } from '../drizzle.ts'

/** Media time that the server handed out to one session: the second source, which no browser can forge or lose. */
export const servedParts = pgTable(
  'served_parts',
  {
    sessionId: uuid().primaryKey(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    versionId: uuid().notNull(),
    /** As in `play_sessions`: the record stands by itself when no report of the player ever came. */
    viewerKey: text().notNull(),
    parts: ranges()
      .notNull()
      .default(sql`'{}'`),
    requests: integer().notNull().default(0),
    bytes: bigint({ mode: 'number' }).notNull().default(0),
    firstAt: instant().notNull(),
    lastAt: instant().notNull(),
  },
  (t) => [index('served_parts_by_video').on(t.videoId), index('served_parts_by_viewer').on(t.viewerKey)],
)

/**
 * Each run of a process that hands out media: until when it has written down what left. A run that ends as it should leaves no row;
 * one that was killed says with its row since when something may be missing in `served_parts`.
 */
export const servedRuns = pgTable('served_runs', {
  id: id(),
  startedAt: createdAt(),
  /** Everything that it had handed out by then is written. */
  recordedTo: instant().notNull(),
  /** When it last said so, by the clock of the database. */
  beatenAt: createdAt(),
  /** When another process found that it beats no longer. */
  endedAt: instant(),
})
