/**
 * With what spreadsheets take a text for a formula, and run it: the signs in every width and height that they read as the same ones,
 * behind blanks and what nobody sees.
 */
const formula = String.raw`[\s\p{Cc}\p{Cf}]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u207A-\u207C\u208A-\u208C\u2212]`

const runs = new RegExp(`^'*${formula}`, 'u')
const marked = new RegExp(`^'+${formula}`, 'u')

/** An apostrophe in front makes it text. One more where there is one already, so that none is lost on the way back. */
export const cellText = (text: string): string => (runs.test(text) ? `'${text}` : text)

/** The text of a cell that was written by `cellText`, or by anybody else who marks formulas. */
export const readCell = (cell: string): string => (marked.test(cell) ? cell.slice(1) : cell)

/** Several names in one cell. Quotes around one that has a divider or a quote in it, so that `readListCell` tells it from two. */
export const listCell = (names: readonly string[]): string =>
  names.map((name) => (/["\r\n;|]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join('; ')

/** The names in a cell that was written by `listCell`, or by people, who divide them with semicolons, bars or lines. */
export function readListCell(cell: string): string[] {
  const next = /\s*(?:"((?:[^"]|"")*)"\s*(?=[;|\r\n]|$)|([^;|\r\n]*))(?:[;|\r\n]|$)/y
  const names: string[] = []
  while (next.lastIndex < cell.length) {
    const [, quoted, plain = ''] = next.exec(cell) ?? []
    names.push(quoted?.replaceAll('""', '"') ?? plain.trim())
  }
  return names.filter((name) => name.trim() !== '')
}

/** A mark by which spreadsheets know UTF-8. */
export const utf8Mark = '\uFEFF'

export type Cell = string | number | null
export type Cells = readonly Cell[]

/** One line of RFC 4180. */
export function csvLine(cells: Cells, delimiter = ','): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`
}

function csvCell(value: Cell, delimiter: string): string {
  const text = typeof value === 'string' ? cellText(value) : String(value ?? '')
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
}
