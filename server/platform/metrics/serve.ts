import { timingSafeEqual } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { refuse } from '../errors.ts'
import { faultsOf } from '../http/faults.ts'
import { sha256 } from '../keys.ts'
import { figuresOf, type Measuring } from './figures.ts'
import { beginMeasuring, contentType, measuredText, requests, requestSeconds } from './registry.ts'

/** `GET /metrics` beside the API, for whoever has the token; without a token in the configuration there is no such address. */
export function metricsRoutes(app: FastifyInstance, measuring: Measuring): void {
  const token = measuring.env.metricsToken
  if (token !== undefined || measuring.env.metricsPort !== undefined) measureRequests(app)
  if (token === undefined) {
    app.get('/metrics', (_request, reply) => reply.callNotFound())
    return
  }
  serveOn(app, { measuring, token })
}

/** For a process without an API, or beside it: an address of its own. */
export async function serveMetrics(measuring: Measuring): Promise<FastifyInstance> {
  const app = Fastify()
  app.setErrorHandler(faultsOf(measuring.env))
  serveOn(app, { measuring, token: measuring.env.metricsToken })
  const { metricsHost: host, metricsPort: port } = measuring.env
  await app.listen({ host, ...(port === undefined ? {} : { port }) })
  return app
}

type Served = { measuring: Measuring; token: string | undefined }

function serveOn(app: FastifyInstance, { measuring, token }: Served): void {
  beginMeasuring('server')
  const bringUpToDate = figuresOf(measuring)
  // The log need not say every few seconds that somebody looks.
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (token === undefined) requireOwnHost(request)
    else if (!shows(request, token)) throw refuse('unauthenticated')
    await bringUpToDate()
    return reply
      .header('cache-control', 'no-store')
      .type(contentType)
      .send(await measuredText())
  })
}

const ownHosts = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Without a token this machine alone may ask. A page in a browser here could have its own name lead here, and would then name itself;
 * no page can show a token that it does not have.
 */
function requireOwnHost({ hostname }: FastifyRequest): void {
  if (!ownHosts.has(hostname.toLowerCase())) throw refuse('forbidden', { reason: { code: 'metrics_host' } })
}

function shows({ headers }: FastifyRequest, token: string): boolean {
  const [, shown = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  return timingSafeEqual(sha256(shown), sha256(token))
}

/** By the pattern of its address, never by an id; files and pages of the web app are one. */
function routeOf({ routeOptions: { url } }: FastifyRequest): string {
  return url !== undefined && /^\/(api|w|m)\//.test(url) ? url : 'web'
}

function measureRequests(app: FastifyInstance): void {
  // Looking a child up by its labels costs more than counting does.
  const known = new Map<string, { count(): void; observe(seconds: number): void }>()
  const childOf = (route: string, method: string, status: string) => {
    const labels = { route, method, status }
    const [counter, histogram] = [requests.labels(labels), requestSeconds.labels(labels)]
    return { count: () => counter.inc(), observe: (seconds: number) => histogram.observe(seconds) }
  }
  app.addHook('onResponse', (request, reply, done) => {
    const [route, status] = [routeOf(request), `${Math.floor(reply.statusCode / 100)}xx`]
    const name = `${request.method} ${route} ${status}`
    const child = known.get(name) ?? childOf(route, request.method, status)
    known.set(name, child)
    child.count()
    child.observe(reply.elapsedTime / 1_000)
    done()
  })
}
