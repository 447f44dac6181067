import { parentPort } from 'node:worker_threads'
import { drawSheet, type Sheet } from './sheet.ts'

/** Draws sheets in a thread of its own, one after another. See pdf.ts. */
parentPort?.on('message', (sheet: Sheet) => {
  drawSheet(sheet).then(
    (data) => parentPort?.postMessage({ data }, []),
    (error: unknown) => parentPort?.postMessage({ fault: String(error) }, []),
  )
})
