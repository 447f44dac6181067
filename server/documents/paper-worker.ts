import { parentPort } from 'node:worker_threads'
import { pagesOf } from './pages/pages.ts'
import type { Paper } from './paper.ts'
import { workbookOf } from './workbook.ts'

export type PaperOrder = { format: 'xlsx' | 'pdf'; paper: Paper }

/** Makes one file after another in a thread of its own. See files.ts. */
parentPort?.on('message', ({ format, paper }: PaperOrder) => {
  const made = format === 'xlsx' ? workbookOf(paper) : pagesOf(paper)
  made.then(
    (data) => parentPort?.postMessage({ data }, []),
    (error: unknown) => parentPort?.postMessage({ fault: String(error) }, []),
  )
})
