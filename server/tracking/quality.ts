import * as z from 'zod/mini'
import { Quality } from '#contract/tracking/quality.ts'
import { row, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, isoText } from '../platform/db/search.ts'

/**
 * These choose sessions. Without an organization they are those of all that the transaction may see; days are ISO dates (UTC), both
 * included.
 */
export type QualityScope = {
  organizationId?: string | null | undefined
  videoId?: string | undefined
  /** Returns a condition on a column with a video. */
  videos?: ((column: SQL) => SQL | undefined) | undefined
  from?: string | undefined
  to?: string | undefined
}

const QualityRow = z.object({ completeTo: z.string() })

const QualityOfRow = z.omit(Quality, { completeTo: true })

/** Says how good the evidence behind figures is, from the sums of the days on which the sessions began. */
export async function qualityOf(tx: Tx, scope: QualityScope): Promise<Quality> {
  const { organizationId, videoId, videos, from, to } = scope
  const whose = [
    organizationId ? sql`organization_id = ${organizationId}` : undefined,
    videoId === undefined ? undefined : sql`video_id = ${videoId}`,
    videos?.(sql`video_id`),
  ]
  const days = [
    from === undefined ? undefined : sql`day >= ${from}`,
    to === undefined ? undefined : sql`day <= ${to}`,
  ]
  const [counted, waiting] = await together(
    row(
      tx,
      QualityOfRow,
      sql`select coalesce(sum(sessions), 0)::float8 as sessions, coalesce(sum(anonymous), 0)::float8 as anonymous,
          coalesce(sum(bots), 0)::float8 as bots, coalesce(sum(capped), 0)::float8 as capped,
          coalesce(sum(refused), 0)::float8 as refused, coalesce(sum(batches_seen), 0)::float8 as "batchesSeen",
          coalesce(sum(batches_expected), 0)::float8 as "batchesExpected"
        from day_rollups where ${all([...whose, ...days])}`,
    ),
    // The batches that wait are few, and have an index of their own.
    row(
      tx,
      QualityRow,
      sql`select ${isoText(sql`coalesce(min(received_at), now())`)} as "completeTo"
        from track_batches where ${all([sql`not folded`, ...whose])}`,
    ),
  )
  if (!counted || !waiting) throw new Error('an aggregate gives one row')
  return { ...counted, ...waiting }
}
