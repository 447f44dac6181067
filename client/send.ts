import { addressOf, type Addressed } from '../contract/platform/calling.ts'

export type Options = {
  /** The address of the installation, such as https://training.example.com. */
  url: string
  /** A key of a service account, or the token of a session. */
  key: string
  /** How often a call is repeated that may be repeated; 3 when left out. */
  retries?: number
  /** Milliseconds until one attempt is given up; 60,000 when left out. */
  timeout?: number
  /** What sends; the one of the platform when left out. */
  fetch?: typeof fetch
}

/** A call as the contract describes it. */
export type Call = {
  method: string
  path: string
  /** It takes an `Idempotency-Key`, and gets one of its own where none is given. */
  isIdempotent?: boolean
  /** Its answer is a file. */
  isFile?: boolean
}

export type Input = Addressed & {
  body?: unknown
  /** What was read earlier by this client: refused with 412 when it has changed since. */
  ifMatch?: object
  idempotencyKey?: string
  /** Further headers, for what else a call reads. */
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** What the server says of a refusal: `application/problem+json`. */
export type Refusal = {
  code: string
  status: number
  title: string
  detail?: string
  fields?: Record<string, string[]>
  requestId?: string
}

/** A call that did not succeed. `status` and `refusal` are missing where no answer came, or one that is not from the server. */
export class SendreelError extends Error {
  readonly status: number | undefined
  readonly refusal: Refusal | undefined

  constructor(message: string, more: { status?: number; refusal?: Refusal; cause?: unknown } = {}) {
    super(message, { cause: more.cause })
    this.name = 'SendreelError'
    this.status = more.status
    this.refusal = more.refusal
  }

  /** The code of the refusal, from the closed list of the API. */
  get code(): string | undefined {
    return this.refusal?.code
  }
}

const mayPass = new Set([408, 429, 502, 503, 504])
const versions = new WeakMap<object, string>()

/** Sends calls of the contract. Throws `SendreelError`, or the reason of the caller's own signal. */
export function sender({ url, key, retries = 3, timeout = 60_000, fetch: given }: Options) {
  const origin = url.replace(/\/+$/, '')
  const ask = given ?? fetch

  async function once(call: Call, input: Input, headers: Headers): Promise<unknown> {
    const clock = AbortSignal.timeout(timeout)
    const answer = await ask(`${origin}${addressOf(call, input)}`, {
      method: call.method,
      headers,
      signal: input.signal ? AbortSignal.any([input.signal, clock]) : clock,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    })
    if (answer.ok && call.isFile) return answer.blob()
    const text = await answer.text()
    if (!answer.ok) throw refused(answer, text)
    return keptVersion(parsed(answer, text), answer.headers.get('etag'))
  }

  return async (call: Call, input: Input = {}): Promise<unknown> => {
    const headers = headersOf(call, input, key)
    const mayRepeat = call.method !== 'POST' || headers.has('idempotency-key')
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await once(call, input, headers)
      } catch (error) {
        input.signal?.throwIfAborted()
        const failure =
          error instanceof SendreelError
            ? error
            : new SendreelError('The server cannot be reached.', { cause: error })
        if (!mayRepeat || attempt >= retries || !isPassing(failure)) throw failure
        await pause(waitOf(failure, attempt), input.signal)
      }
    }
  }
}

function headersOf({ isIdempotent }: Call, input: Input, key: string): Headers {
  const headers = new Headers({
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    ...input.headers,
  })
  if (input.body !== undefined) headers.set('content-type', 'application/json')
  const repeated = input.idempotencyKey ?? (isIdempotent ? crypto.randomUUID() : undefined)
  if (repeated !== undefined) headers.set('idempotency-key', repeated)
  const version = input.ifMatch && versions.get(input.ifMatch)
  if (version !== undefined) headers.set('if-match', version)
  return headers
}

function parsed({ status }: Response, text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SendreelError('The answer could not be read.', { status, cause: error })
  }
}

function keptVersion(body: unknown, etag: string | null): unknown {
  if (etag !== null && typeof body === 'object' && body !== null) versions.set(body, etag)
  return body
}

const waits = new WeakMap<SendreelError, number>()

function refused({ status, headers }: Response, text: string): SendreelError {
  const refusal = refusalIn(text)
  const said = refusal ? ` ${refusal.code}: ${refusal.detail ?? refusal.title}` : ''
  const error = new SendreelError(`${status}${said}`, { status, ...(refusal ? { refusal } : {}) })
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  if (Number.isFinite(seconds)) waits.set(error, seconds * 1_000)
  return error
}

function refusalIn(text: string): Refusal | undefined {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null && 'code' in found ? (found as Refusal) : undefined
  } catch {
    return undefined
  }
}

/** Whether the same call may succeed a moment later. */
function isPassing({ status, code }: SendreelError): boolean {
  return status === undefined || mayPass.has(status) || code === 'in_progress'
}

/** As the server says; else half a second, twice that, and so on. */
const waitOf = (error: SendreelError, attempt: number) => waits.get(error) ?? 500 * 2 ** attempt

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}

type ListInput = { query?: { after?: string; limit?: number } }
type List<Item> = { items: Item[]; next: string | null }

/** The items of a list one after the other, however many pages it has: `for await (const user of each(api.listUsers, { params }))`. */
export async function* each<Asked extends ListInput, Item>(
  list: (input: Asked) => Promise<List<Item>>,
  input: Asked,
): AsyncGenerator<Item> {
  for (let after: string | undefined; ;) {
    const query = { limit: 100, ...input.query, ...(after === undefined ? {} : { after }) }
    const { items, next } = await list({ ...input, query })
    yield* items
    if (next === null) return
    after = new URLSearchParams(next.split('?')[1]).get('after') ?? undefined
    if (after === undefined) return
  }
}

/** A method for each call. */
export function methods(calls: Record<string, Call>, options: Options) {
  const send = sender(options)
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, (input?: Input) => send(call, input)]),
  )
}
