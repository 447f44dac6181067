import { useSyncExternalStore } from 'react'
import { keep } from '../browser/persisted.ts'

export const densities = ['compact', 'normal', 'wide'] as const
export type Density = (typeof densities)[number]

/** What somebody changed about the columns of one table: their order, and which are left out. */
export type ColumnChoice = { order: readonly string[]; hidden: readonly string[] }
/** How a table is drawn. */
export type Look = { density: Density; columns: ColumnChoice }
/** Rows of a page. */
export const pageSizes = [25, 50, 100] as const
export type PageSize = (typeof pageSizes)[number]
type Choice = { density: Density; rows: PageSize; columns: Readonly<Record<string, ColumnChoice>> }

const nothing: Choice = { density: 'normal', rows: 25, columns: {} }
export const unchanged: ColumnChoice = { order: [], hidden: [] }
export const usual: Look = { density: nothing.density, columns: unchanged }

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** What is stored, as far as it makes sense. */
export function fromStorage(text: string | null): Choice {
  try {
    const given = record(text === null ? null : JSON.parse(text))
    const columns = Object.entries(record(given['columns'])).map(([table, value]) => {
      const { order, hidden } = record(value)
      return [table, { order: words(order), hidden: words(hidden) }] as const
    })
    return {
      density: densities.find((one) => one === given['density']) ?? nothing.density,
      rows: pageSizes.find((one) => one === given['rows']) ?? nothing.rows,
      columns: Object.fromEntries(columns),
    }
  } catch {
    return nothing
  }
}

const stored = keep<Choice>('tables', { parse: fromStorage, format: JSON.stringify })

/** How tables look in this browser: the density and the rows on a page of all, and the columns of each. */
export const tables = {
  rows: (): PageSize => stored.read().rows,
  setRows: (rows: PageSize): void => stored.save({ ...stored.read(), rows }),
  setDensity: (density: Density): void => stored.save({ ...stored.read(), density }),
  setColumns: (table: string, columns: ColumnChoice): void =>
    stored.save({ ...stored.read(), columns: { ...stored.read().columns, [table]: columns } }),
  reset: (table: string): void => {
    const { [table]: _dropped, ...columns } = stored.read().columns
    stored.save({ ...stored.read(), density: nothing.density, columns })
  },
}

export function useTableChoice(table: string | undefined): Look & { rows: PageSize } {
  const { density, rows, columns } = useSyncExternalStore(stored.subscribe, stored.read)
  return { density, rows, columns: (table === undefined ? undefined : columns[table]) ?? unchanged }
}

type Keyed = { key: string; isName?: boolean; isExtra?: boolean }

/** All columns in the chosen order: what names the row first, and columns that are new since the choice at the end. */
export function inOrder<C extends Keyed>(columns: readonly C[], { order }: ColumnChoice): readonly C[] {
  if (order.length === 0) return columns
  const place = ({ key, isName = false }: C) => {
    const index = order.indexOf(key)
    return isName ? -1 : index < 0 ? order.length : index
  }
  return columns.toSorted((one, other) => place(one) - place(other))
}

/** Whether somebody has chosen which columns there are. */
export const isChosen = ({ order }: ColumnChoice): boolean => order.length > 0

/** The columns that are shown. */
export function shown<C extends Keyed>(columns: readonly C[], choice: ColumnChoice): readonly C[] {
  const isShown = ({ key, isName, isExtra }: C) =>
    isName || (!choice.hidden.includes(key) && (!isExtra || choice.order.includes(key)))
  return inOrder(columns, choice).filter(isShown)
}
