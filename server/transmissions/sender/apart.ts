import type { FastifyBaseLogger } from 'fastify'

type Told = {
  most: number
  log: Pick<FastifyBaseLogger, 'error'>
  /** Called after work that did something. */
  after: () => void
}

/** Work that waits for the machines of others, each beside the rest: who does not answer holds up nobody else. */
export function openApart({ most, log, after }: Told) {
  const running = new Map<string, Promise<void>>()

  async function run(name: string, work: () => Promise<boolean>): Promise<void> {
    try {
      if (await work()) after()
    } catch (error) {
      log.error({ err: error, organization: name }, 'a step of sending failed')
    } finally {
      running.delete(name)
    }
  }

  return {
    /** One at a time of a name. False: there is one already, or too many are under way. */
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
