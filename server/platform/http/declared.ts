import type { FastifyRequest } from 'fastify'
import { requestHeaders, type HeaderField } from '#contract/platform/headers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The headers of the contract that it reads. */
    headers?: readonly HeaderField[]
  }
}

/** A header of the contract as it was sent. To read one that the endpoint does not declare is a mistake of ours. */
export function headerOf(request: FastifyRequest, field: HeaderField): string | undefined {
  const { name } = requestHeaders[field]
  const { endpoint, headers } = request.routeOptions.config
  if (!headers?.includes(field)) throw new Error(`${endpoint} reads ${name} and does not declare it`)
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}
