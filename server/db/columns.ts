import { customType, sql, timestamp, uuid } from './drizzle.ts'

export const id = () =>
  uuid()
    .primaryKey()
    .default(sql`uuidv7()`)
/** Milliseconds, so that a Date loses nothing and an ETag or a keyset may be made of it. */
export const instant = () => timestamp({ withTimezone: true, mode: 'date', precision: 3 })
export const createdAt = () => instant().notNull().defaultNow()
export const updatedAt = () => instant().notNull().defaultNow()

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Sorted, disjoint [start, end) pairs of media milliseconds. */
export type Ranges = [number, number][]

/** `int4multirange`: PostgreSQL merges and measures coverage itself. */
export const ranges = customType<{ data: Ranges; driverData: string }>({
  dataType: () => 'int4multirange',
  toDriver: (value) => `{${value.map(([start, end]) => `[${start},${end})`).join(',')}}`,
  fromDriver: parseRanges,
})

export function parseRanges(text: string): Ranges {
  return [...text.matchAll(/\[(\d+),(\d+)\)/g)].map((match) => [Number(match[1]), Number(match[2])])
}
