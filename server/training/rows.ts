import type { FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import type { listTraining, TrainingRow, TrainingState } from '#contract/training.ts'
import { row, rows, together, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all } from '../db/search.ts'
import { behind, orderBy, pageOf, slice, type Order } from '../http/keyset.ts'
import { cellsOf, columnsOf, makeRoom, means, peopleOf, type Ground } from './matrix.ts'
import { letters } from './state.ts'

type Query = ParsedQuery<typeof listTraining>
type Sort = Query['sort']
type Cut = { sort: Sort; state: TrainingState | undefined; after: string | undefined; slice: SQL }
type Found = TrainingRow & { key: string }

const keys = {
  name: { by: sql`lower(r.name)`, type: 'text' },
  done: { by: sql`(case when r.required = 0 then 1 else r.done::float8 / r.required end)`, type: 'float8' },
  overdue: { by: sql`r.overdue::float8`, type: 'float8' },
} as const

function orderOf(sort: Sort): Order {
  const descending = sort.startsWith('-')
  // What is left of a sort without its sign is a key of the table.
  const { by, type } = keys[(descending ? sort.slice(1) : sort) as keyof typeof keys]
  return { by, type, id: sql`r.id`, descending }
}

/**
 * The people whose cells have to be known. Sorted by name, those of the page are enough; a state or a sum can only be found, or
 * sorted by, when all are known.
 */
function whoOf(ground: Ground, cut: Cut): SQL {
  const order = orderOf(cut.sort)
  const page = sql`where ${cut.after === undefined ? sql`true` : behind(order, cut.after)} order by ${orderBy(order)} ${cut.slice}`
  return sql`who as materialized (select r.*, row_number() over () as n from (
    select r.* from (select u.id, u.name, u.email from users u where ${peopleOf(ground)}) r ${isByName(cut) ? page : sql``}) r)`
}

const isByName = ({ sort, state }: Cut) => (sort === 'name' || sort === '-name') && state === undefined

/** `people` (id, n, name, email, required, done, overdue), those of the filter with their sums. */
function summed(state: TrainingState | undefined): SQL {
  const sum = (condition: SQL) => sql`coalesce(sum(c.cells) filter (where ${condition}), 0)::int`
  return sql`people as (
    select w.id, w.n, w.name, w.email, ${sum(isRequired)} as required, ${sum(isDone)} as done, ${sum(isOverdue)} as overdue
    from who w left join (select p, bits, count(*) as cells from cells group by p, bits) c on c.p = w.n
    group by w.id, w.n, w.name, w.email ${state === undefined ? sql`` : sql`having bool_or(${isIn(state)})`})`
}

const isRequired = means(({ required }) => required)
const isDone = means(({ done }) => done)
const isOverdue = isIn('overdue')
function isIn(wanted: TrainingState): SQL {
  return means(({ state }) => state === wanted)
}

/** The rows of a page, and one more when there are others behind it. */
export function findRows(tx: Tx, ground: Ground, cut: Cut): Promise<Found[]> {
  const order = orderOf(cut.sort)
  const isCut = isByName(cut)
  const where = all([!isCut && cut.after !== undefined && behind(order, cut.after)])
  return rows<Found>(
    tx,
    sql`with ${whoOf(ground, cut)}, ${columnsOf(ground)}, ${cellsOf(ground)}, ${summed(cut.state)},
        page as materialized (select r.*, ${order.by}::text as key from people r where ${where} order by ${orderBy(order)}
          ${isCut ? sql`` : cut.slice}),
        lines as (select p.n, string_agg(coalesce(substr(${letters}, c.bits + 1, 1), '-'), '' order by k.n) as cells
          from page p cross join columns k left join (select * from cells where p in (select n from page)) c on c.p = p.n and c.v = k.n
          group by p.n)
      select r.id, r.name, r.email, r.required, r.done, r.overdue, r.key, coalesce(l.cells, '') as cells
      from page r left join lines l on l.n = r.n order by ${orderBy(order)}`,
  )
}

/** The order of the letters. */
export async function findVideoIds(tx: Tx, ground: Ground): Promise<{ id: string; title: string }[]> {
  return rows<{ id: string; title: string }>(
    tx,
    sql`with ${columnsOf(ground)} select id, title from columns order by n`,
  )
}

function countPeople(
  tx: Tx,
  ground: Ground,
  state: TrainingState | undefined,
): Promise<{ n: number } | undefined> {
  if (state === undefined)
    return row(tx, sql`select count(*)::int as n from users u where ${peopleOf(ground)}`)
  return row(
    tx,
    sql`with who as materialized (select u.id, row_number() over () as n from users u where ${peopleOf(ground)}),
        ${columnsOf(ground)}, ${cellsOf(ground)}
      select count(distinct c.p)::int as n from cells c where ${isIn(state)}`,
  )
}

export async function trainingPage(
  tx: Tx,
  ground: Ground,
  { query, request }: { query: Query; request: FastifyRequest },
) {
  const { sort, state, after } = query
  await makeRoom(tx)
  const [[found, videos], total] = await together(
    together(findRows(tx, ground, { sort, state, after, slice: slice(query) }), findVideoIds(tx, ground)),
    countPeople(tx, ground, state),
  )
  const toItem = ({ key: _key, ...item }: Found) => item
  const list = pageOf({ request, query, total: { n: total?.n ?? 0, counted: false }, found, toItem })
  return { ...list, videoIds: videos.map(({ id }) => id) }
}
