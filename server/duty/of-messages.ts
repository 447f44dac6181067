import { sql, type SQL } from '../platform/db/sql.ts'
import { countsEver } from './obligations.ts'
import { answersFrom, isUnconfirmed } from './unconfirmed.ts'

/** This condition holds when `transmissions t` was sent by this assignment, or names its day as well. */
export const isNamed = (assignmentId: SQL): SQL =>
  sql`${assignmentId} = any(array_append(array(select (x->>'assignmentId')::uuid from jsonb_array_elements(t.also) x), t.assignment_id))`

/** This condition holds when the assignment stands for the day of a message, so that whatever was watched counts towards it. */
export const isOfMessage = (assignmentId: SQL): SQL =>
  sql`exists (select from assignments f where f.id = ${assignmentId} and f.message_id is not null)`

/** This condition on `transmissions t` holds when it goes to people because they have not yet done what it asks for. */
export const isReminder = sql`(exists (select from obligation_messages g where g.transmission_id = t.id and (g.kind in ('reminder', 'manual')
    or exists (select from obligations n where n.id = g.obligation_id and n.owed_parts is not null)))
  or t.audience->'of'->>'part' = 'not_watched'
  or (t.audience->'viewing'->>'kind' in ('not_completed', 'late') and t.audience->'viewing'->>'videoId' = t.video_id::text))`

/**
 * Returns a lateral table for `from`, beside `deliveries d` and `transmissions t`. It says what the person has of the assignment that sends
 * the message, or of another one that the message names where nothing is owed of the first, as (coverage, answers_from, requirement,
 * is_unconfirmed). There is no row where nothing is owed, where whatever was watched counts towards it, or where it is not counted yet.
 * What was seen of another version is worth nothing.
 */
export const owedPart = (versionId: SQL): SQL =>
  sql`lateral (select case when p.version_id = ${versionId} then p.coverage else '{}' end as coverage, ${answersFrom('p')} as answers_from, a.requirement,
      ${isUnconfirmed('p')} as is_unconfirmed
    from obligations p join assignments a on a.id = p.assignment_id
    where ${isNamed(sql`p.assignment_id`)} and p.organization_id = d.organization_id and p.user_id = d.user_id
      and p.state = 'open' and p.counted and not ${countsEver('p')} order by p.assignment_id = t.assignment_id desc, p.cycle desc limit 1)`
