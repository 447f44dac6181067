import { UserFilter, type seenChoices } from '#contract/directory/users.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { all, constant, foundBy, hasRun } from '../../platform/db/search.ts'
import { seesUser, type Visibility } from '../../platform/http/visibility.ts'
import { needsUser } from '../../alerts/lists.ts'

/** This condition on `users u` holds for the people of the organization whom the caller sees and the filter finds. */
export function matchingUsers(visibility: Visibility, filter: UserFilter): SQL {
  return all([peopleOf(visibility), narrowedTo(visibility, filter)])
}

/** This condition on `users u` holds for the people of the organization. */
export const peopleOf = ({ organizationId }: Visibility): SQL =>
  sql`u.organization_id = ${organizationId} and u.deleted_at is null`

/** This condition narrows them to those whom the caller sees and the filter finds. It is undefined where that is everybody. */
export function narrowedTo(visibility: Visibility, filter: UserFilter): SQL | undefined {
  const { q, groupId, role, state, seen, notWatched, field, attention } = filter
  const conditions = [
    seesUser(visibility, sql`u.id`),
    q && foundBy(q, { id: sql`u.id`, column: sql`u.search` }),
    groupId && sql`exists (select 1 from group_members c where c.user_id = u.id and c.group_id = ${groupId})`,
    role && (role === 'none' ? sql`u.role is null` : sql`u.role = ${constant(role)}`),
    state && sql`u.state = ${constant(state)}`,
    seen && lastSeen[seen],
    notWatched && hasNotWatched(visibility.organizationId, notWatched),
    field && hasField(field),
    attention && needsUser(attention, visibility),
    createdWithin(visibility.organizationId, filter),
  ]
  return conditions.some(Boolean) ? all(conditions) : undefined
}

/** Returns whether one of the words is long enough for an index of threes of letters. Otherwise all people would be read through it. */
export const isFoundByIndex = ({ q }: UserFilter): boolean => q !== undefined && hasRun.test(q)

/** This expression is the one that the index has. Somebody who never used the console comes before everybody else. */
export const seenAt = sql`(case when u.last_seen_at is null then '-infinity' else u.last_seen_at end)`
const daysAgo = (days: number) => sql`now() - interval '${sql.raw(String(24 * days))} hours'`

const notSince = (days: number) => sql`(u.last_seen_at is null or u.last_seen_at < ${daysAgo(days)})`

/** These conditions ask the column itself, whose values the planner knows, and not the expression by which the list is sorted. */
const lastSeen: Record<(typeof seenChoices)[number], SQL> = {
  never: sql`u.last_seen_at is null`,
  within7: sql`u.last_seen_at >= ${daysAgo(7)}`,
  within30: sql`u.last_seen_at >= ${daysAgo(30)}`,
  within90: sql`u.last_seen_at >= ${daysAgo(90)}`,
  not30: notSince(30),
  not90: notSince(90),
  not365: notSince(365),
}

/**
 * This condition holds for whoever has not completed a video. The aggregation has found who has, by the share that the organization asked
 * for when it was watched, and that stays so.
 */
function hasNotWatched(organizationId: string, videoId: string): SQL {
  return sql`(select exists (select 1 from videos v where v.id = ${videoId} and v.organization_id = ${organizationId}
      and v.deleted_at is null))
    and not exists (select 1 from viewer_videos w where w.video_id = ${videoId} and w.user_id = u.id
      and w.completed_at is not null)`
}

function hasField(field: string): SQL {
  const colon = field.indexOf(':')
  const wanted = { [field.slice(0, colon)]: field.slice(colon + 1) }
  return sql`u.custom_fields @> ${JSON.stringify(wanted)}::jsonb`
}

function createdWithin(organizationId: string, { createdFrom, createdUntil }: UserFilter): SQL | undefined {
  const zone = sql`(select time_zone from organizations where id = ${organizationId})`
  const dayAt = (day: string, later: number) =>
    sql`(${day}::date + ${sql.raw(String(later))})::timestamp at time zone ${zone}`
  if (!createdFrom && !createdUntil) return undefined
  return all([
    createdFrom && sql`u.created_at >= ${dayAt(createdFrom, 0)}`,
    createdUntil && sql`u.created_at < ${dayAt(createdUntil, 1)}`,
  ])
}
