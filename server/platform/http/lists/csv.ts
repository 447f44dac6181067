import { csvLine, utf8Mark, type Cells } from '#contract/platform/csv.ts'

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
