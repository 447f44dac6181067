import type { Ranges } from '../platform/db/multirange.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { countsEver } from './obligations.ts'
import { unionOf } from '../tracking/credit.ts'
import { asksToWatch } from '../deliveries.ts'

/**
 * This expression gives what counts of a version for `obligations o`, as a multirange of milliseconds. It is empty for a version that the
 * obligation does not count.
 */
export const seenFor = (
  versionId: SQL,
): SQL => sql`coalesce(case when ${countsEver('o')} then (select range_agg(w.coverage) from viewer_videos w
    where w.organization_id = o.organization_id and w.user_id = o.user_id and w.version_id = ${versionId})
  when o.version_id = ${versionId} then o.coverage end, '{}')`

/** These are whole seconds of a video, the last one with its end. */
export type Part = { from: number; to: number }

/** This condition holds when what was seen (a multirange) lacks the middle of one of these seconds, in a video of that length (ms). */
export const lacksPart = ({ from, to }: Part, seen: SQL, durationMs: SQL): SQL =>
  sql`exists (select from unnest(int4multirange(int4range(least(${from * 1_000}::int, ${durationMs}), least(${to * 1_000}::int, ${durationMs}))) - ${seen}) x
    where (lower(x) + 499) / 1000 * 1000 + 500 < upper(x))`

/** Returns the seconds whose middle lies in one of the stretches (ms). */
export const secondsIn = (stretches: Ranges): Ranges =>
  unionOf(
    stretches.flatMap(([start, end]): Ranges => {
      const [from, to] = [Math.ceil((start - 500) / 1_000), Math.ceil((end - 500) / 1_000)]
      return from < to ? [[Math.max(from, 0), to]] : []
    }),
  )

/** This condition on `obligations o` holds when this message asks its person for it, or reminds them of it. */
export const isAskedBy = (transmissionId: SQL): SQL =>
  sql`((o.assignment_id in (select f.id from assignments f where f.message_id = ${transmissionId} and f.organization_id = o.organization_id)
      or o.id in (select m.obligation_id from obligation_messages m where m.transmission_id = ${transmissionId}
        and m.organization_id = o.organization_id))
    and o.user_id in (select d.user_id from deliveries d where d.transmission_id = ${transmissionId} and d.organization_id = o.organization_id
      and ${asksToWatch('d')}))`
