import type { Selection } from '#web/ui/table/selection.ts'

/** What every list hands to its bar. */
export type BarProps = {
  selection: Selection
  onSelect: (next: Selection) => void
  total: number
  totalIsMinimum?: boolean | undefined
}

/** As text can say it. */
export function selectionOf({ isAll, ids }: Selection) {
  return { isAll, ids: [...ids] }
}

/** Whatever is not people, as the API takes it. */
export function wantedOf<Filter extends object>({ isAll, ids }: Selection, filter: Filter, expected: number) {
  return isAll ? { filter, exceptIds: [...ids], expected } : { ids: [...ids] }
}
