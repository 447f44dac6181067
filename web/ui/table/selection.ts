/**
 * Which rows of a list are selected, over all of its pages: some by their ids, or all that the list finds but a few. `anchor` is the
 * row from which a range goes on.
 */
export type Selection = { isAll: boolean; ids: ReadonlySet<string>; anchor: string | undefined }

export const nothingSelected: Selection = { isAll: false, ids: new Set(), anchor: undefined }
export const everythingSelected: Selection = { isAll: true, ids: new Set(), anchor: undefined }

/** The server takes no longer list of ids. */
export const mostIds = 1_000

export function isSelected({ isAll, ids }: Selection, id: string): boolean {
  return ids.has(id) !== isAll
}

/** `total`: how many the list finds. */
export function countSelected({ isAll, ids }: Selection, total: number): number {
  return isAll ? Math.max(0, total - ids.size) : ids.size
}

export function select(selection: Selection, wanted: readonly string[], isOn: boolean): Selection {
  const ids = new Set(selection.ids)
  for (const id of wanted) {
    if (isOn === selection.isAll) ids.delete(id)
    else ids.add(id)
  }
  return { ...selection, ids }
}

/** A press on one row; with shift it takes all rows of the page from the last pressed one along. */
export function press(
  selection: Selection,
  { id, isOn, page, isRange }: { id: string; isOn: boolean; page: readonly string[]; isRange: boolean },
): Selection {
  const [from, to] = [page.indexOf(selection.anchor ?? ''), page.indexOf(id)]
  const wanted = isRange && from >= 0 ? page.slice(Math.min(from, to), Math.max(from, to) + 1) : [id]
  return { ...select(selection, wanted, isOn), anchor: id }
}

export function stateOfPage(selection: Selection, page: readonly string[]): 'none' | 'some' | 'all' {
  const count = page.filter((id) => isSelected(selection, id)).length
  if (count === 0) return 'none'
  return count === page.length ? 'all' : 'some'
}
