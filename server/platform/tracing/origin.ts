import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** On whose behalf something is done: of which request, and in the job of which queue. */
type Origin = {
  requestId?: string
  queue?: string
  /** Where the next span belongs, while traces are written. */
  trace?: unknown
}

const present = new AsyncLocalStorage<Origin>()

export const presentOrigin = (): Origin => present.getStore() ?? {}

/** Whatever `work` does, however much later, is done on behalf of this. */
export function onBehalfOf<T>(origin: Origin, work: () => T): T {
  return present.run(origin, work)
}

/** Gives every request its origin, and its name into the answer. `begin` may add to the origin. */
export function rememberRequests(
  app: FastifyInstance,
  begin: (request: FastifyRequest) => Partial<Origin>,
): void {
  const known = new WeakMap<FastifyRequest, Origin>()
  app.addHook('onRequest', (request, { raw }, done) => {
    raw.setHeader('x-request-id', request.id)
    const origin = { requestId: request.id, ...begin(request) }
    known.set(request, origin)
    onBehalfOf(origin, done)
  })
  // A body arrives by events of its connection, which know nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => onBehalfOf(known.get(request) ?? {}, done))
}

/** For a log: names the request and the queue in every line that has not done so itself. */
export function namesOfOrigin(_line: object, _level: number, log: Logger): object {
  const { requestId, queue } = presentOrigin()
  if (requestId === undefined && queue === undefined) return {}
  const isNamed = requestId === undefined || 'reqId' in log.bindings()
  return { ...(isNamed ? {} : { reqId: requestId }), ...(queue === undefined ? {} : { queue }) }
}
