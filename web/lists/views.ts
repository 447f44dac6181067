import type { View } from '#contract/directory/views.ts'
import { tables, usual, type Look } from '#web/ui/table/choice.ts'
import { columnsText } from './columns.ts'

/** What a view does not keep: the page one is on, the tab of the list, what is open over it, which view it is, the version of one video. */
const left = new Set(['offset', 'after', 'before', 'view', 'tab', 'dialog', 'cell', 'version'])

/** What a view keeps of an address. */
export function keptOf(search: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) =>
      left.has(key) || value === undefined || value === '' ? [] : [[key, String(value)]],
    ),
  )
}

type Keyed = { key: string; isName?: boolean; isExtra?: boolean }
export type DrawnTable = { columns: readonly Keyed[]; look: Look }
export type ViewContent = {
  /** Where it is a table whose columns are chosen. */
  drawn?: DrawnTable | undefined
  /** What the address leaves out because it is usual, and a view says all the same: the usual may change. */
  unsaid?: Readonly<Record<string, string>> | undefined
}

/** The same with what the address leaves to this browser, so that others see what its owner saw. */
export function wholeOf(search: object, { drawn, unsaid }: ViewContent): Record<string, string> {
  if (!drawn) return { ...unsaid, ...keptOf(search) }
  const { columns, look } = drawn
  const rows = tables.rows()
  return {
    ...unsaid,
    ...(look.density === usual.density ? {} : { density: look.density }),
    ...(look.columns === usual.columns ? {} : { cols: columnsText(look.columns, columns) }),
    ...(rows === 25 ? {} : { rows: String(rows) }),
    ...keptOf(search),
  }
}

/** What the address says once the view is open; the tab of the page stays. */
export function searchOf(
  view: Pick<View, 'id' | 'search'>,
  present: object,
): Record<string, string | number> {
  const tab = 'tab' in present && typeof present.tab === 'string' ? { tab: present.tab } : {}
  const { rows, ...others } = view.search
  return { ...tab, ...others, ...(rows === undefined ? {} : { rows: Number(rows) }), view: view.id }
}

/** Whether the list shows something else by now than the view. */
export function isChanged({ search }: View, present: object): boolean {
  const now = keptOf(present)
  const keys = new Set([...Object.keys(now), ...Object.keys(search)])
  return [...keys].some((key) => now[key] !== search[key])
}
