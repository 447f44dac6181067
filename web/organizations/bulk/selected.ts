import type { Selection as Wanted } from '#contract/bulk.ts'
import type { Selection } from '../../ui/table/selection.ts'

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

/** Groups or organizations, as the API takes them. */
export function wantedOf(
  { isAll, ids }: Selection,
  filter: { q?: string | undefined },
  expected: number,
): Wanted {
  return isAll ? { filter, exceptIds: [...ids], expected } : { ids: [...ids] }
}
