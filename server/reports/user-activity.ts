import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { type listUserActivity, type reportUserActivity, UserActivity } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, hasWords, countOf, isoText } from '../platform/db/search.ts'
import { behind, orderBy, pageOf, slice, type Order, Sorted } from '../platform/http/keyset.ts'
import * as grounds from './ground.ts'
import { compared, during, headOf, ofVideos, owned, paired, personSet, shows, stepsOf } from './ground.ts'
import type { Ground } from './ground.ts'
import { messagesByDay, sumOf } from './messages.ts'
import { entriesByActor, inPeriod } from './entries.ts'
import { keyOf, keyText, type Cut } from './order.ts'
import { oldest, readOrKept, type Reading } from './kept.ts'
import { totalOf, watchedByDay, viewerDays } from './watching.ts'
import { Count } from '../platform/db/rows.ts'

/** Condition on `u`: the people of today, as far as the reader sees them. */
function people(ground: Ground, q?: string): SQL {
  const members = personSet(ground)
  return all([
    owned(ground, sql`u.organization_id`),
    sql`u.deleted_at is null`,
    members && sql`u.id in (${members})`,
    q && hasWords(sql`u.search`, q),
  ])
}

/**
 * Who gave a sign of life in which step, by its number, some of them several times: visits to videos, and entries of the audit, which
 * are about no video.
 */
function signsOfLife(ground: Ground): SQL {
  const visits = sql`select d.user_id as id, c.step from (select d.user_id, d.day from ${viewerDays(ground)}
      and d.user_id is not null and ${shows(ground, sql`d.organization_id`)}) d join ${grounds.calendar(ground)} on c.day = d.day`
  if (ofVideos(ground.subjects, sql`null`)) return visits
  const members = personSet(ground)
  const theirs = members ? grounds.among(sql`c.actor_id`, members) : sql`true`
  return sql`${visits} union all select a.actor_id, c.step
    from (select c.actor_id, c.day from ${entriesByActor(owned(ground, sql`organization_id`))} where ${inPeriod(ground, sql`c.day`)} and ${theirs}) a
    join ${grounds.calendar(ground)} on c.day::date = a.day`
}

type Signs = { step: number; n: number }[]

const Activity = z.object({ step: z.number(), n: z.number() })

/** How many people were active in each step, by its number, and in all (0). */
export const activity: Reading<Signs> = {
  name: 'activity',
  read: (tx, ground) => {
    const isThere = sql`exists (select 1 from users u where u.id = f.id and u.deleted_at is null and ${owned(ground, sql`u.organization_id`)})`
    return rows(
      tx,
      Activity,
      sql`with signs as materialized (select f.id, f.step from (select distinct id, step from (${signsOfLife(ground)}) s) f where ${isThere})
        select step, count(*)::int as n from signs group by step union all select 0, count(distinct id)::int from signs`,
    )
  },
}

/** With how many people there are. */
async function signsOf(tx: Tx, ground: Ground) {
  const [{ found: steps, asOf }, counted] = await together(
    readOrKept(tx, ground, activity),
    row(tx, Count, sql`select ${headCount(ground)} as n`),
  )
  return { people: counted?.n ?? 0, steps, asOf }
}

/** How many people of today there are; all of an organization are counted whenever one comes or goes. */
function headCount(ground: Ground): SQL {
  if (personSet(ground)) return sql`(select count(*)::int from users u where ${people(ground)})`
  return sql`(select coalesce(sum(o.user_count), 0)::int from organizations o where o.deleted_at is null and ${owned(ground, sql`o.id`)})`
}

/** What became of the days of a period; `messages` by the day of their transmission. */
export async function activityOf(tx: Tx, ground: Ground) {
  const [[watched, messages], signs] = await together(
    together(watchedByDay(tx, ground), messagesByDay(tx, ground)),
    signsOf(tx, ground),
  )
  const { accepted: received, opened, completed } = sumOf(messages)
  const active = signs.steps.find(({ step }) => step === 0)?.n ?? 0
  return {
    people: signs.people,
    asOf: signs.asOf,
    steps: signs.steps.flatMap(({ step, n }) => (step > 0 ? [{ day: grounds.stepAt(ground, step), n }] : [])),
    counts: { active, received, opened, completed },
    watchedMs: totalOf(watched),
    watched,
    messages,
  }
}

/** Viewings of the period of which nobody knows any more whose they were: nobody's in particular. */
function forgotten(ground: Ground): SQL {
  if (personSet(ground)) return sql`0`
  return sql`(select count(*)::int from (select from ${viewerDays(ground)} and d.plays > 0 and d.viewer_key like 'gone:%'
    group by d.video_id, d.viewer_key) gone)`
}

const Told = z.object({ told: z.boolean(), forgotten: z.number() })

export async function userActivity(tx: Tx, ground: Ground): Promise<Reply<typeof reportUserActivity>> {
  const [now, before] = await compared(ground, (one) => activityOf(tx, one))
  const told = await row(
    tx,
    Told,
    sql`select ${grounds.toldOf(ground)} as told, ${forgotten(ground)} as forgotten`,
  )
  const watched = told?.told ? { value: now.watchedMs, before: before.watchedMs } : grounds.untold
  return {
    ...(await headOf(tx, ground, oldest(now.asOf, before.asOf))),
    people: now.people,
    ...paired(now.counts, before.counts),
    watchedMs: watched,
    forgotten: told?.forgotten ?? 0,
    steps: stepsOf(ground, now.steps, before.steps),
  }
}

type ListQuery = Pick<ParsedQuery<typeof listUserActivity>, 'q' | 'sort'>
export const FoundPerson = z.extend(UserActivity, Sorted.shape)
export type FoundPerson = z.infer<typeof FoundPerson>

/** What was sent in the period, of `user_id` where a condition says whose, and what of it they have opened and completed since. */
function sentTo(ground: Ground, whose: SQL = sql`true`): SQL {
  const transmission = ground.subjects.transmission
  const where = all([
    owned(ground, sql`t.organization_id`),
    during(ground, sql`t.dated_at`),
    ofVideos(ground.subjects, sql`t.video_id`),
    transmission !== null && sql`t.id = ${transmission.id}`,
  ])
  return sql`select d.user_id, count(*) filter (where d.state in ('accepted', 'delivered'))::int as received,
      count(v.opened_at)::int as opened, count(v.completed_at)::int as completed
    from deliveries d
    join transmissions t on t.id = d.transmission_id
    left join delivery_viewing v on v.transmission_id = d.transmission_id and v.delivery_id = d.id
    where ${where} and ${whose} group by d.user_id`
}

/** Media time of the period, where it may be shown. As floats, which are exact here: sums of bigint are numerics, and cost much more. */
function watchedBy(ground: Ground, whose: SQL = sql`d.user_id is not null`): SQL {
  return sql`select d.user_id, sum(d.watch_ms::float8) as ms from ${viewerDays(ground)}
    and ${shows(ground, sql`d.organization_id`)} and ${whose} group by d.user_id`
}

function lastVisits(ground: Ground, whose: SQL = sql`x.user_id is not null`): SQL {
  return sql`select x.user_id, max(x.last_at) as at from viewer_videos x
    where ${owned(ground, sql`x.organization_id`)} and ${shows(ground, sql`x.organization_id`)} and ${whose} group by x.user_id`
}

/** What a person is ranked by: its type, what it takes to know it of everybody, and rows of those who have any of it. */
function rankOf(ground: Ground) {
  const sent = (field: string) => ({
    join: sql`left join (${sentTo(ground)}) m on m.user_id = u.id`,
    by: sql`coalesce(${sql.raw(`m.${field}`)}, 0)::float8`,
    most: sql`select m.user_id as id, ${sql.raw(`m.${field}`)}::float8 as rank from (${sentTo(ground)}) m`,
    type: 'float8' as const,
  })
  return {
    name: { join: sql``, by: sql`lower(u.name)`, most: undefined, type: 'text' },
    lastActiveAt: {
      join: sql`left join (${lastVisits(ground)}) v on v.user_id = u.id`,
      by: sql`coalesce(greatest(u.last_seen_at, v.at), 'epoch')`,
      most: undefined,
      type: 'timestamptz',
    },
    received: sent('received'),
    opened: sent('opened'),
    completed: sent('completed'),
    watchedMs: {
      join: sql`left join (${watchedBy(ground)}) w on w.user_id = u.id`,
      by: sql`case when ${shows(ground, sql`u.organization_id`)} then coalesce(w.ms, 0) else -1 end::float8`,
      most: sql`select w.user_id as id, w.ms as rank from (${watchedBy(ground)}) w`,
      type: 'float8',
    },
  } as const
}

/** The first of those who have any of it mostly fill the page; everybody is ranked only where they do not. */
export async function findPeople(tx: Tx, ground: Ground, query: ListQuery & Cut): Promise<FoundPerson[]> {
  const ranks = rankOf(ground)
  const rank = ranks[keyOf<keyof typeof ranks>(query.sort)]
  const order: Order = {
    by: sql`r.rank`,
    type: rank.type,
    id: sql`r.id`,
    descending: query.sort.startsWith('-'),
  }
  const beyond = all([query.after !== undefined && behind(order, query.after)])
  if (rank.most && order.descending) {
    const isThere = sql`cross join lateral (select 1 from users u where u.id = r.id and ${people(ground, query.q)} offset 0) u`
    const most = sql`(select r.id, r.rank from (${rank.most}) r where r.rank > 0 and ${beyond} order by ${orderBy(order)} offset 0) r`
    const first = await peopleOf(tx, ground, { order, page: sql`${most} ${isThere}`, query })
    if (first.length > query.limit) return first
  }
  const ranked = sql`(select u.id, ${rank.by} as rank from users u ${rank.join} where ${people(ground, query.q)}) r where ${beyond}`
  return peopleOf(tx, ground, { order, page: ranked, query })
}

/** The page is cut by its order first; everything else is looked up for its people alone. `page`: rows `r` of `id` and `rank`. */
function peopleOf(
  tx: Tx,
  ground: Ground,
  { order, page, query }: { order: Order; page: SQL; query: Cut },
): Promise<FoundPerson[]> {
  return rows(
    tx,
    FoundPerson,
    sql`with page as materialized (select r.id, r.rank from ${page} order by ${orderBy(order)} ${slice(query)})
      select r.id, u.organization_id as "organizationId", o.name as "organizationName", u.name, u.email,
        ${isoText(sql`greatest(u.last_seen_at, v.at)`)} as "lastActiveAt", coalesce(m.received, 0) as received,
        coalesce(m.opened, 0) as opened, coalesce(m.completed, 0) as completed,
        case when ${shows(ground, sql`u.organization_id`)} then coalesce(w.ms, 0) end as "watchedMs", ${keyText(order)} as key
      from page r join users u on u.id = r.id join organizations o on o.id = u.organization_id
      left join lateral (${sentTo(ground, sql`d.user_id = r.id`)}) m on true
      left join lateral (${watchedBy(ground, sql`d.user_id = r.id`)}) w on true
      left join lateral (${lastVisits(ground, sql`x.user_id = r.id`)}) v on true
      order by ${orderBy(order)}`,
  )
}

type Asked = { ground: Ground; query: ParsedQuery<typeof listUserActivity>; request: FastifyRequest }

export async function activePeople(tx: Tx, { ground, query, request }: Asked) {
  const [total, found] = await together(
    row(
      tx,
      Count,
      sql`select ${query.q ? countOf(sql`users u where ${people(ground, query.q)}`) : headCount(ground)} as n`,
    ),
    findPeople(tx, ground, query),
  )
  const toItem = (person: FoundPerson): UserActivity => person
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
