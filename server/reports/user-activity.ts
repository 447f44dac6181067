import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { listUserActivity, reportUserActivity, UserActivity } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, hasWords, countOf, isoText } from '../db/search.ts'
import { behind, orderBy, pageOf, slice } from '../http/keyset.ts'
import { owned, seen, shows, since, sittings, stepOf, stepsOf, toldOf, type Ground } from './ground.ts'
import { keyText, orderFrom } from './order.ts'

/** Condition on `u`: the people of today, as far as the reader sees them. */
function people(ground: Ground, q?: string): SQL {
  return all([
    owned(ground, sql`u.organization_id`),
    sql`u.deleted_at is null`,
    seen(ground, sql`u.id`),
    q && hasWords(sql`u.search`, q),
  ])
}

/** By person: what was sent to them in the period, and what of it they have opened and completed since. */
function sentTo(ground: Ground): SQL {
  return sql`select d.user_id, count(*) filter (where d.state in ('accepted', 'delivered'))::int as received,
      count(v.opened_at)::int as opened, count(v.completed_at)::int as completed
    from transmissions t
    join deliveries d on d.transmission_id = t.id
    left join delivery_viewing v on v.transmission_id = d.transmission_id and v.delivery_id = d.id
    where ${all([owned(ground, sql`t.organization_id`), since(ground, sql`t.created_at`), seen(ground, sql`d.user_id`)])}
    group by d.user_id`
}

/** By person: media time of the sittings of the period, where it may be shown. */
function watchedBy(ground: Ground): SQL {
  const where = all([sittings(ground), seen(ground, sql`p.user_id`), shows(ground, sql`p.organization_id`)])
  return sql`select p.user_id, sum(p.watch_ms)::float8 as ms from play_sessions p where ${where} group by p.user_id`
}

/** Who gave a sign of life in which step, each once: sittings, entries of the audit, the last visit to the console. */
function signsOfLife(ground: Ground): SQL {
  return sql`select p.user_id as id, ${stepOf(ground, sql`p.started_at`)} as day from play_sessions p
      where ${sittings(ground)} and ${shows(ground, sql`p.organization_id`)}
    union select a.actor_id, ${stepOf(ground, sql`a.at`)} from audit a
      where ${owned(ground, sql`a.organization_id`)} and ${since(ground, sql`a.at`)}
    union select l.id, ${stepOf(ground, sql`l.last_seen_at`)} from people l where ${since(ground, sql`l.last_seen_at`)}`
}

type Sums = Pick<
  Reply<typeof reportUserActivity>,
  'people' | 'received' | 'opened' | 'completed' | 'watchedMs'
>

export async function userActivity(tx: Tx, ground: Ground): Promise<Reply<typeof reportUserActivity>> {
  const present = sql`people as materialized (select u.id, u.last_seen_at from users u where ${people(ground)})`
  const [sums, steps] = await together(
    row<Sums>(
      tx,
      sql`with ${present}
        select (select count(*)::int from people) as people, coalesce(s.received, 0)::int as received,
          coalesce(s.opened, 0)::int as opened, coalesce(s.completed, 0)::int as completed,
          case when ${toldOf(ground)} then coalesce(w.ms, 0) end as "watchedMs"
        from (select sum(received) as received, sum(opened) as opened, sum(completed) as completed
            from (${sentTo(ground)}) sent where user_id in (select id from people)) s,
          (select sum(ms) as ms from (${watchedBy(ground)}) watched where user_id in (select id from people)) w`,
    ),
    rows<{ day: string | null; n: number }>(
      tx,
      sql`with ${present}, signs as materialized (
          select * from (${signsOfLife(ground)}) found where id in (select id from people))
        select day::text, count(*)::int as n from signs group by day
        union all select null, count(distinct id)::int from signs`,
    ),
  )
  const counted = sums ?? { people: 0, received: 0, opened: 0, completed: 0, watchedMs: 0 }
  const active = steps.find(({ day }) => day === null)?.n ?? 0
  return { organization: ground.organization, ...counted, active, steps: stepsOf(ground, steps, 'active') }
}

type ListQuery = ParsedQuery<typeof listUserActivity>

const keys = {
  name: { by: sql`lower(r.name)`, type: 'text' },
  lastSeenAt: { by: sql`coalesce(r.last_seen_at, 'epoch')`, type: 'timestamptz' },
  received: { by: sql`r.received::float8`, type: 'float8' },
  opened: { by: sql`r.opened::float8`, type: 'float8' },
  completed: { by: sql`r.completed::float8`, type: 'float8' },
  watchedMs: { by: sql`coalesce(r.watched_ms, -1)::float8`, type: 'float8' },
} as const

type Asked = { ground: Ground; query: ListQuery; request: FastifyRequest }

export async function activePeople(tx: Tx, { ground, query, request }: Asked) {
  const where = people(ground, query.q)
  const order = orderFrom(keys, query.sort)
  const [total, found] = await together(
    row<{ n: number }>(tx, sql`select ${countOf(sql`users u where ${where}`)} as n`),
    rows<UserActivity & { key: string }>(
      tx,
      sql`select r.id, r.organization_id as "organizationId", r.organization_name as "organizationName", r.name, r.email,
          ${isoText(sql`r.last_seen_at`)} as "lastSeenAt", r.received, r.opened, r.completed, r.watched_ms as "watchedMs",
          ${keyText(order)} as key
        from (select u.id, u.organization_id, o.name as organization_name, u.name, u.email,
            greatest(u.last_seen_at, v.at) as last_seen_at, coalesce(s.received, 0) as received,
            coalesce(s.opened, 0) as opened, coalesce(s.completed, 0) as completed,
            case when ${shows(ground, sql`u.organization_id`)} then coalesce(w.ms, 0) end as watched_ms
          from users u
          join organizations o on o.id = u.organization_id
          left join (${sentTo(ground)}) s on s.user_id = u.id
          left join (${watchedBy(ground)}) w on w.user_id = u.id
          left join (select x.user_id, max(x.last_at) as at from viewer_videos x
            where ${owned(ground, sql`x.organization_id`)} and ${shows(ground, sql`x.organization_id`)} group by x.user_id) v on v.user_id = u.id
          where ${where}) r
        where ${all([query.after !== undefined && behind(order, query.after)])} order by ${orderBy(order)} ${slice(query)}`,
    ),
  )
  const toItem = (person: UserActivity) => person
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
