import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { arrayOf, row, rows, together, type Tx } from '../../db/client.ts'
import { Count } from '../../db/rows.ts'
import { all, countLimit, countOf } from '../../db/search.ts'
import { nearest, type SearchedColumn } from '../../db/similar.ts'
import { sql, type SQL } from '../../db/sql.ts'
import { forItsValues } from '../../db/statements.ts'
import { refuse } from '../../errors.ts'
import {
  approximatePage,
  behind,
  cutOf,
  keyOf,
  orderBy,
  pageOf,
  type ListQuery,
  type Order,
  type Sorted,
} from './keyset.ts'

export type List<Row extends z.ZodMiniObject> = {
  /** A row of the columns; one of them is an `id`. */
  Row: Row
  columns: SQL
  /** Table and alias, and whatever the filter and the order ask about. */
  from: SQL
  where: SQL
  /** What a list with an index of its own for each order is narrowed to, and whether an index finds what it is narrowed to. */
  narrowed?: { filter: SQL | undefined; isIndexed: boolean }
  order: Order
  /** The alias again, and what is joined to it for the rows of a page alone. */
  joined?: SQL
  /** A known total instead of counting, and where it stands; without a row there, the list is not found. */
  counter?: { total: SQL | undefined; from: SQL }
  /** What is shown when nothing has the words that were looked for: what comes nearest to them under the other conditions. */
  similar?: Pick<SearchedColumn, 'id' | 'column'> & { text: string | undefined; where: SQL }
}

type ListPageRequest = { query: ListQuery; request: FastifyRequest }
type Found<Row extends z.ZodMiniObject> = { n: number; found: (z.infer<Row> & Sorted)[]; picked?: number }

/** A page of a list as the contract has it, but for what its rows are shown as. */
export async function readList<Row extends z.ZodMiniObject>(
  tx: Tx,
  { query, request, ...list }: List<Row> & ListPageRequest,
) {
  const { narrowed, counter, similar } = list
  const read = narrowed && (narrowed.filter || query.offset > 0) ? readPicked : readAtOnce
  const { n, ...page } = await read(tx, list, query)
  if (n === 0 && similar?.text) {
    const near = await nearRows(tx, list, { ...similar, text: similar.text, most: query.limit })
    if (near.length > 0) return approximatePage(query, near)
  }
  return pageOf({ request, query, total: { n, counted: counter?.total === undefined }, ...page })
}

const everyOf = ({ where, narrowed }: List<z.ZodMiniObject>) => all([where, narrowed?.filter])

/** Two statements in one flush. */
async function readAtOnce<Row extends z.ZodMiniObject>(
  tx: Tx,
  list: List<Row>,
  query: ListQuery,
): Promise<Found<Row>> {
  const { beyond, by, slice } = cutOf(list.order, query)
  const [counted, found] = await together(
    row(tx, Count, sql`select ${totalOf(list)} as n ${placeOf(list)}`),
    rows(tx, sorted(list.Row), statement(list, { where: all([everyOf(list), beyond]), by, slice })),
  )
  if (!counted) throw refuse('not_found')
  return { n: counted.n, found }
}

const totalOf = (list: List<z.ZodMiniObject>): SQL =>
  list.counter?.total ?? countOf(sql`${list.from} where ${everyOf(list)}`)

const placeOf = ({ counter }: List<z.ZodMiniObject>): SQL => (counter ? sql`from ${counter.from}` : sql``)

const Picked = z.object({ n: z.number(), ids: z.array(z.string()) })

/**
 * The ids of a page first, by a short statement that is planned for what is asked, and then its rows, by one that is planned once. So
 * rows that are passed over are not read, and what is long to plan is not planned again.
 */
async function readPicked<Row extends z.ZodMiniObject>(
  tx: Tx,
  list: List<Row>,
  query: ListQuery,
): Promise<Found<Row>> {
  const read = async ({ n, ids }: z.infer<typeof Picked>) => {
    return { n, found: await rowsOf(tx, list, ids), picked: ids.length }
  }
  if (!list.narrowed?.isIndexed) return read(await picked(tx, inOrder(list, query, totalOf(list))))
  const found = await picked(tx, fromFound(list, query, sql`limit ${countLimit + 1}`))
  if (found.n <= countLimit) return read(found)
  const met = await picked(tx, inOrder(walked(list, query), query, sql`${found.n}::int`))
  return read(met.ids.length > query.limit ? met : await picked(tx, fromFound(list, query, sql``)))
}

async function picked(tx: Tx, statement: SQL): Promise<z.infer<typeof Picked>> {
  const one = await row(tx, Picked, sql`${sql.raw(forItsValues)} ${statement}`)
  if (!one) throw refuse('not_found')
  return one
}

function inOrder(list: List<z.ZodMiniObject>, query: ListQuery, total: SQL): SQL {
  const { from, order } = list
  const { beyond, by, slice } = cutOf(order, query)
  const page = sql`select ${order.id} from ${from} where ${all([everyOf(list), beyond])} order by ${by} ${slice}`
  return sql`select ${total} as n, array(${page}) as ids ${placeOf(list)}`
}

/** Of what very many have, a page is soon met among these; if not, all that have it stand further behind. */
const longestWalk = 10_000

/** The list as if it ended there, in its order. */
function walked<Row extends z.ZodMiniObject>(list: List<Row>, query: ListQuery): List<Row> {
  const { beyond, by } = cutOf(list.order, query)
  const first = sql`select * from ${list.from} where ${all([list.where, beyond])}
    order by ${by} limit ${longestWalk + query.offset}`
  return { ...list, from: sql`(${first}) ${list.joined ?? sql``}` }
}

/** What the index finds is read once, for the total and for the page. */
function fromFound(list: List<z.ZodMiniObject>, query: ListQuery, most: SQL): SQL {
  const { from, order } = list
  const { beyond, by, slice } = cutOf({ ...order, by: sql`f.sorted_by`, id: sql`f.id` }, query)
  const page = sql`select f.id from found f where ${all([beyond])} order by ${by} ${slice}`
  return sql`with found as materialized (
      select ${order.id} as id, ${order.by} as sorted_by from ${from} where ${everyOf(list)} ${most})
    select (select count(*)::int from found) as n, array(${page}) as ids ${placeOf(list)}`
}

/** In the order of the ids. Fetched by these before anything else is asked, few rows are read whatever a plan for any values expects. */
async function rowsOf<Row extends z.ZodMiniObject>(tx: Tx, list: List<Row>, ids: readonly string[]) {
  const { columns, from, where, order, joined = sql`` } = list
  const these = arrayOf(ids, 'uuid')
  if (ids.length === 0) return []
  return rows(
    tx,
    sorted(list.Row),
    sql`with these as materialized (select * from ${from} where ${order.id} = any(${these}))
      select ${columns}, ${keyOf(order)} as key from these ${joined} where ${where} order by array_position(${these}, ${order.id})`,
  )
}

export type Stretch = { after: string | undefined; limit: number }

/** Rows of the same list behind a position, for a file that is written piece by piece. */
export function readStretch<Row extends z.ZodMiniObject>(tx: Tx, list: List<Row>, { after, limit }: Stretch) {
  const where = all([everyOf(list), after !== undefined && behind(list.order, after)])
  const cut = { where, by: orderBy(list.order), slice: sql`limit ${limit}` }
  return rows(tx, sorted(list.Row), statement(list, cut))
}

type Near = Pick<SearchedColumn, 'id' | 'column'> & { text: string; where: SQL; most: number }

async function nearRows<Row extends z.ZodMiniObject>(tx: Tx, list: List<Row>, { where, ...near }: Near) {
  const ids = await nearest(tx, { ...near, from: sql`${list.from} where ${where}` })
  const these = arrayOf(ids, 'uuid')
  const cut = {
    where: sql`${where} and ${near.id} = any(${these})`,
    by: sql`array_position(${these}, ${near.id})`,
    slice: sql``,
  }
  return ids.length === 0 ? [] : rows(tx, sorted(list.Row), statement(list, cut))
}

type Cut = { where: SQL; by: SQL; slice: SQL }

function statement({ columns, from, order, joined }: List<z.ZodMiniObject>, { where, by, slice }: Cut): SQL {
  const shown = sql`select ${columns}, ${keyOf(order)} as key`
  const cut = sql`from ${from} where ${where} order by ${by} ${slice}`
  return joined ? sql`${shown} from (select * ${cut}) ${joined} order by ${by}` : sql`${shown} ${cut}`
}

const known = new WeakMap<z.ZodMiniObject, z.ZodMiniObject>()

/** The same row with the key that it is sorted by; made once for each list, as it is compared in tests alone. */
function sorted<Row extends z.ZodMiniObject>(schema: Row): z.ZodMiniType<z.infer<Row> & Sorted> {
  const made = known.get(schema) ?? z.extend(schema, { key: z.string() })
  known.set(schema, made)
  return made as unknown as z.ZodMiniType<z.infer<Row> & Sorted>
}
