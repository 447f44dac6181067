import type { ReachFault } from '#contract/platform/reach.ts'
import { fetchFrom } from '../../platform/fetch.ts'
import type { ReachEnv } from '../../platform/reach.ts'

const mostBytes = 500_000
const answerMs = 10_000

/** What is asked: of `fetch` only this is used here. */
type Asked = {
  method?: string | undefined
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
}

/** The provider could not be asked, for this reason. */
export type Unreached = Error & { reach: ReachFault | 'withheld' | 'too_large' }

const unreached = (reach: Unreached['reach']): Unreached =>
  Object.assign(new Error('the provider could not be asked'), { reach })

/** A provider is asked by nothing but the guarded request: https, an address of the internet or a listed one, and no redirect. */
export const askingBy =
  (env: ReachEnv) =>
  async (url: string, { method, headers, body }: Asked = {}): Promise<Response> => {
    const found = await fetchFrom(env, {
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined || body === null ? {} : { body: textOf(body) }),
      mostBytes,
      answerMs,
    })
    if ('fault' in found) throw unreached(found.fault)
    if (!found.isWhole) throw unreached(found.body.length >= mostBytes ? 'too_large' : 'broken_off')
    const { status } = found
    if (status < 200 || status > 599) throw unreached('broken_off')
    const kept = Object.entries(found.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    )
    const isEmpty = status === 204 || status === 205 || status === 304
    return new Response(isEmpty ? null : new Uint8Array(found.body), { status, headers: kept })
  }

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new Error('a provider is sent forms alone')
}

/** Why the provider could not be asked, however deep it lies within an error; undefined for any other error. */
export function reachOf(error: unknown): Unreached['reach'] | undefined {
  for (let one = error; one instanceof Error; one = one.cause)
    if ('reach' in one) return (one as Unreached).reach
  return undefined
}
