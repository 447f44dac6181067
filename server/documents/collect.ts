import { plural } from '#contract/platform/text/format.ts'
import type { Cell } from './paper.ts'

/** Rows in their order, and the position behind them; undefined: these were the last. */
export type Stretch = { rows: Cell[][]; after: string | undefined }

/** The first rows of a table, read a stretch after the other. */
export async function collect(
  read: (after: string | undefined) => Promise<Stretch>,
  limit: number,
): Promise<{ rows: Cell[][]; isCut: boolean }> {
  const rows: Cell[][] = []
  let after: string | undefined
  do {
    const found = await read(after)
    for (const row of found.rows) rows.push(row)
    after = found.after
  } while (after !== undefined && rows.length < limit)
  return { rows: rows.slice(0, limit), isCut: after !== undefined || rows.length > limit }
}

/** Said where a table was cut. */
export const cutText = (count: number): string =>
  `These are the first ${plural(count, 'row')} in this order; there are more. The CSV file has all of them.`
