import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { addressOf } from './address.ts'
import type { Caller } from './bearer.ts'

/** The address without what would let its reader in: links of invitations, of the first set-up, to videos and to their files. */
function masked(url: string): string {
  return url
    .replace(/(\/auth\/invitations\/)[^/?#]+/i, '$1***')
    .replace(/^(\/m\/)[^/?#]+/, '$1***')
    .replaceAll(/([?&](?:invite|setup|d)=)[^&#]*/gi, '$1***')
}

/** A logger that writes requests down without the secrets in their addresses. */
export function withoutSecrets(logger: FastifyBaseLogger): FastifyBaseLogger {
  const req = (request: FastifyRequest) => ({
    method: request.method,
    url: masked(request.url),
    host: request.host,
    remoteAddress: addressOf(request),
  })
  return logger.child({}, { serializers: { req } })
}

/** From here on the log of this request names who sends it: for a superadmin who views as somebody, the superadmin. */
export function logAs(request: FastifyRequest, { userId, viewer }: Pick<Caller, 'userId' | 'viewer'>): void {
  request.log = request.log.child({ userId: viewer?.id ?? userId })
}
