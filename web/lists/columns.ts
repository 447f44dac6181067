import { shown, type ColumnChoice } from '#web/ui/table/choice.ts'

type Keyed = { key: string; isName?: boolean; isExtra?: boolean }

/** The shown columns in their order, as the address has them; the one that names the row is always there and not said. */
export function columnsText(choice: ColumnChoice, columns: readonly Keyed[]): string {
  const keys = shown(columns, choice).flatMap(({ key, isName }) => (isName ? [] : [key]))
  // An empty text would be left out of the address.
  return keys.length === 0 ? 'none' : keys.join('.')
}

/** The choice behind such a text. Columns that it does not name are not shown. */
export function columnsFrom(text: string, columns: readonly Keyed[]): ColumnChoice {
  const order = text.split('.')
  return { order, hidden: columns.flatMap(({ key }) => (order.includes(key) ? [] : [key])) }
}
