import { sql, type SQL } from '../platform/db/sql.ts'

/** `ms`: an instant in epoch milliseconds. Ranges, arrays and JSON are given as their text. */
type ListType =
  | 'uuid'
  | 'text'
  | 'int'
  | 'bigint'
  | 'float8'
  | 'bool'
  | 'ms'
  | 'int4multirange'
  | 'int[]'
  | 'jsonb'
export type ListTypes = Record<string, ListType>
type Value = string | number | boolean | null

/** How it travels, where an array of the type itself is not possible. */
const carriers: Partial<Record<ListType, string>> = { ms: 'float8', 'int[]': 'text', jsonb: 'text' }
const quoted: ReadonlySet<ListType> = new Set(['text', 'int4multirange', 'int[]', 'jsonb'])

/**
 * Many rows as one array for each column, to stand behind FROM; `as` is the caller's. The database takes arrays apart several times
 * as fast as JSON, and the statement stays the same however many rows there are.
 */
export function listed<Column extends string>(
  list: readonly Record<NoInfer<Column>, Value>[],
  types: Record<Column, ListType>,
): SQL {
  const columns = Object.entries<ListType>(types) as [Column, ListType][]
  const arrays = columns.map(
    ([column, type]) =>
      sql`${sql.param(arrayText(list, column, type))}::${sql.raw(carriers[type] ?? type)}[]`,
  )
  const selected = columns.map(([column, type]) =>
    type in carriers ? `${cast(column, type)} as ${column}` : column,
  )
  const names = columns.map(([column]) => column)
  return sql`(select ${sql.raw(selected.join(', '))} from unnest(${sql.join(arrays, sql`, `)}) as g(${sql.raw(names.join(', '))}))`
}

function cast(column: string, type: ListType): string {
  return type === 'ms' ? `to_timestamp(${column} / 1000)` : `${column}::${type}`
}

function arrayText<Column extends string>(
  list: readonly Record<Column, Value>[],
  column: Column,
  type: ListType,
): string {
  const textOf = quoted.has(type) ? quote : type === 'ms' ? whole : String
  let text = ''
  for (const { [column]: value } of list) {
    if (text !== '') text += ','
    text += value === null ? 'null' : textOf(value)
  }
  return `{${text}}`
}

const whole = (value: Value) => String(Math.round(Number(value)))

function quote(value: Value): string {
  const text = String(value)
  return `"${/[\\"]/.test(text) ? text.replaceAll(/[\\"]/g, String.raw`\$&`) : text}"`
}
