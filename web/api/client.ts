import type { Body, EndpointDefinition, Params, Query, Reply } from '#contract/endpoint.ts'
import { addressOf, type Addressed } from '#contract/platform/calling.ts'
import type { CodedProblem } from '#contract/platform/problem-details.ts'
import { ApiError } from './errors.ts'
import { takeFirst, type Answer } from './first.ts'
import { mayRepeat } from './retry.ts'
import { heartbeat, sessionEnd } from './heartbeat.ts'
import { session } from './session.ts'

/** Milliseconds until a call is given up. */
const patience = 15_000
const filePatience = 600_000

type RequiredInput<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : { [K in Name]: T }
type Optional<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : { [K in Name]?: Partial<T> }

/** What identifies an answer: the parts of a query key. */
export type Address<E extends EndpointDefinition> = RequiredInput<'params', Params<E>> &
  Optional<'query', Query<E>>

export type Options = {
  signal?: AbortSignal
  /** The same key makes a repeated POST safe. */
  idempotencyKey?: string
  /** The resource as it was received: refused with `precondition_failed` when it has changed since. */
  ifMatch?: object
  /** Token of a running flow of the authentication pages. */
  flowToken?: string | null | undefined
  /** Milliseconds, where less or more patience is asked for. */
  timeout?: number
  /** Of a body that is a file and no JSON. */
  bodyType?: string
}

export type Input<E extends EndpointDefinition> = Address<E> & RequiredInput<'body', Body<E>> & Options

/** What `call` looks at inside; the types of callers are narrower. */
type Loose = Options & Addressed & { body?: unknown }

/** Where an endpoint is, without the schemas of what it takes and answers. */
type Where<E extends EndpointDefinition> = Pick<E, 'method' | 'path'>

/**
 * Calls an endpoint of the contract. Throws `ApiError`, or the abort reason when `signal` fires. A page that must stay light, as
 * those before signing in, names the type and says where the endpoint is, so that it fetches no schema; the compiler holds both together.
 */
export async function call<E extends EndpointDefinition>(
  endpoint: E | Where<E>,
  input: Input<E>,
): Promise<Reply<E>> {
  const loose: Loose = input
  const headers = new Headers({ accept: 'application/json' })
  if (loose.body !== undefined) headers.set('content-type', loose.bodyType ?? 'application/json')
  if (loose.idempotencyKey) headers.set('idempotency-key', loose.idempotencyKey)
  if (loose.flowToken) headers.set('x-auth-flow', loose.flowToken)
  const etag = loose.ifMatch && etags.get(loose.ifMatch)
  if (etag) headers.set('if-match', etag)
  const request = {
    method: endpoint.method,
    headers,
    ...(loose.body === undefined
      ? {}
      : { body: loose.bodyType ? (loose.body as Uint8Array<ArrayBuffer>) : JSON.stringify(loose.body) }),
  }
  const answer = await persist(addressOf(endpoint, loose), request, loose)
  // The server checks every reply against the contract before it leaves.
  return answer as Reply<E>
}

/** Fetches the file of an endpoint whose reply is one. */
export async function fetchFile<E extends EndpointDefinition>(endpoint: E, input: Input<E>): Promise<File> {
  const { body, ...address }: Loose = input
  const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' })
  const request = {
    method: endpoint.method,
    headers,
    isFile: true,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  return (await persist(addressOf(endpoint, address), request, { timeout: filePatience })) as File
}

/** Follows `next` of a list answer. Only relative addresses below `/api/` are followed. */
export async function follow<E extends EndpointDefinition>(
  _list: E,
  next: string,
  options: Options = {},
): Promise<Reply<E>> {
  if (!/^\/api\/[^\\]*$/.test(next)) throw new ApiError('unparseable')
  // A page that follows has the shape of the page before it.
  return (await persist(next, { method: 'GET', headers: new Headers() }, options)) as Reply<E>
}

function limits({ signal, timeout = patience }: Options): Limits {
  const clock = AbortSignal.timeout(timeout)
  return { signal: signal ? AbortSignal.any([signal, clock]) : clock }
}

/** Called as the server calls it. */
async function fileOf(response: Response): Promise<File> {
  const [, name = 'file'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  return new File([await response.blob()], name)
}

type Request = { method: string; headers: Headers; body?: string | Uint8Array<ArrayBuffer>; isFile?: boolean }

/** Once more where the first refusal can be overcome: by a proof of who is there, or because the token was just renewed. */
async function persist(address: string, request: Request, options: Options): Promise<unknown> {
  const token = session.read().token
  try {
    return await send(address, request, limits(options))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const isRenewed = error.status === 401 && token !== null && ![null, token].includes(session.read().token)
    if (!isRenewed && !(await mayRepeat(error))) throw error
    return send(address, request, limits(options))
  }
}

type Limits = { signal: AbortSignal }

async function send(address: string, request: Request, { signal }: Limits): Promise<unknown> {
  const token = session.read().token
  if (token) request.headers.set('authorization', `Bearer ${token}`)
  if (heartbeat.isIdle()) request.headers.set('x-idle', '1')
  else request.headers.delete('x-idle')
  try {
    const first = request.method === 'GET' && (await takeFirst(address, token, signal))
    if (first) return understand(first, token)
    const response = await fetch(address, { ...request, signal })
    sessionEnd.heard(response.headers.get('x-session-expires'))
    if (request.isFile && response.ok) return await fileOf(response)
    const body = parse(response, await response.text())
    return understand({ status: response.status, etag: response.headers.get('etag'), body }, token)
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new ApiError('timeout', { cause: error })
    if (signal.aborted) throw error
    throw new ApiError('network', { cause: error })
  }
}

function understand({ status, etag, body }: Answer, token: string | null): unknown {
  if (status < 300) {
    if (etag && typeof body === 'object' && body !== null) etags.set(body, etag)
    return body
  }
  const problem = isProblem(body) ? body : undefined
  if (!problem) throw new ApiError('unparseable', { status })
  if (problem.code === 'unauthenticated' && token !== null) session.expire(token)
  throw new ApiError('problem', { status, problem })
}

function parse(response: Response, text: string): unknown {
  if (response.status === 204 || text === '') return {}
  if (!/[/+]json/.test(response.headers.get('content-type') ?? ''))
    throw new ApiError('unparseable', { status: response.status })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError('unparseable', { status: response.status, cause: error })
  }
}

function isProblem(body: unknown): body is CodedProblem {
  return typeof body === 'object' && body !== null && 'code' in body
}

const etags = new WeakMap<object, string>()

/** Carries the version of a resource over to an equal copy of it. */
export function keepVersion<T>(from: unknown, to: T): T {
  const etag = typeof from === 'object' && from !== null ? etags.get(from) : undefined
  if (etag && typeof to === 'object' && to !== null) etags.set(to, etag)
  return to
}

/** Where the next page of a list begins; undefined: this is the last one. */
export function afterIn(next: string | null): string | undefined {
  return new URLSearchParams(next?.split('?')[1]).get('after') ?? undefined
}
