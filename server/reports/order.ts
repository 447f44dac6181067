import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import type { Order } from '../platform/http/keyset.ts'

/** Which rows of a report, in its order. */
export type Cut = { offset: number; limit: number; after?: string | undefined }

/** The key of an order: `-name` is `name` from the other end. */
export function keyOf<Key extends string>(sort: Key | `-${Key}`): Key {
  // What is left of a sort without its sign is a key of the table.
  return (sort.startsWith('-') ? sort.slice(1) : sort) as Key
}

/** The rows of a report are `r`. */
export function orderFrom<Key extends string>(
  table: Record<Key, Pick<Order, 'by' | 'type'>>,
  sort: Key | `-${Key}`,
): Order {
  const { by, type } = table[keyOf(sort)]
  return { by, type, id: sql`r.id`, descending: sort.startsWith('-') }
}

/** The key as text, which is how it travels in the position. */
export function keyText({ by, type }: Order): SQL {
  return type === 'timestamptz' ? isoText(by) : sql`${by}::text`
}
