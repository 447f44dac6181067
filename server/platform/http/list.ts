import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { arrayOf, row, rows, together, type Tx } from '../db/client.ts'
import { Count } from '../db/rows.ts'
import { all, countOf } from '../db/search.ts'
import { nearest, type SearchedColumn } from '../db/similar.ts'
import { sql, type SQL } from '../db/sql.ts'
import { refuse } from '../errors.ts'
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
  order: Order
  /** The alias again, and what is joined to it for the rows of a page alone. */
  joined?: SQL
  /** A known total instead of counting, and where it stands; without a row there, the list is not found. */
  counter?: { total: SQL | undefined; from: SQL }
  /** What is shown when nothing has the words that were looked for: what comes nearest to them under the other conditions. */
  similar?: Pick<SearchedColumn, 'id' | 'column'> & { text: string | undefined; where: SQL }
}

/** A page of a list as the contract has it, but for what its rows are shown as: two statements in one flush. */
export async function readList<Row extends z.ZodMiniObject>(
  tx: Tx,
  { query, request, ...list }: List<Row> & { query: ListQuery; request: FastifyRequest },
) {
  const { counter, from, where, similar } = list
  const { beyond, by, slice } = cutOf(list.order, query)
  const total = counter?.total ?? countOf(sql`${from} where ${where}`)
  const [counted, found] = await together(
    row(tx, Count, sql`select ${total} as n ${counter ? sql`from ${counter.from}` : sql``}`),
    rows(tx, sorted(list.Row), statement(list, { where: all([where, beyond]), by, slice })),
  )
  if (!counted) throw refuse('not_found')
  if (counted.n === 0 && similar?.text) {
    const near = await nearRows(tx, list, { ...similar, text: similar.text, most: query.limit })
    if (near.length > 0) return approximatePage(query, near)
  }
  const known = { n: counted.n, counted: counter?.total === undefined }
  return pageOf({ request, query, total: known, found })
}

export type Stretch = { after: string | undefined; limit: number }

/** Rows of the same list behind a position, for a file that is written piece by piece. */
export function readStretch<Row extends z.ZodMiniObject>(tx: Tx, list: List<Row>, { after, limit }: Stretch) {
  const where = all([list.where, after !== undefined && behind(list.order, after)])
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
