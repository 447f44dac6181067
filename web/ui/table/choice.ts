import { useSyncExternalStore } from 'react'

export const densities = ['compact', 'normal', 'wide'] as const
export type Density = (typeof densities)[number]

/** What somebody changed about the columns of one table: their order, and which are left out. */
export type ColumnChoice = { order: readonly string[]; hidden: readonly string[] }
type Choice = { density: Density; columns: Readonly<Record<string, ColumnChoice>> }

const storageKey = 'tables'
const nothing: Choice = { density: 'normal', columns: {} }
export const unchanged: ColumnChoice = { order: [], hidden: [] }

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
      columns: Object.fromEntries(columns),
    }
  } catch {
    return nothing
  }
}

function read(): Choice {
  try {
    return fromStorage(localStorage.getItem(storageKey))
  } catch {
    return nothing
  }
}

let choice: Choice | undefined
const listeners = new Set<() => void>()
const present = (): Choice => (choice ??= read())

function show(next: Choice): void {
  choice = next
  for (const listener of listeners) listener()
}

function save(next: Choice): void {
  show(next)
  try {
    localStorage.setItem(storageKey, JSON.stringify(next))
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
}

function follow(event: StorageEvent): void {
  if (event.key === storageKey || event.key === null) show(read())
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', follow)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('storage', follow)
  }
}

/** How tables look in this browser: the density of all, and the columns of each. */
export const tables = {
  setDensity: (density: Density): void => save({ ...present(), density }),
  setColumns: (table: string, columns: ColumnChoice): void =>
    save({ ...present(), columns: { ...present().columns, [table]: columns } }),
  reset: (table: string): void => {
    const { [table]: _dropped, ...columns } = present().columns
    save({ density: nothing.density, columns })
  },
}

export function useTableChoice(table: string | undefined): { density: Density; columns: ColumnChoice } {
  const { density, columns } = useSyncExternalStore(subscribe, present)
  return { density, columns: (table === undefined ? undefined : columns[table]) ?? unchanged }
}

type Keyed = { key: string; isName?: boolean }

/** All columns in the chosen order: what names the row first, and columns that are new since the choice at the end. */
export function inOrder<C extends Keyed>(columns: readonly C[], { order }: ColumnChoice): readonly C[] {
  if (order.length === 0) return columns
  const place = ({ key, isName = false }: C) => {
    const index = order.indexOf(key)
    return isName ? -1 : index < 0 ? order.length : index
  }
  return columns.toSorted((one, other) => place(one) - place(other))
}

/** The columns that are shown. */
export function shown<C extends Keyed>(columns: readonly C[], choice: ColumnChoice): readonly C[] {
  return inOrder(columns, choice).filter(({ key, isName }) => isName || !choice.hidden.includes(key))
}
