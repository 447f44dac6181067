import * as z from 'zod/mini'
import { type Database, rows } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'

const daysAhead = 7

const MissingDay = z.object({ day: z.string() })

/**
 * Makes the raw log's partitions of today and the coming week. Call it at start and every day. Rows of a day without one land in the
 * default partition and are read from there, so a missed call loses nothing.
 */
export async function keepTrackDays(db: Database): Promise<void> {
  const missing = await rows(
    db.single,
    MissingDay,
    sql`select day::text from (select (now() at time zone 'UTC')::date + d as day from generate_series(0, ${daysAhead}::int) d) ahead
      where to_regclass('track_batches_' || to_char(day, 'YYYYMMDD')) is null
        and not exists (select from track_batches_rest where received_at >= day::timestamp at time zone 'UTC'
          and received_at < (day + 1)::timestamp at time zone 'UTC')`,
  )
  for (const { day } of missing) await db.single.execute(sql`select add_track_day(${day})`)
}
