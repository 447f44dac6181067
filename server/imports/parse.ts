import { delimiters, type Delimiter } from '#contract/imports/imports.ts'
import type { Reason } from '#contract/platform/reasons.ts'
import { refuse, type Refusal } from '../platform/errors.ts'
import { cut } from '#contract/platform/text/text.ts'

/** One line of the file: a record may go over several lines of text. */
type CsvRecord = {
  cells: string[]
  /** As a spreadsheet numbers it, from 1: rows without a letter count there too. */
  row: number
}

/** The file is no table, or too large a one. */
export const unreadable = (reason: Reason): Refusal =>
  refuse('validation_failed', { reason, fields: { content: ['invalid'] } })

/**
 * Records of RFC 4180, one after another, so that a long file can be read with pauses. Lines end with CRLF, LF or CR. A quote that
 * opens a cell has to be closed; anywhere else it is a letter like any other. Rows without a letter, of delimiters alone too, are none.
 */
export function* parseCsv(text: string, delimiter: Delimiter): Generator<CsvRecord> {
  let at = 0
  let line = 1
  for (let row = 1; at < text.length; row += 1) {
    const cells: string[] = []
    let ended = false
    while (!ended) {
      const cell = text[at] === '"' ? quoted(text, at, delimiter) : plain(text, at, delimiter)
      if (!cell) throw unreadable({ code: 'quote_not_closed', params: { line } })
      cells.push(cell.value)
      line += cell.lines
      at = cell.end
      ended = text[at] !== delimiter
      if (!ended) at += 1
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1
    at += 1
    line += 1
    if (cells.some((cell) => cell.trim() !== '')) yield { cells, row }
  }
}

/** `end`: where the delimiter, the end of the line or of the file is. */
type Cell = { value: string; end: number; lines: number }

function plain(text: string, from: number, delimiter: string): Cell {
  let end = from
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { value: text.slice(from, end), end, lines: 0 }
}

function quoted(text: string, from: number, delimiter: string): Cell | undefined {
  let end = from + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end < 0) return undefined
    if (text[end + 1] !== '"') break
    end += 2
  }
  const inside = text.slice(from + 1, end).replaceAll('""', '"')
  // What stands between the closing quote and the delimiter belongs to the cell, as spreadsheets read it.
  const tail = plain(text, end + 1, delimiter)
  return { value: inside + tail.value.trimEnd(), end: tail.end, lines: inside.split(/\r\n|\r|\n/).length - 1 }
}

type Head = { text: string; delimiter: Delimiter | undefined }

/** Takes away the mark of UTF-8, what no text holds, and Excel's first line `sep=;`, which says what the delimiter is. */
export function readHead(given: string): Head {
  const text = given
    .replace(/^\uFEFF/, '')
    .replaceAll(/[\p{Cc}--[\t\n\r]]/gv, '')
    .toWellFormed()
  const said = /^"?sep=(.)"?(?:\r\n|\r|\n)/i.exec(text)
  const delimiter = delimiters.find((one) => one === said?.[1])
  return { text: delimiter && said ? text.slice(said[0].length) : text, delimiter }
}

/** Lines that are looked at to find the delimiter. */
const looked = 20

/** The one that cuts the first lines into the same number of cells most often; of several the one that gives more cells. */
export function guessDelimiter(text: string): Delimiter {
  const start = cut(text, 100_000)
  const scores = delimiters.map((delimiter) => ({ delimiter, score: scoreOf(start, delimiter) }))
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).delimiter
}

function scoreOf(text: string, delimiter: Delimiter): number {
  const widths: number[] = []
  try {
    for (const { cells } of parseCsv(text, delimiter)) {
      widths.push(cells.length)
      if (widths.length === looked) break
    }
  } catch {
    // A cell that is cut off by the end of what is looked at.
  }
  const [first = 1] = widths
  if (first === 1) return 0
  return widths.filter((width) => width === first).length / widths.length + Math.min(first, 50) / 1_000
}
