import { cellText } from '#contract/csv.ts'

/** A mark by which spreadsheets know UTF-8. */
export const utf8Mark = '\uFEFF'

export type Cell = string | number | null
type Cells = readonly Cell[]

/** One line of RFC 4180. */
export function csvLine(cells: Cells, delimiter = ','): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`
}

/** A table as a file in pieces; `read` gives rows behind a position, and the position behind them, undefined for the last ones. */
export async function* csvPieces(
  header: Cells,
  read: (after: string | undefined) => Promise<{ rows: readonly Cells[]; after: string | undefined }>,
): AsyncGenerator<string> {
  yield utf8Mark + csvLine(header)
  let after: string | undefined
  do {
    const found = await read(after)
    yield found.rows.map((cells) => csvLine(cells)).join('')
    after = found.after
  } while (after !== undefined)
}

function csvCell(value: Cell, delimiter: string): string {
  const text = typeof value === 'string' ? cellText(value) : String(value ?? '')
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
}
