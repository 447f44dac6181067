import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { stdSerializers } from 'pino'
import { api } from '#contract/api.ts'
import { saidOf, withoutQuoted } from '../errors.ts'
import { addressOf } from './address.ts'
import type { Caller } from './bearer.ts'

/** Calls that a secret in the address opens, and what the names of such secrets are. */
const opened = api.filter(({ access }) => access.kind === 'capability')
const inPath = opened
  .filter(({ path }) => path.includes('/:token'))
  .map(({ path }) => new RegExp(`^(/api${path.replace(/\/:token.*/, '/')})[^/?#]+`, 'i'))
const inQuery = new Set(
  opened.flatMap(({ query }) => (query && 'shape' in query ? Object.keys(query.shape as object) : [])),
)

/**
 * The address without what would let its reader in. Of pages no value is written at all: links to videos, previews, invitations
 * and the first set-up have theirs there, and one may lie within another, as the place to come back to.
 */
function masked(url: string): string {
  const [path = '', query] = url.split(/\?(.*)/s)
  const shown = [...inPath, /^(\/m\/)[^/?#]+/].reduce((text, secret) => text.replace(secret, '$1***'), path)
  if (query === undefined) return shown
  const isApi = path.startsWith('/api/')
  const values = query.replaceAll(/([^&=]+)=[^&]*/g, (pair, name: string) =>
    isApi && !inQuery.has(decoded(name)) ? pair : `${name}=***`,
  )
  return `${shown}?${values}`
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A logger that writes requests down without the secrets in their addresses. */
export function withoutSecrets(logger: FastifyBaseLogger): FastifyBaseLogger {
  const req = (request: FastifyRequest) => ({
    method: request.method,
    url: masked(request.url),
    host: request.host,
    remoteAddress: addressOf(request),
  })
  return logger.child({}, { serializers: { req, err: withoutValues } })
}

/** From here on the log of this request names who sends it: for a superadmin who views as somebody, the superadmin; a key and its owner. */
export function logAs(
  request: FastifyRequest,
  { userId, viewer, key }: Pick<Caller, 'userId' | 'viewer' | 'key'>,
): void {
  request.log = request.log.child({ userId: viewer?.id ?? userId, ...(key ? { keyId: key.id } : {}) })
}

/** Where the database and its driver put what a statement was about: names, addresses, hashes. */
const valued = new Set(['params', 'detail', 'where', 'internalQuery'])

/** What is written of an error: which statement failed and what the database said of it, and never with which values. */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { stack, ...rest } = stdSerializers.err(error)
  const loggable = Object.entries(rest).filter(([name]) => !valued.has(name))
  const lines = stack
    .split('\n')
    .map((line) => (/^(caused by: )?error: /.test(line) ? withoutQuoted(line) : line))
  return { ...Object.fromEntries(loggable), message: saidOf(error), stack: lines.join('\n') }
}
