import type { FastifyBaseLogger, FastifyRequest } from 'fastify'

/** The address without what would let its reader in: links of invitations, of the first set-up and to videos. */
function masked(url: string): string {
  return url
    .replace(/(\/auth\/invitations\/)[^/?#]+/i, '$1***')
    .replaceAll(/([?&](?:invite|setup|d)=)[^&#]*/gi, '$1***')
}

/** A logger that writes requests down without the secrets in their addresses. */
export function withoutSecrets(logger: FastifyBaseLogger): FastifyBaseLogger {
  const req = ({ method, url, host, ip }: FastifyRequest) => ({
    method,
    url: masked(url),
    host,
    remoteAddress: ip,
  })
  return logger.child({}, { serializers: { req } })
}
