import type { FastifyRequest } from 'fastify'
import {
  Obligation,
  type ObligationState,
  obligationStates,
  type listObligations,
} from '#contract/assignments/assignments.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import type { ObligationFilter } from '#contract/duty/obligations.ts'
import { showsPersons } from '../directory/organizations/privacy.ts'
import { arrayOf, requireRow, rows, type Tx } from '../platform/db/client.ts'
import { all, contains, isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { orderFrom, type Sorts } from '../platform/http/lists/keyset.ts'
import { readList, readStretch, type Stretch } from '../platform/http/lists/list.ts'
import { hasToBePassed } from '../tracking/completion.ts'
import { countsEver, isExcused, isWaived } from './obligations.ts'
import { answersFrom, isUnconfirmed, passedAt } from './unconfirmed.ts'
import { isPresent } from './obliged.ts'
import { isResting, isUnderWay } from '../deliveries.ts'

const noCounts = JSON.stringify(Object.fromEntries(obligationStates.map((state) => [state, 0])))

/** This condition on `obligations o` asks for evidence of its person and video, where whatever they have of the video counts towards it. */
const ofEvidence = (what: SQL): SQL =>
  sql`(${countsEver('o')} and exists (select from viewer_videos w where w.organization_id = o.organization_id and w.user_id = o.user_id
    and w.video_id = o.video_id and ${what}))`
export const isCovered = sql`(o.covered_at is not null or ${ofEvidence(sql`w.covered_at is not null`)})`
/** This expression gives the milliseconds that were seen of the version `vv` that plays. */
export const seenMs = sql`case when ${countsEver('o')} then coalesce((select max(w.covered_ms) from viewer_videos w
    where w.version_id = vv.id and w.user_id = o.user_id), 0) when o.version_id = vv.id then o.covered_ms else 0 end`
const isBegun = sql`(o.covered_ms > 0 or ${ofEvidence(sql`w.covered_ms > 0`)})`
/** The questions have to be passed where the assignment says so. Where whatever was completed counts, the video itself decides. */
const isToPass = sql`(a.requirement = 'passed' or ${countsEver('o')} and exists (select from quizzes k
  join quiz_versions n on n.id = k.current_version_id where k.video_id = o.video_id and k.organization_id = o.organization_id and ${hasToBePassed}))`

const hasFailed = sql`(${isToPass} and ${passedAt('o')} is null and exists (select from quiz_attempts q where q.organization_id = o.organization_id
  and q.user_id = o.user_id and q.video_id = o.video_id and q.completed_at >= ${answersFrom('o')} and q.passed = false))`

/** This expression names what the person of `obligations o` of `assignments a` still has to do next. */
export const lacks = sql`case when ${isUnconfirmed('o')} then 'confirmation'
  when ${isCovered} then case when not ${countsEver('o')} and (a.requirement = 'watched' or ${passedAt('o')} is not null) then null
    when ${hasFailed} then 'passing' else 'questions' end
  when ${showsPersons(sql`o.organization_id`)} and exists (select from viewer_videos w join organizations y on y.id = w.organization_id
      join video_versions c on c.id = w.version_id
      join videos e on e.current_version_id = c.id
    where w.user_id = o.user_id and w.video_id = o.video_id and w.organization_id = o.organization_id and w.covered_at is null
      and w.evidence <> 'checking' and w.covered_ms >= (y.policies->>'completionThreshold')::float8 * c.duration_ms) then 'evidence'
  else 'viewing' end`

/** This expression gives the state of `obligations o` of `assignments a` as it is now. */
export const standing = sql`case when o.state = 'ended' then 'ended'
  when o.state = 'done' then case when o.valid_until <= now() then 'expired' else 'done' end
  when ${isWaived} then 'waived'
  when o.due_at < now() then 'overdue'
  when ${isUnconfirmed('o')} then 'unconfirmed'
  when ${hasFailed} then 'failed'
  when ${isCovered} then 'watched'
  when ${isBegun} and ${showsPersons(sql`o.organization_id`)} then 'started' else 'assigned' end`

/** This expression gives the number of people in each state, for `assignments a`. */
export const counts = sql`${noCounts}::jsonb || (select coalesce(jsonb_object_agg(s.state, s.n), '{}') from (select ${standing} as state, count(*)::int as n
  from obligations o where o.assignment_id = a.id and o.organization_id = a.organization_id and ${isPresent} group by 1) s)`

type Place = { orgId: string; assignmentId: string }
type Listing = { query: ParsedQuery<typeof listObligations>; request: FastifyRequest }

const isOpen = sql`o.state in ('open', 'waived')`

/**
 * This table has the messages to the person of `obligations o` of `assignments a`: the one whose day it is, and those that the assignment
 * sent or that name it, with the deliveries `d` of `transmissions t` that are there.
 */
const messages = sql`(select m.transmission_id from obligation_messages m where m.obligation_id = o.id and m.organization_id = o.organization_id
    union all select a.message_id where exists (select from deliveries e where e.transmission_id = a.message_id and e.user_id = o.user_id)) m
  join transmissions t on t.id = m.transmission_id and t.organization_id = o.organization_id
  left join deliveries d on d.user_id = o.user_id and d.transmission_id = t.id and d.organization_id = o.organization_id
  where true`

const lastSent = sql`(select max(s.at) from (select d.accepted_at as at from ${messages} and d.accepted_at is not null and not ${isResting}
  union all select d.accepted_at from deliveries d join transmissions t on t.id = d.transmission_id and t.organization_id = d.organization_id
    where d.user_id = o.user_id and d.organization_id = o.organization_id and d.channel = 'card' and t.assignment_id = o.assignment_id
      and d.accepted_at >= o.since) s)`

const unsent = sql`(select case when t.state = 'held' then 'held' when ${isResting} then 'outbox'
    when d.accepted_at is not null then null when t.state = 'paused' then 'paused'
    when t.state in ('scheduled', 'preparing') or ${isUnderWay('d')} then 'turn' end
  from ${messages} order by t.created_at desc, t.id desc limit 1)`

const obligationColumns = sql`o.id, jsonb_build_object('id', a.id, 'name', a.name, 'state', a.state) as assignment,
  jsonb_build_object('id', v.id, 'title', v.title) as video, jsonb_build_object('id', p.id, 'name', p.name, 'email', p.email) as "user",
  o.cycle, ${standing} as state, o.reason, o.ending, ${isoText(sql`o.since`)} as since, ${isoText(sql`o.due_at`)} as "dueAt",
  ${isoText(sql`o.done_at`)} as "doneAt", ${isoText(sql`o.valid_until`)} as "validUntil",
  ${isoText(sql`o.waived_until`)} as "waivedUntil",
  case when ${isOpen} and ${showsPersons(sql`o.organization_id`)}
    then greatest(0, vv.duration_ms - ${seenMs}) end as "missingMs",
  ${isoText(lastSent)} as "lastMessageAt", case when o.state = 'open' then ${unsent} end as unsent,
  case when o.state in ('open', 'waived') then ${lacks} end as lacks,
  (select ${isoText(sql`c.confirmed_at`)} from confirmations c where c.obligation_id = o.id) as "confirmedAt",
  case when o.state = 'open' and a.state = 'active' and not ${isExcused} then o.next_message_on::text end as "nextMessageOn"`

const obligationsFrom = sql`obligations o join assignments a on a.id = o.assignment_id and a.organization_id = o.organization_id
  join videos v on v.id = o.video_id left join video_versions vv on vv.id = v.current_version_id
  join users p on p.id = o.user_id`

const peopleSorts: Sorts<ParsedQuery<typeof listObligations>['sort']> = {
  name: { by: sql`p.called`, type: 'text' },
  dueAt: { by: sql`o.due_at`, type: 'timestamptz' },
  doneAt: { by: sql`o.done_at`, type: 'timestamptz' },
}

const ofAssignment = ({ orgId, assignmentId }: Place): SQL =>
  sql`o.organization_id = ${orgId} and o.assignment_id = ${assignmentId} and ${isPresent}`

/**
 * These conditions hold for everybody in a state. They leave out most people before it is worked out for each of the others where they
 * stand.
 */
const commonTo: Partial<Record<ObligationState, SQL>> = {
  overdue: sql`o.due_at < now()`,
  done: sql`o.state = 'done'`,
  expired: sql`o.state = 'done'`,
  waived: sql`o.state = 'waived'`,
  ended: sql`o.state = 'ended'`,
}

type PeopleSort = ParsedQuery<typeof listObligations>['sort']
export type ChosenPeople = Place & {
  filter: ObligationFilter
  ids?: string[] | undefined
  exceptIds: string[]
}

/** Lists the people of an assignment, or those picked from them. An id of another assignment finds nobody. */
function peopleList({ filter, ids, exceptIds, ...place }: ChosenPeople, sort: PeopleSort) {
  return {
    Row: Obligation,
    columns: obligationColumns,
    from: obligationsFrom,
    where: all([
      ofAssignment(place),
      filter.state && commonTo[filter.state],
      filter.state && sql`${standing} = ${filter.state}`,
      filter.q && contains(sql`lower(p.name || ' ' || p.email)`, filter.q),
      ids && sql`o.id = any(${arrayOf(ids, 'uuid')})`,
      exceptIds.length > 0 && sql`o.id <> all(${arrayOf(exceptIds, 'uuid')})`,
    ]),
    order: orderFrom(sort, peopleSorts, sql`o.id`),
  }
}

export function peoplePage(tx: Tx, { query, request, ...place }: Place & Listing) {
  return readList(tx, {
    query,
    request,
    ...peopleList({ ...place, filter: query, exceptIds: [] }, query.sort),
  })
}

export function findPeople(
  tx: Tx,
  { after, limit, sort, ...chosen }: ChosenPeople & Stretch & { sort: PeopleSort },
) {
  return readStretch(tx, peopleList(chosen, sort), { after, limit })
}

export function findObligation(tx: Tx, place: Place & { userId: string }): Promise<Obligation> {
  return requireRow(
    tx,
    Obligation,
    sql`select ${obligationColumns} from ${obligationsFrom} where ${ofAssignment(place)} and o.user_id = ${place.userId}`,
  )
}

export function obligationsOf(
  tx: Tx,
  { orgId, userId, videoId }: { orgId: string; userId: string; videoId?: string },
): Promise<Obligation[]> {
  return rows(
    tx,
    Obligation,
    sql`select ${obligationColumns} from ${obligationsFrom} where o.organization_id = ${orgId} and o.user_id = ${userId}
        and ${videoId === undefined ? sql`true` : sql`o.video_id = ${videoId}`}
      order by o.since desc, o.id desc limit 500`,
  )
}
