import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ProblemCode } from '#contract/problems.ts'
import { refuse } from '../errors.ts'
import { addressOf } from './address.ts'
import { ipPrefix } from './audit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its name in the contract. */
    endpoint?: string
    /** Its body may take for ever, and whoever reads it notices by itself when nothing comes any more. */
    endlessBody?: true
  }
}

export const bodyLimits = {
  /** A body that is not whole by then is slow. */
  slowAfterMs: 2_000,
  /** Slow ones that a network may have at once. Any number of quick ones comes beside them. */
  slowPerNetwork: 100,
  /** Every body has so long, and longer by what its largest size takes on a slow line. */
  patienceMs: 30_000,
  bytesPerSecond: 32_768,
  /** For a body that nobody reads any more, because the answer has been given. */
  afterAnswerMs: 5_000,
}

/**
 * Half a body holds memory and a connection until the other half comes. This ends the wait, and keeps one network from holding
 * many at once; only slow ones are counted, so that a whole company behind one address is refused nothing.
 */
export function boundBodies(app: FastifyInstance, limits = bodyLimits): void {
  const slow = new Map<string, number>()
  const watch = (request: FastifyRequest, reply: FastifyReply) => {
    const { bodyLimit } = request.routeOptions
    const late = setTimeout(() => {
      const network = ipPrefix(addressOf(request))
      const others = slow.get(network) ?? 0
      if (others >= limits.slowPerNetwork) return giveUp({ request, reply }, 'too_many_requests')
      slow.set(network, others + 1)
      const remainingMs = limits.patienceMs + (bodyLimit / limits.bytesPerSecond) * 1_000 - limits.slowAfterMs
      const end = setTimeout(() => giveUp({ request, reply }, 'timeout'), remainingMs)
      whenOver(request, () => {
        clearTimeout(end)
        const left = (slow.get(network) ?? 1) - 1
        if (left === 0) slow.delete(network)
        else slow.set(network, left)
      })
    }, limits.slowAfterMs)
    whenOver(request, () => clearTimeout(late))
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request) && !request.routeOptions.config.endlessBody) watch(request, reply)
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) setTimeout(() => raw.complete || raw.destroy(), limits.afterAnswerMs).unref()
    done()
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Once, when the body has come whole or never will. */
function whenOver({ raw }: FastifyRequest, over: () => void): void {
  let isOver = false
  const once = () => {
    if (!isOver) over()
    isOver = true
  }
  raw.once('end', once)
  raw.once('close', once)
}

function giveUp({ request, reply }: { request: FastifyRequest; reply: FastifyReply }, code: ProblemCode) {
  const { raw } = request
  reply.header('connection', 'close')
  // Whoever reads the body takes this for the end of it, and answers.
  if (raw.listenerCount('error') > 0) raw.emit('error', refuse(code, { retryAfter: 30 }))
  else raw.destroy()
}
