import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  AccountActivity,
  type listAccountActivity,
  type reportAccountActivity,
} from '#contract/reports/reports.ts'
import { row, rows, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, hasWords, countOf, isoText } from '../platform/db/search.ts'
import {
  behind,
  keyOf,
  orderBy,
  orderFrom,
  pageOf,
  slice,
  type ListQuery,
  Sorted,
} from '../platform/http/lists/keyset.ts'
import { compared, dayIn, during, headOf, members, owned, paired, seriesOf, treeOf } from './scope.ts'
import type { ReportScope } from './scope.ts'
import { oldest, readOrCached, type Reading } from './cached.ts'
import { Count } from '../platform/db/rows.ts'

/**
 * All organizations together have entries of none as well: those of superadmins, and of the product itself. A group: what its members
 * did. Any other subject: what was done to it; a project goes with those below it and with
 * their videos. That a key called is no activity; what it changed is.
 */
function entries(scope: ReportScope, alias: string): SQL {
  const column = (name: string) => sql.raw(`${alias}.${name}`)
  const { project, video, transmission } = scope.subjects
  const subjects = [video, transmission].filter((one) => one !== null).map(({ id }) => sql`${id}`)
  const filed =
    project &&
    sql`union all (${treeOf(project)} select id from tree union all select filed.id from videos filed join tree on filed.project_id = tree.id)`
  return all([
    scope.organization !== null && owned(scope, column('organization_id')),
    during(scope, column('at')),
    sql`${column('action')} <> 'key.called'`,
    members(scope, column('actor_id')),
    (subjects.length > 0 || filed !== null) &&
      sql`${column('entity_id')} in (select unnest(array[${sql.join(subjects, sql`, `)}]::uuid[]) ${filed ?? sql``})`,
  ])
}

/** How many entries of one kind, or of one day. */
const Counted = z.object({
  action: z.nullable(z.string()),
  day: z.nullable(z.string()),
  actions: z.number(),
  signIns: z.number(),
  failedSignIns: z.number(),
})
type Counted = z.infer<typeof Counted>
type EntryDay = Omit<Counted, 'action' | 'day'> & { day: string }
type Counts = { people: number; kinds: { action: string; count: number }[]; days: EntryDay[] }

const [signIn, failedSignIn] = ['auth.sign_in', 'auth.sign_in_failed'] as const
const entriesOf = (action: string) => sql`coalesce(sum(a.n) filter (where a.action = ${action}), 0)::int`

/** Different people, entries of each kind (most first), and entries of each day. */
export const accountEntryCounts: Reading<Counts> = {
  name: 'entriesByDay',
  async read(tx, scope) {
    const found = sql`audit a where ${entries(scope, 'a')}`
    const [people, counted] = await together(
      row(
        tx,
        Count,
        sql`select count(*)::int as n from (select distinct a.actor_id from ${found} and a.actor_id is not null) p`,
      ),
      rows(
        tx,
        Counted,
        // Each entry is counted once, and the counts of a kind on a day are what is added up in two ways.
        sql`select a.action, a.day::text as day, sum(a.n)::int as actions, ${entriesOf(signIn)} as "signIns",
            ${entriesOf(failedSignIn)} as "failedSignIns"
          from (select a.action, a.day, count(*) as n
            from (select a.action, ${dayIn(scope, sql`a.at`)} as day from ${found}) a group by 1, 2) a
          group by grouping sets ((a.action), (a.day)) order by actions desc, a.action`,
      ),
    )
    return {
      people: people?.n ?? 0,
      kinds: counted.flatMap(({ action, actions }) => (action === null ? [] : [{ action, count: actions }])),
      days: counted.flatMap(({ action: _none, day, ...counts }) =>
        day === null ? [] : [{ day, ...counts }],
      ),
    }
  },
}

async function read(tx: Tx, scope: ReportScope) {
  const { found, asOf } = await readOrCached(tx, scope, accountEntryCounts)
  const { people, kinds, days } = found
  const of = (action: string) => kinds.find((kind) => kind.action === action)?.count ?? 0
  const counts = {
    actions: kinds.reduce((sum, { count }) => sum + count, 0),
    people,
    signIns: of(signIn),
    failedSignIns: of(failedSignIn),
  }
  return { counts, kinds, days, asOf }
}

export async function accountActivity(
  tx: Tx,
  scope: ReportScope,
): Promise<Reply<typeof reportAccountActivity>> {
  const [now, before] = await compared(scope, (one) => read(tx, one))
  const byDay = ['actions', 'signIns', 'failedSignIns'] as const
  const { actions: steps, ...series } = seriesOf(scope, [now.days, before.days], byDay)
  return {
    ...(await headOf(tx, scope, oldest(now.asOf, before.asOf))),
    ...paired(now.counts, before.counts),
    kinds: now.kinds,
    steps,
    series,
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
  when 'transmission' then (select message_name(x) from transmissions x where x.id = r.entity_id) end`
const isThere = sql`case r.entity ${look((table) => `select x.deleted_at is null from ${table} x where x.id = r.entity_id`)}
  when 'transmission' then exists (select 1 from transmissions x where x.id = r.entity_id) end`

/** What the entry itself tells, when the object is gone or out of sight. */
const nameThen = ['after', 'before'].flatMap((side) =>
  [
    ...['name', 'title'].map((field) => `r.${side} ->> '${field}'`),
    `told_to_all(r.${side} ->> 'subject', null, null)`,
  ].map((name) => sql.raw(name)),
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

type RowsQuery = Pick<ParsedQuery<typeof listAccountActivity>, 'q' | 'action' | 'sort'>
export const FoundEntry = z.extend(AccountActivity, Sorted.shape)
export type FoundEntry = z.infer<typeof FoundEntry>

function matching(scope: ReportScope, { q, action }: RowsQuery): SQL {
  return all([
    entries(scope, 'r'),
    action && sql`r.action = ${action}`,
    q && sql`r.actor_id in (select s.id from users s where ${hasWords(sql`s.search`, q)})`,
  ])
}

/** The page is cut first; names are looked up for its rows alone. */
export function findEntries(tx: Tx, scope: ReportScope, query: RowsQuery & ListQuery): Promise<FoundEntry[]> {
  const order = orderFrom(query.sort, keys, sql`r.id`)
  const where = all([matching(scope, query), query.after !== undefined && behind(order, query.after)])
  return rows(
    tx,
    FoundEntry,
    sql`with r as (select r.* from audit r where ${where} order by ${orderBy(order)} ${slice(query)})
      select ${columns}, ${keyOf(order)} as key from r
      left join organizations o on o.id = r.organization_id
      left join users u on u.id = r.actor_id order by ${orderBy(order)}`,
  )
}

type ListRequest = {
  scope: ReportScope
  query: ParsedQuery<typeof listAccountActivity>
  request: FastifyRequest
}

export async function accountEntries(tx: Tx, { scope, query, request }: ListRequest) {
  const [total, found] = await together(
    row(tx, Count, sql`select ${countOf(sql`audit r where ${matching(scope, query)}`)} as n`),
    findEntries(tx, scope, query),
  )
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found })
}
