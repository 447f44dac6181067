import { counterOf } from '../directory/organizations/counts.ts'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { type listUserActivity, type reportUserActivity, UserActivity } from '#contract/reports/reports.ts'
import { row, rows, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, hasWords, countOf, isoText } from '../platform/db/search.ts'
import {
  behind,
  keyOf,
  orderBy,
  pageOf,
  slice,
  type ListQuery,
  type Order,
  Sorted,
} from '../platform/http/lists/keyset.ts'
import {
  calendar,
  compared,
  dayIn,
  during,
  headOf,
  ofVideos,
  owned,
  paired,
  personSet,
  shows,
  stepAt,
  seriesOf,
  stepsOf,
  toldOf,
  untold,
} from './scope.ts'
import type { ReportScope } from './scope.ts'
import { messagesByDay, sumOf } from './messages.ts'
import { oldest, readOrCached, type Reading } from './cached.ts'
import { totalOf, watchedByDay, viewerDays } from './watching.ts'
import { Count } from '../platform/db/rows.ts'
import { hasLeft } from '../deliveries.ts'

/** Condition on `u`: the people of today, as far as the reader sees them. */
function people(scope: ReportScope, q?: string): SQL {
  const members = personSet(scope)
  return all([
    owned(scope, sql`u.organization_id`),
    sql`u.deleted_at is null`,
    members && sql`u.id in (${members})`,
    q && hasWords(sql`u.search`, q),
  ])
}

/**
 * Rows of `id` and `step`: who visited a video or, where the report is on no video, has an entry in the audit log; with doubles. That a
 * key of somebody called is no sign of them.
 */
function signsOfLife(scope: ReportScope): SQL {
  const visits = sql`select d.user_id as id, c.step from (select d.user_id, d.day from ${viewerDays(scope)}
      and d.user_id is not null and ${shows(scope, sql`d.organization_id`)}) d join ${calendar(scope)} on c.day = d.day`
  if (ofVideos(scope.subjects, sql`null`)) return visits
  const members = personSet(scope)
  const theirs = members ? sql`a.actor_id in (${members})` : sql`true`
  return sql`${visits} union all select a.actor_id, c.step
    from (select a.actor_id, ${dayIn(scope, sql`a.at`)} as day from audit a
      where ${owned(scope, sql`a.organization_id`)} and ${during(scope, sql`a.at`)} and a.actor_id is not null and a.action <> 'key.called' and ${theirs}) a
    join ${calendar(scope)} on c.day::date = a.day`
}

type Signs = { step: number; n: number }[]

const Activity = z.object({ step: z.number(), n: z.number() })

/** How many people were active in each step, by its number, and in all (0). */
export const activity: Reading<Signs> = {
  name: 'activity',
  read: (tx, scope) => {
    const isThere = sql`exists (select 1 from users u where u.id = f.id and u.deleted_at is null and ${owned(scope, sql`u.organization_id`)})`
    return rows(
      tx,
      Activity,
      sql`with signs as (select f.id, f.step from (select distinct id, step from (${signsOfLife(scope)}) s) f where ${isThere})
        select step, count(*)::int as n from signs group by step union all select 0, count(distinct id)::int from signs`,
    )
  },
}

async function signsOf(tx: Tx, scope: ReportScope) {
  const [{ found: steps, asOf }, counted] = await together(
    readOrCached(tx, scope, activity),
    row(tx, Count, sql`select ${headCount(scope)} as n`),
  )
  return { people: counted?.n ?? 0, steps, asOf }
}

/** How many people of today there are; all of an organization are counted whenever one comes or goes. */
function headCount(scope: ReportScope): SQL {
  if (personSet(scope)) return sql`(select count(*)::int from users u where ${people(scope)})`
  return sql`(select coalesce(sum(${counterOf('o', 'user_count')}), 0)::int from organizations o where o.deleted_at is null and ${owned(scope, sql`o.id`)})`
}

/** What became of the days of a period; `messages` by the day of their transmission. */
export async function activityOf(tx: Tx, scope: ReportScope) {
  const [[watched, messages], signs] = await together(
    together(watchedByDay(tx, scope), messagesByDay(tx, scope)),
    signsOf(tx, scope),
  )
  const { accepted: received, opened, completed } = sumOf(messages)
  const active = signs.steps.find(({ step }) => step === 0)?.n ?? 0
  return {
    people: signs.people,
    asOf: signs.asOf,
    steps: signs.steps.flatMap(({ step, n }) => (step > 0 ? [{ day: stepAt(scope, step), n }] : [])),
    counts: { active, received, opened, completed },
    watchedMs: totalOf(watched),
    watched,
    messages,
  }
}

/** Viewings of the period whose viewers are not known any more. A report on some people has none. */
function forgotten(scope: ReportScope): SQL {
  if (personSet(scope)) return sql`0`
  return sql`(select count(*)::int from (select from ${viewerDays(scope)} and d.plays > 0 and d.viewer_key like 'gone:%'
    group by d.video_id, d.viewer_key) gone)`
}

const UntoldRow = z.object({ isDisclosed: z.boolean(), forgotten: z.number() })

export async function userActivity(tx: Tx, scope: ReportScope): Promise<Reply<typeof reportUserActivity>> {
  const [now, before] = await compared(scope, (one) => activityOf(tx, one))
  const disclosure = await row(
    tx,
    UntoldRow,
    sql`select ${toldOf(scope)} as "isDisclosed", ${forgotten(scope)} as forgotten`,
  )
  const isDisclosed = disclosure?.isDisclosed === true
  const sent = seriesOf(scope, [now.messages, before.messages], ['opened', 'completed'])
  return {
    ...(await headOf(tx, scope, oldest(now.asOf, before.asOf))),
    people: now.people,
    ...paired(now.counts, before.counts),
    watchedMs: isDisclosed ? { value: now.watchedMs, before: before.watchedMs } : untold,
    forgotten: disclosure?.forgotten ?? 0,
    steps: stepsOf(scope, now.steps, before.steps),
    series: { ...sent, watchedMs: isDisclosed ? stepsOf(scope, now.watched, before.watched) : [] },
  }
}

type RowsQuery = Pick<ParsedQuery<typeof listUserActivity>, 'q' | 'sort'>
export const FoundPerson = z.extend(UserActivity, Sorted.shape)
export type FoundPerson = z.infer<typeof FoundPerson>

/** What was sent in the period, of `user_id` where a condition says whose, and what of it they have opened and completed since. */
function sentTo(scope: ReportScope, whose: SQL = sql`true`): SQL {
  const transmission = scope.subjects.transmission
  const where = all([
    owned(scope, sql`t.organization_id`),
    during(scope, sql`t.dated_at`),
    ofVideos(scope.subjects, sql`t.video_id`),
    transmission !== null && sql`t.id = ${transmission.id}`,
  ])
  return sql`select d.user_id, count(*) filter (where ${hasLeft})::int as received,
      count(v.opened_at)::int as opened, count(v.completed_at)::int as completed
    from deliveries d
    join transmissions t on t.id = d.transmission_id
    left join delivery_viewing v on v.transmission_id = d.transmission_id and v.delivery_id = d.id
    where ${where} and ${whose} group by d.user_id`
}

/** Media time of the period, where it may be shown. As floats, which are exact here: sums of bigint are numerics, and cost much more. */
function watchedBy(scope: ReportScope, whose: SQL = sql`d.user_id is not null`): SQL {
  return sql`select d.user_id, sum(d.watch_ms::float8) as ms from ${viewerDays(scope)}
    and ${shows(scope, sql`d.organization_id`)} and ${whose} group by d.user_id`
}

function lastVisits(scope: ReportScope, whose: SQL = sql`x.user_id is not null`): SQL {
  return sql`select x.user_id, max(x.last_at) as at from viewer_videos x
    where ${owned(scope, sql`x.organization_id`)} and ${shows(scope, sql`x.organization_id`)} and ${whose} group by x.user_id`
}

/** What a person is ranked by: its type, what it takes to know it of everybody, and rows of those who have any of it. */
function rankOf(scope: ReportScope) {
  const sent = (field: string) => ({
    join: sql`left join (${sentTo(scope)}) m on m.user_id = u.id`,
    by: sql`coalesce(${sql.raw(`m.${field}`)}, 0)::float8`,
    most: sql`select m.user_id as id, ${sql.raw(`m.${field}`)}::float8 as rank from (${sentTo(scope)}) m`,
    type: 'float8' as const,
  })
  return {
    name: { join: sql``, by: sql`u.called`, most: undefined, type: 'text' },
    lastActiveAt: {
      join: sql`left join (${lastVisits(scope)}) v on v.user_id = u.id`,
      by: sql`coalesce(greatest(u.last_seen_at, v.at), 'epoch')`,
      most: undefined,
      type: 'timestamptz',
    },
    received: sent('received'),
    opened: sent('opened'),
    completed: sent('completed'),
    watchedMs: {
      join: sql`left join (${watchedBy(scope)}) w on w.user_id = u.id`,
      by: sql`case when ${shows(scope, sql`u.organization_id`)} then coalesce(w.ms, 0) else -1 end::float8`,
      most: sql`select w.user_id as id, w.ms as rank from (${watchedBy(scope)}) w`,
      type: 'float8',
    },
  } as const
}

/** The first of those who have any of it mostly fill the page; everybody is ranked only where they do not. */
export async function findPeople(
  tx: Tx,
  scope: ReportScope,
  query: RowsQuery & ListQuery,
): Promise<FoundPerson[]> {
  const ranks = rankOf(scope)
  const rank = ranks[query.sort.replace('-', '') as keyof typeof ranks]
  const order: Order = {
    by: sql`r.rank`,
    type: rank.type,
    id: sql`r.id`,
    descending: query.sort.startsWith('-'),
  }
  const beyond = all([query.after !== undefined && behind(order, query.after)])
  if (rank.most && order.descending) {
    const isThere = sql`join users u on u.id = r.id and ${people(scope, query.q)}`
    const most = sql`(select r.id, r.rank from (${rank.most}) r where r.rank > 0 and ${beyond}) r`
    const first = await peopleOf(tx, scope, { order, page: sql`${most} ${isThere}`, query })
    if (first.length > query.limit) return first
  }
  const ranked = sql`(select u.id, ${rank.by} as rank from users u ${rank.join} where ${people(scope, query.q)}) r where ${beyond}`
  return peopleOf(tx, scope, { order, page: ranked, query })
}

/** The page is cut by its order first; everything else is looked up for its people alone. `page`: rows `r` of `id` and `rank`. */
function peopleOf(
  tx: Tx,
  scope: ReportScope,
  { order, page, query }: { order: Order; page: SQL; query: ListQuery },
): Promise<FoundPerson[]> {
  return rows(
    tx,
    FoundPerson,
    sql`with page as (select r.id, r.rank from ${page} order by ${orderBy(order)} ${slice(query)})
      select r.id, u.organization_id as "organizationId", o.name as "organizationName", u.name, u.email,
        ${isoText(sql`greatest(u.last_seen_at, v.at)`)} as "lastActiveAt", coalesce(m.received, 0) as received,
        coalesce(m.opened, 0) as opened, coalesce(m.completed, 0) as completed,
        case when ${shows(scope, sql`u.organization_id`)} then coalesce(w.ms, 0) end as "watchedMs", ${keyOf(order)} as key
      from page r join users u on u.id = r.id join organizations o on o.id = u.organization_id
      left join (${sentTo(scope, sql`d.user_id in (select id from page)`)}) m on m.user_id = r.id
      left join (${watchedBy(scope, sql`d.user_id in (select id from page)`)}) w on w.user_id = r.id
      left join (${lastVisits(scope, sql`x.user_id in (select id from page)`)}) v on v.user_id = r.id
      order by ${orderBy(order)}`,
  )
}

type ListRequest = {
  scope: ReportScope
  query: ParsedQuery<typeof listUserActivity>
  request: FastifyRequest
}

export async function activePeople(tx: Tx, { scope, query, request }: ListRequest) {
  const [total, found] = await together(
    row(
      tx,
      Count,
      sql`select ${query.q ? countOf(sql`users u where ${people(scope, query.q)}`) : headCount(scope)} as n`,
    ),
    findPeople(tx, scope, query),
  )
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found })
}
