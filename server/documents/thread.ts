import { Worker } from 'node:worker_threads'
import { refuse } from '../platform/errors.ts'

type ThreadAnswer = { data: Uint8Array } | { fault: string }
type Waiting<Order> = {
  prepare: () => Promise<Order>
  resolve: (data: Uint8Array) => void
  reject: (error: unknown) => void
}

/** `file`: what the thread runs. `maxMegabytes`: a thread that needs more ends, and its file with it; nothing else does. */
type Options = { file: URL; waitingAtMost: number; maxMegabytes: number }

/** A thread that nobody has needed for so long is given back, with the fonts that it keeps. */
const idleMs = 60_000

/**
 * Makes files in a thread of its own: nobody else's request waits for that. One at a time, and what goes into a file is read when its
 * turn comes, so that only one of them is in memory; refuses when too many wait.
 */
export function makerOf<Order>({ file, waitingAtMost, maxMegabytes }: Options) {
  const queue: Waiting<Order>[] = []
  let worker: Worker | undefined
  let busy: Waiting<Order> | undefined
  let idle: NodeJS.Timeout | undefined

  function next(): void {
    if (busy) return
    busy = queue.shift()
    clearTimeout(idle)
    if (!busy) {
      idle = setTimeout(() => void worker?.terminate(), idleMs).unref()
      return
    }
    void begin(busy)
  }

  async function begin(one: Waiting<Order>): Promise<void> {
    try {
      const order = await one.prepare()
      worker ??= start()
      worker.ref()
      worker.postMessage(order, [])
    } catch (error) {
      finish(({ reject }) => reject(error))
    }
  }

  function finish(settle: (one: Waiting<Order>) => void): void {
    const done = busy
    busy = undefined
    if (done) settle(done)
    next()
  }

  function start(): Worker {
    const started = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } })
    started.on('message', (answer: ThreadAnswer) => {
      // An idle thread keeps no process alive.
      started.unref()
      finish(({ resolve, reject }) => {
        if ('data' in answer) resolve(answer.data)
        else reject(new Error(answer.fault))
      })
    })
    started.on('error', (error) => {
      if (worker === started) worker = undefined
      finish(({ reject }) => reject(new Error(String(error))))
    })
    started.on('exit', () => {
      if (worker !== started) return
      worker = undefined
      finish(({ reject }) => reject(new Error('the thread has ended')))
    })
    return started
  }

  return (prepare: () => Promise<Order>): Promise<Uint8Array> => {
    if (queue.length >= waitingAtMost) throw refuse('too_many_requests', { retryAfter: 10 })
    return new Promise((resolve, reject) => {
      queue.push({ prepare, resolve, reject })
      next()
    })
  }
}
