/** Spreadsheets run what begins like a formula; an apostrophe in front makes it text. */
const formula = /^[\s]*[=+\-@\t\r\n]/

/** One line of RFC 4180. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number | null): string {
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
