import type { Paper } from './paper.ts'
import type { PaperOrder } from './paper-worker.ts'
import { makerOf } from './thread.ts'

const make = makerOf<PaperOrder>({
  file: new URL('paper-worker.ts', import.meta.url),
  waitingAtMost: 20,
  maxMegabytes: 512,
})

export const fileTypes = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
} as const

/** The content of a workbook or of pages; `read` is asked when its turn has come. */
export async function* paperFile(
  format: PaperOrder['format'],
  read: () => Promise<Paper>,
): AsyncGenerator<Uint8Array> {
  yield await make(async () => ({ format, paper: await read() }))
}
