import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { AccountActivity, listAccountActivity, reportAccountActivity } from '#contract/reports.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, hasWords, countOf, isoText } from '../db/search.ts'
import { behind, orderBy, pageOf, slice } from '../http/keyset.ts'
import { owned, since, stepOf, stepsOf, type Ground } from './ground.ts'
import { keyText, orderFrom } from './order.ts'

/** All organizations together have entries of none as well: those of superadmins, and of the product itself. */
function entries(ground: Ground, alias: string): SQL {
  const column = (name: string) => sql.raw(`${alias}.${name}`)
  return all([
    ground.organization !== null && owned(ground, column('organization_id')),
    since(ground, column('at')),
  ])
}

type Sums = { people: number; signIns: number; failedSignIns: number }

export async function accountActivity(tx: Tx, ground: Ground): Promise<Reply<typeof reportAccountActivity>> {
  const where = entries(ground, 'a')
  const sums = row<Sums>(
    tx,
    sql`select count(distinct a.actor_id)::int as people,
        count(*) filter (where a.action = 'auth.sign_in')::int as "signIns",
        count(*) filter (where a.action = 'auth.sign_in_failed')::int as "failedSignIns" from audit a where ${where}`,
  )
  const kinds = rows<{ action: string; count: number }>(
    tx,
    sql`select a.action, count(*)::int as count from audit a where ${where} group by 1 order by 2 desc, 1`,
  )
  const steps = rows<{ day: string; n: number }>(
    tx,
    sql`select ${stepOf(ground, sql`a.at`)}::text as day, count(*)::int as n from audit a where ${where} group by 1`,
  )
  const [[counted, byKind], byStep] = await together(together(sums, kinds), steps)
  return {
    organization: ground.organization,
    ...(counted ?? { people: 0, signIns: 0, failedSignIns: 0 }),
    actions: byKind.reduce((sum, { count }) => sum + count, 0),
    kinds: byKind,
    steps: stepsOf(ground, byStep, 'actions'),
  }
}

/** The tables in which an entry's object is found by its id, and the column with its name. */
const objects = [
  ['user', 'users', 'name'],
  ['group', 'groups', 'name'],
  ['organization', 'organizations', 'name'],
  ['project', 'projects', 'name'],
  ['video', 'videos', 'title'],
] as const

function look(answer: (table: string, name: string) => string): SQL {
  const cases = objects.map(([entity, table, name]) => `when '${entity}' then (${answer(table, name)})`)
  return sql.raw(cases.join(' '))
}

const nameNow = sql`case r.entity ${look((table, name) => `select x.${name} from ${table} x where x.id = r.entity_id`)}
  when 'transmission' then (select x.subject from transmissions x where x.id = r.entity_id) end`
const isThere = sql`case r.entity ${look((table) => `select x.deleted_at is null from ${table} x where x.id = r.entity_id`)}
  when 'transmission' then exists (select 1 from transmissions x where x.id = r.entity_id) end`

/** What the entry itself tells, when the object is gone or out of sight. */
const nameThen = ['after', 'before'].flatMap((side) =>
  ['name', 'title', 'subject'].map((field) => sql.raw(`r.${side} ->> '${field}'`)),
)

const columns = sql`r.id, ${isoText(sql`r.at`)} as at, r.organization_id as "organizationId", o.name as "organizationName",
  case when r.actor_id is not null then jsonb_build_object('id', r.actor_id, 'name', u.name,
    'organizationId', case when u.deleted_at is null then u.organization_id end) end as actor,
  r.action, r.entity, r.entity_id as "entityId", coalesce(${nameNow}, ${sql.join(nameThen, sql`, `)}) as "entityName",
  coalesce(${isThere}, false) as exists`

const keys = {
  at: { by: sql`r.at`, type: 'timestamptz' },
  action: { by: sql`r.action`, type: 'text' },
} as const

type ListQuery = ParsedQuery<typeof listAccountActivity>
type Asked = { ground: Ground; query: ListQuery; request: FastifyRequest }

function matching(ground: Ground, { q, action }: ListQuery): SQL {
  return all([
    entries(ground, 'r'),
    action && sql`r.action = ${action}`,
    q && sql`r.actor_id in (select s.id from users s where ${hasWords(sql`s.search`, q)})`,
  ])
}

/** The page is cut first; names are looked up for its rows alone. */
export async function accountEntries(tx: Tx, { ground, query, request }: Asked) {
  const order = orderFrom(keys, query.sort)
  const where = matching(ground, query)
  const [total, found] = await together(
    row<{ n: number }>(tx, sql`select ${countOf(sql`audit r where ${where}`)} as n`),
    rows<AccountActivity & { key: string }>(
      tx,
      sql`with r as materialized (
          select r.* from audit r where ${all([where, query.after !== undefined && behind(order, query.after)])}
          order by ${orderBy(order)} ${slice(query)})
        select ${columns}, ${keyText(order)} as key from r
        left join organizations o on o.id = r.organization_id
        left join users u on u.id = r.actor_id order by ${orderBy(order)}`,
    ),
  )
  const toItem = (entry: AccountActivity) => entry
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found, toItem })
}
