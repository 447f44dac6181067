import type { EvidenceState } from '#contract/evidence.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/**
 * Condition on a column `evidence` of `viewer_videos` or `delivery_viewing`; of somebody without a row there (null, by an outer join)
 * there is no sign at all. Not to be asked where only completions may be told (`showsPersons`).
 */
export function hasEvidence(column: SQL, state: EvidenceState): SQL {
  return sql`coalesce(${column}, 'none') = ${state}`
}
