import type { Ranges } from '#server/platform/db/multirange.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** A column of each type holds such a value. `ms` is an instant, as epoch milliseconds. */
type Values = {
  uuid: string
  text: string
  int: number
  bigint: number
  float8: number
  bool: boolean
  ms: number
  int4multirange: Ranges
  'int[]': Ranges
  jsonb: string
}
type ListType = keyof Values
type Value = Values[ListType] | null

/** The keys are properties, and the values the types of their columns; `startedAt` stands for `started_at`. */
export type ListTypes = Readonly<Record<string, ListType>>

const columnOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the columns of these properties, in their order. */
export const columnsOf = (types: ListTypes): SQL => sql.raw(Object.keys(types).map(columnOf).join(', '))

/** This expression gives an instant as epoch milliseconds. Columns hold whole ones, so what the conversion adds to them is rounded away. */
export const epochMs = (column: string) => `round(date_part('epoch', ${column}) * 1000)`

const readers: Partial<Record<ListType, (column: string) => string>> = {
  ms: epochMs,
  bigint: (column) => `${column}::float8`,
  int4multirange: (column) => `${column}::text`,
}

/** Returns the same columns, to be selected under the names of their properties. Ranges are read as text. */
export function selected(types: ListTypes): SQL {
  const columns = Object.entries(types).map(
    ([name, type]) => `${readers[type]?.(columnOf(name)) ?? columnOf(name)} as "${name}"`,
  )
  return sql.raw(columns.join(', '))
}

/** A type that cannot be in an array travels as the type beside it. */
const carriers: Partial<Record<ListType, string>> = { ms: 'float8', 'int[]': 'text', jsonb: 'text' }

/**
 * Turns many rows into one array for each column, to stand behind FROM; the caller adds `as`. The database takes arrays apart several times
 * as fast as JSON, and the statement stays the same however many rows there are.
 */
export function listed<Types extends ListTypes>(
  list: readonly { [Name in keyof Types]: Values[Types[Name]] | null }[],
  types: Types,
): SQL {
  const columns = Object.entries(types) as [keyof Types & string, ListType][]
  const arrays = columns.map(([name, type]) => {
    const texts = list.map((one) => textOf(one[name], type))
    return sql`${sql.param(`{${texts.join(',')}}`)}::${sql.raw(carriers[type] ?? type)}[]`
  })
  const read = columns.map(([name, type]) => {
    const column = columnOf(name)
    if (!(type in carriers)) return column
    return `${type === 'ms' ? `to_timestamp(${column} / 1000)` : `${column}::${type}`} as ${column}`
  })
  return sql`(select ${sql.raw(read.join(', '))} from unnest(${sql.join(arrays, sql`, `)}) as g(${columnsOf(types)}))`
}

/** Writes a value as it stands within the text of an array. */
function textOf(value: Value, type: ListType): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return String(type === 'ms' ? Math.round(value) : value)
  if (typeof value === 'boolean' || type === 'uuid') return String(value)
  if (typeof value === 'string') return quoted(value)
  const [open, close] = type === 'int[]' ? ['{', '}'] : ['[', ')']
  return quoted(`{${value.map(([from, to]) => `${open}${from},${to}${close}`).join(',')}}`)
}

function quoted(text: string): string {
  return `"${/[\\"]/.test(text) ? text.replaceAll(/[\\"]/g, String.raw`\$&`) : text}"`
}
