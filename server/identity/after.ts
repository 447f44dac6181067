import type { FastifyInstance, FastifyReply } from 'fastify'

export type AfterAnswer = (reply: FastifyReply, work: () => Promise<unknown>) => void

/**
 * Runs work once the answer is out, so that its time tells nothing. A failure is logged; closing the application waits for
 * what is under way.
 */
export function afterAnswers(app: FastifyInstance): AfterAnswer {
  const running = new Set<Promise<unknown>>()
  app.addHook('onClose', async () => {
    await Promise.all(running)
  })
  return (reply, work) => {
    let begun = false
    const begin = (): void => {
      if (begun) return
      begun = true
      const done = work()
        .catch((error: unknown) => reply.log.error({ err: error }, 'work after the answer failed'))
        .finally(() => running.delete(done))
      running.add(done)
    }
    reply.raw.once('finish', begin)
    reply.raw.once('close', begin)
  }
}
