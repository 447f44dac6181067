import type { FastifyInstance, FastifyRequest } from 'fastify'
import { onBehalfOf, presentOrigin, rememberRequests } from './origin.ts'
import type { Described, Tracing } from './otlp.ts'

/** Undefined while nobody wants traces: then nothing of them is loaded, and `spanned` is its work alone. */
let tracing: Tracing | undefined

/** From here on traces are written to where the standard variables of OpenTelemetry say. Ends with what is still to be sent. */
export async function beginTracing(): Promise<{ stop(): Promise<void> }> {
  const { openTracing } = await import('./otlp.ts')
  tracing = openTracing()
  return tracing
}

/** Does the work as a part of the present trace; what belongs to none is not written. */
export async function spanned<T>(name: string, described: Described, work: () => Promise<T>): Promise<T> {
  const origin = presentOrigin()
  if (tracing === undefined || origin.trace === undefined) return work()
  const span = tracing.begin(name, described, origin.trace)
  try {
    return await onBehalfOf({ ...origin, trace: span.trace }, work)
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

const transaction: Described = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } }
export const inTransaction = <T>(work: () => Promise<T>): Promise<T> =>
  spanned('transaction', transaction, work)

/** Of the present, as it travels with a job beside its ids. */
export type Carried = { requestId?: string; traceparent?: string }

export function carriedOrigin(): Carried | undefined {
  const { requestId, trace } = presentOrigin()
  const traceparent = trace === undefined ? undefined : tracing?.carried(trace)
  if (requestId === undefined && traceparent === undefined) return undefined
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}

/** Goes on in a job with what began it. */
export function continued<T>(
  queue: string,
  { requestId, traceparent }: Carried,
  work: () => Promise<T>,
): Promise<T> {
  const trace = tracing?.continued(traceparent)
  const origin = { queue, ...(requestId === undefined ? {} : { requestId }), trace }
  return onBehalfOf(origin, () => spanned(`process ${queue}`, { kind: 'consumer' }, work))
}

/** By the pattern of its address; files and pages are not followed, nor is who only looks whether the server lives. */
function routeOf({ routeOptions: { url } }: FastifyRequest): string | undefined {
  const isFollowed = url !== undefined && /^\/(api|w|m)\//.test(url) && url !== '/api/health'
  return isFollowed ? url : undefined
}

/** Every request is the beginning of a trace. */
export function followRequests(app: FastifyInstance): void {
  const open = new WeakMap<FastifyRequest, ReturnType<Tracing['begin']>>()
  rememberRequests(app, (request) => {
    const route = routeOf(request)
    if (tracing === undefined || route === undefined) return {}
    const attributes = { 'http.request.method': request.method, 'http.route': route }
    const span = tracing.begin(`${request.method} ${route}`, { kind: 'server', attributes }, undefined)
    open.set(request, span)
    return { trace: span.trace }
  })
  app.addHook('onResponse', (request, reply, done) => {
    open.get(request)?.end({ 'http.response.status_code': reply.statusCode })
    done()
  })
}
