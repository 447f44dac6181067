import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { sql, type SQL } from '../../db/sql.ts'
import { countLimit, isoText } from '../../db/search.ts'
import { refuse } from '../../errors.ts'
import { isInTime, storable } from '#contract/platform/text/text.ts'
import { decodeCursor, encodeCursor, pathAt } from './paging.ts'

/** What a list is sorted by. Ties are settled by `id`, so that a position in the list is never ambiguous. */
export type Order = Key & { id: SQL; descending: boolean }
type Key = { by: SQL; type: 'text' | 'timestamptz' | 'float8' | 'uuid' }

/** What a list may be sorted by, under the words of its contract. */
export type Sorts<Sort extends string> = Record<Sort extends `-${infer Name}` ? Name : Sort, Key>

/** A sort of the contract: a word, with a sign before it from the end to the beginning. */
export function orderFrom<Sort extends string>(sort: Sort, sorts: Sorts<Sort>, id: SQL): Order {
  const descending = sort.startsWith('-')
  // What is left of a sort without its sign is a word of the table.
  return { ...sorts[(descending ? sort.slice(1) : sort) as keyof Sorts<Sort>], id, descending }
}

/** The key of what has no instant: it stands before all that have one. */
export const never = '-infinity'

/** A row of a list with the value that it is sorted by, as text. */
export const Sorted = z.object({ id: z.string(), key: z.string() })
export type Sorted = z.infer<typeof Sorted>

/** The value that a row is sorted by, as text. */
export function keyOf({ by, type }: Order): SQL {
  return type === 'timestamptz' ? sql`coalesce(${isoText(by)}, ${never})` : sql`(${by})::text`
}

export type ListQuery = {
  offset: number
  limit: number
  after?: string | undefined
  before?: string | undefined
}

export function orderBy({ by, id, descending }: Order): SQL {
  return descending ? sql`${by} desc, ${id} desc` : sql`${by}, ${id}`
}

/** The condition that a row lies behind the position `after`. */
export function behind(order: Order, after: string): SQL {
  const [key, id] = decodeCursor(after, 2)
  if (!isUuid(id) || !isKey(order.type, key))
    throw refuse('invalid_request', { reason: { code: 'position_invalid' } })
  const value = plainKey(order.type, key)
  const position = sql`(${value}::${sql.raw(order.type)}, ${id}::uuid)`
  return sql`(${order.by}, ${order.id}) ${sql.raw(order.descending ? '<' : '>')} ${position}`
}

const isUuid = (given: unknown): given is string =>
  typeof given === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given)

function isKey(type: Order['type'], key: unknown): key is string {
  if (typeof key !== 'string' || key !== storable(key)) return false
  if (type === 'uuid') return isUuid(key)
  if (type === 'float8') return key.trim() !== '' && Number.isFinite(Number(key))
  if (type === 'timestamptz' && key === never) return true
  if (type === 'text') return true
  const at = new Date(key)
  return !Number.isNaN(at.getTime()) && isInTime(at.toISOString())
}

/** As the database reads it, which knows fewer ways to write a number or an instant. */
function plainKey(type: Order['type'], key: string): string {
  if (type === 'float8') return String(Number(key))
  return type === 'timestamptz' && key !== never ? new Date(key).toISOString() : key
}

/**
 * How a page is cut out of a list: the rows beyond the position that the query names, in the order in which they are read. What
 * stands before a position is read backwards.
 */
export function cutOf(order: Order, query: ListQuery) {
  const read = query.before === undefined ? order : { ...order, descending: !order.descending }
  const position = query.before ?? query.after
  return {
    beyond: position === undefined ? undefined : behind(read, position),
    by: orderBy(read),
    slice: slice({ ...query, after: position }),
  }
}

/** `limit` of one more than asked tells whether there is a next page without another question. */
export function slice({ offset, limit, after }: ListQuery): SQL {
  return sql`limit ${limit + 1} offset ${after === undefined ? offset : 0}`
}

type PageParts<Row extends Sorted> = {
  request: FastifyRequest
  query: ListQuery
  /** `counted` totals stopped at the limit; the others come from a counter and are exact. */
  total: { n: number; counted: boolean }
  found: Row[]
  /** How many there were a moment ago, where some may be gone since. */
  picked?: number
}

/** The list answer of the contract from one row more than the page has. */
export function pageOf<Row extends Sorted>({
  request,
  query,
  total,
  found,
  picked = found.length,
}: PageParts<Row>) {
  const isBackwards = query.before !== undefined
  const cut = found.slice(0, query.limit)
  const shown = isBackwards ? cut.toReversed() : cut
  const isCut = picked > query.limit
  const [first, last] = [shown.at(0), shown.at(-1)]
  const more = isBackwards || isCut ? last : undefined
  const isInside = isBackwards ? isCut : query.after !== undefined || query.offset > 0
  const less = isInside ? first : undefined
  return {
    items: shown,
    total: total.counted ? Math.min(total.n, countLimit) : total.n,
    ...(total.counted && total.n > countLimit ? { totalIsMinimum: true } : {}),
    offset: query.offset,
    limit: query.limit,
    next: more ? pathAt(request.url, { after: encodeCursor([more.key, more.id]) }) : null,
    previous: less ? pathAt(request.url, { before: encodeCursor([less.key, less.id]) }) : null,
  }
}

/** The one page of what comes nearest, when nothing has the words that were looked for. */
export function approximatePage<Row>({ limit }: ListQuery, found: Row[]) {
  return {
    items: found,
    total: found.length,
    offset: 0,
    limit,
    next: null,
    previous: null,
    approximate: true as const,
  }
}
