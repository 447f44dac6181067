import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressOf } from '../platform/http/address.ts'
import type { Services } from '../platform/http/services.ts'
import { returnTry, takeTry, tokenLimits } from './limit.ts'

/** Calls that are opened by a secret alone. */
const opened = new Set([
  '/api/authorizations/verify-auth-code',
  '/api/authorizations/verify-token',
  '/api/authorizations/reset-password',
  '/api/auth/email',
  '/api/setup',
])

/**
 * Tokens have 256 bits and cannot be guessed; this bounds what trying costs. A network may present sixty in ten minutes that
 * are not good. Each is counted before it is looked at, and given back when it was good.
 */
export function boundGuesses(app: FastifyInstance, { db, keys }: Services): void {
  // A request that was refused before it was counted, such as one that cannot be read, gives nothing back.
  const counted = new WeakSet<FastifyRequest>()
  app.addHook('preHandler', async (request) => {
    if (request.method !== 'POST' || !opened.has(request.routeOptions.url ?? '')) return
    await db.as('system', (tx) => takeTry(tx, tokenLimits(keys, addressOf(request))))
    counted.add(request)
  })
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode === 410 || !counted.delete(request)) return
    await db.as('system', (tx) => returnTry(tx, tokenLimits(keys, addressOf(request))))
  })
}
