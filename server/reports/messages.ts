import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { listMessageReports, MessageReport, reportMessages } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, countOf, isoText } from '../db/search.ts'
import { behind, orderBy, pageOf, slice } from '../http/keyset.ts'
import { owned, seen, since, stepOf, stepsOf, type Ground } from './ground.ts'
import { keyText, orderFrom } from './order.ts'

/** Condition on `t`: what was sent in the period. */
function sent(ground: Ground): SQL {
  return all([
    owned(ground, sql`t.organization_id`),
    since(ground, sql`t.created_at`),
    sql`t.state <> 'draft'`,
  ])
}

const outcome = {
  recipients: sql`state <> 'skipped'`,
  accepted: sql`state in ('accepted', 'delivered')`,
  failed: sql`state in ('rejected', 'bounced', 'expired')`,
  unknown: sql`state = 'unknown'`,
}

/** Counts by state, where `of` counts the rows for which a condition holds. */
function sending(of: (condition: SQL) => SQL): SQL {
  const columns = Object.entries(outcome).map(
    ([name, condition]) => sql`${of(condition)} as ${sql.raw(name)}`,
  )
  return sql.join(columns, sql`, `)
}

const viewing = sql`count(w.opened_at)::int as opened, count(w.first_play_at)::int as started, count(w.completed_at)::int as completed`

/** For everybody, the counters of the ledger tell. */
function ofAll(ground: Ground): SQL {
  const summed = sending((condition) => sql`coalesce(sum(c.n) filter (where c.${condition}), 0)::int`)
  return sql`transmissions t
    cross join lateral (select ${summed} from transmission_counts c where c.transmission_id = t.id) s
    cross join lateral (select ${viewing} from delivery_viewing w where w.transmission_id = t.id) v where ${sent(ground)}`
}

/** For the members of some groups, the ledger itself is counted, once for all transmissions. */
function ofMembers(ground: Ground, member: SQL): SQL {
  const counted = sending((condition) => sql`count(*) filter (where d.${condition})::int`)
  return sql`transmissions t join (select d.transmission_id, ${counted}, ${viewing}
      from transmissions t join deliveries d on d.transmission_id = t.id
      left join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id
      where ${sent(ground)} and ${member} group by d.transmission_id) s on s.transmission_id = t.id`
}

function transmissions(ground: Ground): SQL {
  const member = seen(ground, sql`d.user_id`)
  return member ? ofMembers(ground, member) : ofAll(ground)
}

const counts = ['recipients', 'accepted', 'failed', 'unknown', 'opened', 'started', 'completed'] as const
const columns = sql.raw(counts.join(', '))
const sums = sql.raw(counts.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(', '))

type Sums = Omit<Reply<typeof reportMessages>, 'organization' | 'steps'>

export async function messageAnalytics(tx: Tx, ground: Ground): Promise<Reply<typeof reportMessages>> {
  const taken = all([sql`d.state in ('accepted', 'delivered')`, seen(ground, sql`d.user_id`), sent(ground)])
  const [total, steps] = await together(
    row<Sums>(tx, sql`select count(*)::int as transmissions, ${sums} from ${transmissions(ground)}`),
    rows<{ day: string; n: number }>(
      tx,
      sql`select ${stepOf(ground, sql`coalesce(d.accepted_at, d.updated_at)`)}::text as day, count(*)::int as n
        from transmissions t join deliveries d on d.transmission_id = t.id
        where ${taken} group by 1`,
    ),
  )
  const none = { recipients: 0, accepted: 0, failed: 0, unknown: 0, opened: 0, started: 0, completed: 0 }
  const counted = total ?? { transmissions: 0, ...none }
  return { organization: ground.organization, ...counted, steps: stepsOf(ground, steps, 'sent') }
}

const keys = {
  createdAt: { by: sql`r.created_at`, type: 'timestamptz' },
  subject: { by: sql`lower(r.subject)`, type: 'text' },
  recipients: { by: sql`r.recipients::float8`, type: 'float8' },
  opened: { by: sql`r.opened::float8`, type: 'float8' },
  completed: { by: sql`r.completed::float8`, type: 'float8' },
} as const

type Asked = { ground: Ground; query: ParsedQuery<typeof listMessageReports>; request: FastifyRequest }

export async function messageReports(tx: Tx, { ground, query, request }: Asked) {
  const order = orderFrom(keys, query.sort)
  const [total, found] = await together(
    row<{ n: number }>(
      tx,
      sql`select ${countOf(ground.groupIds ? transmissions(ground) : sql`transmissions t where ${sent(ground)}`)} as n`,
    ),
    rows<MessageReport & { key: string }>(
      tx,
      sql`select r.id, r.organization_id as "organizationId", o.name as "organizationName", r.subject, r.state,
          ${isoText(sql`r.created_at`)} as "createdAt", r.recipients, r.accepted, r.failed,
          r.unknown, r.opened, r.started, r.completed, ${keyText(order)} as key
        from (select t.id, t.organization_id, t.subject, t.state, t.created_at, ${columns} from ${transmissions(ground)}) r
        join organizations o on o.id = r.organization_id
        where ${all([query.after !== undefined && behind(order, query.after)])} order by ${orderBy(order)} ${slice(query)}`,
    ),
  )
  const toItem = (one: MessageReport) => one
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
