import { sql, type SQL } from '../platform/db/sql.ts'

type Alias = 'o' | 'p'

/** This expression on obligations gives the instant since which a passed quiz counts. */
export const answersFrom = (alias: Alias): SQL =>
  sql.raw(`coalesce(${alias}.answers_from, ${alias}.counts_from)`)

/** This expression on obligations gives the instant at which the questions of their video were first passed since it counts. */
export const passedAt = (alias: Alias): SQL =>
  sql`(select min(q.completed_at) from quiz_attempts q where q.video_id = ${sql.raw(alias)}.video_id and q.passed
    and q.completed_at >= ${answersFrom(alias)} and q.viewer_key in ('recipient:' || ${sql.raw(alias)}.user_id, 'user:' || ${sql.raw(alias)}.user_id))`

/** This condition on obligations of `assignments a` holds when the video was watched, and its questions passed where that is required. */
export const isRestDone = (alias: Alias): SQL =>
  sql`(${sql.raw(alias)}.covered_at is not null and (a.requirement = 'watched' or ${passedAt(alias)} is not null))`

/** This condition on obligations of `assignments a` holds when nothing is left but to confirm the sentence. */
export const isUnconfirmed = (alias: Alias): SQL =>
  sql`(a.statement is not null and ${isRestDone(alias)}
    and not exists (select from confirmations n where n.obligation_id = ${sql.raw(alias)}.id))`
