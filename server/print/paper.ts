/** What stands in a cell: text, an instant (ISO 8601), or a number in the unit of its column. */
export type Cell = string | number | null

/**
 * What a column holds. `share`: 0 to 1. `percent`: 0 to 100. `time` and `clock`: milliseconds, told as a duration or as players show
 * a length. `instant`: ISO 8601, UTC.
 */
export type ColumnKind = 'text' | 'count' | 'share' | 'percent' | 'time' | 'clock' | 'instant'

export type Column = {
  name: string
  as: ColumnKind
  /** What an empty cell means where that is not simply nothing: "Not shown". */
  none?: string
}
