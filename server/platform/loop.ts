import type { FastifyBaseLogger } from 'fastify'
import { failuresIn } from './failures.ts'

/** A wait that can be ended early; a wake while nobody waits is kept for the next one. */
export type Pause = { wake: () => void; wait: (ms: number) => Promise<void> }

export function openPause(): Pause {
  let isWoken = false
  let end: (() => void) | undefined
  return {
    wake() {
      isWoken = true
      end?.()
    },
    async wait(ms) {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isWoken = false
      end = undefined
    },
  }
}

/** Work that goes on in the background: one turn after another, with a pause after each. */
export type Loop = {
  /** The next turn begins at once, or as soon as the present one has ended. */
  wake: () => void
  /** There are no further turns; resolves when the one under way has ended. */
  stop: () => Promise<void>
}

type Failing = {
  log: Pick<FastifyBaseLogger, 'error'>
  /** What the log says of a turn that failed, which is tried again. */
  failure: string
}

const afterFailureMs = 1_000

/** Begins at once. A turn gives the milliseconds until the next one, and is told when it should come to an end. */
export function startLoop({ log, failure }: Failing, turn: (stopping: AbortSignal) => Promise<number>): Loop {
  const stopping = new AbortController()
  const pause = openPause()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const pauseMs = await turn(stopping.signal).catch((error: unknown) => {
        for (const one of failuresIn(error)) log.error({ err: one }, failure)
        return afterFailureMs
      })
      await pause.wait(pauseMs)
    }
  }

  const running = run()
  return {
    wake: pause.wake,
    stop() {
      stopping.abort()
      pause.wake()
      return running
    },
  }
}
