import type { FastifyBaseLogger } from 'fastify'
import { failuresIn } from './failures.ts'

type WorkerOptions = {
  most: number
  log: Pick<FastifyBaseLogger, 'error'>
  /** What the log says of a piece that failed. */
  failure: string
  /** It is called after work that did something. */
  after: () => void
}

/**
 * Does work that waits for the machines of others, each piece beside the rest, so that somebody who does not answer holds up nobody else.
 */
export function openIsolated({ most, log, failure, after }: WorkerOptions) {
  const running = new Map<string, Promise<void>>()

  async function run(name: string, work: () => Promise<boolean>): Promise<void> {
    try {
      if (await work()) after()
    } catch (error) {
      for (const one of failuresIn(error)) log.error({ err: one, name }, failure)
    } finally {
      running.delete(name)
    }
  }

  return {
    /** Begins work of a name, one at a time. Returns false when there is one already, or when too many are under way. */
    begin(name: string, work: () => Promise<boolean>): boolean {
      if (running.has(name) || running.size >= most) return false
      running.set(name, run(name, work))
      return true
    },
    async settled(): Promise<void> {
      await Promise.all(running.values())
    },
  }
}
