import { sql, type SQL } from '../db/drizzle.ts'
import { isoText } from '../db/search.ts'
import type { Order } from '../http/keyset.ts'

/** The rows of a report are `r`; `-name` is `name` from the other end. */
export function orderFrom<Key extends string>(
  table: Record<Key, Pick<Order, 'by' | 'type'>>,
  sort: Key | `-${Key}`,
): Order {
  const descending = sort.startsWith('-')
  // What is left of a sort without its sign is a key of the table.
  const { by, type } = table[(descending ? sort.slice(1) : sort) as Key]
  return { by, type, id: sql`r.id`, descending }
}

/** The key as text, which is how it travels in the position. */
export function keyText({ by, type }: Order): SQL {
  return type === 'timestamptz' ? isoText(by) : sql`${by}::text`
}
