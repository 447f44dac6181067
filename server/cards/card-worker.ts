import { parentPort } from 'node:worker_threads'
import { drawCards, type Cards } from './sheet.ts'

/** Draws the cards of one order after another in a thread of its own. See server/documents/thread.ts. */
parentPort?.on('message', (order: Cards) => {
  drawCards(order).then(
    (data) => parentPort?.postMessage({ data }, []),
    (error: unknown) => parentPort?.postMessage({ fault: String(error) }, []),
  )
})
