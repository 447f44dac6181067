import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { refuse } from '../platform/errors.ts'
import { fairSemaphore } from '../platform/fair-semaphore.ts'

type ThreadAnswer = { data: Uint8Array } | { fault: string }

/** `file`: what the thread runs. `maxMegabytes`: a thread that needs more ends, and its file with it; nothing else does. */
type Options = { file: URL; waitingAtMost: number; maxMegabytes: number }

/** A thread that nobody has needed for so long is given back, with the fonts that it keeps. */
const idleMs = 60_000

/**
 * Makes files in a thread of its own: nobody else's request waits for that. One at a time, and what goes into a file is read when its
 * turn comes, so that only one of them is in memory; refuses when too many wait.
 */
export function makerOf<Order>({ file, waitingAtMost, maxMegabytes }: Options) {
  const tooMany = () => refuse('too_many_requests', { retryAfter: 10 })
  const turns = fairSemaphore({ places: 1, waitingAtMost, tooMany })
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): Worker {
    const started = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } })
    const forget = () => {
      if (worker === started) worker = undefined
    }
    return started.on('error', forget).on('exit', forget)
  }

  return async (prepare: () => Promise<Order>): Promise<Uint8Array> => {
    const leave = await turns.take()
    clearTimeout(idle)
    try {
      const order = await prepare()
      worker ??= start()
      worker.ref()
      worker.postMessage(order, [])
      return await answerOf(worker)
    } finally {
      // An idle thread keeps no process alive.
      worker?.unref()
      idle = setTimeout(() => {
        void worker?.terminate()
        worker = undefined
      }, idleMs).unref()
      leave()
    }
  }
}

/** Its next answer; rejects when the thread fails or ends instead. */
async function answerOf(worker: Worker): Promise<Uint8Array> {
  const answered = new AbortController()
  const { signal } = answered
  const ended = once(worker, 'exit', { signal }).then(() => {
    throw new Error('the thread has ended')
  })
  try {
    const [answer]: ThreadAnswer[] = await Promise.race([once(worker, 'message', { signal }), ended])
    if (!answer || 'fault' in answer) throw new Error(answer?.fault)
    return answer.data
  } finally {
    answered.abort()
  }
}
