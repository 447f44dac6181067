import { sql, type SQL } from '../platform/db/sql.ts'

type Alias = 'o' | 'p'

/** Expression on obligations: since when it counts that the questions were passed. */
export const answersFrom = (alias: Alias): SQL =>
  sql.raw(`coalesce(${alias}.answers_from, ${alias}.counts_from)`)

/** Expression on obligations: when the questions of their video were passed since it counts. */
export const passedAt = (alias: Alias): SQL =>
  sql`(select min(q.completed_at) from quiz_attempts q where q.video_id = ${sql.raw(alias)}.video_id and q.passed
    and q.completed_at >= ${answersFrom(alias)} and q.viewer_key in ('recipient:' || ${sql.raw(alias)}.user_id, 'user:' || ${sql.raw(alias)}.user_id))`

/** Condition on obligations of `assignments a`: watched, and passed where that is required. */
export const isRestDone = (alias: Alias): SQL =>
  sql`(${sql.raw(alias)}.covered_at is not null and (a.requirement = 'watched' or ${passedAt(alias)} is not null))`

/** Condition likewise: nothing is left but to confirm the sentence. */
export const isUnconfirmed = (alias: Alias): SQL =>
  sql`(a.statement is not null and ${isRestDone(alias)}
    and not exists (select from confirmations n where n.obligation_id = ${sql.raw(alias)}.id))`
