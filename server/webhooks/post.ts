import type { WebhookResult } from '#contract/transmissions/webhooks.ts'
import { cut } from '#contract/platform/text/text.ts'
import { fetchFrom } from '../platform/fetch.ts'
import type { ReachEnv } from '../platform/reach.ts'
import { signedHeaders } from './signature.ts'

export type Target = { url: string; secrets: readonly string[] }
type Message = { id: string; body: string }
/**
 * `isHanded`: all of it may have left; without a status nobody knows whether it was taken. `restSeconds`: for how long it asks to be
 * left alone.
 */
export type Answer = {
  result: WebhookResult
  status: number | null
  text: string
  isHanded: boolean
  restSeconds?: number
}

/** Of an answer, whatever comes. */
const mostRead = 4_096
const mostKept = 300
const answerMs = 10_000

const trying = new Set([408, 425, 429])

function resultOf(status: number): WebhookResult {
  if (status >= 200 && status < 300) return 'accepted'
  if (status < 400) return 'redirected'
  return status >= 500 || trying.has(status) ? 'failing' : 'refused'
}

/** Seconds of a header `Retry-After`, which names them or an instant (RFC 9110, 10.2.3); 0 where it says nothing. */
function secondsIn(header = ''): number {
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0
}

/**
 * Hands one message over: no proxy, no redirect, no second try. `mayLeave` is asked (and must have committed) once the line stands and
 * before the first byte, and never fails; undefined: it said no.
 */
export async function post(
  env: ReachEnv,
  { url, secrets, id, body }: Target & Message,
  mayLeave: () => Promise<boolean>,
): Promise<Answer | undefined> {
  if (secrets.length === 0) return { result: 'secret_lost', status: null, text: '', isHanded: false }
  const headers = {
    ...signedHeaders(secrets, { id, body, at: new Date() }),
    'content-type': 'application/json; charset=utf-8',
    'idempotency-key': id,
  }
  const outgoing = { url, method: 'POST', headers, body, mostBytes: mostRead, answerMs } as const
  const found = await fetchFrom(env, outgoing, mayLeave)
  if ('fault' in found) {
    const { fault, isHanded } = found
    return fault === 'withheld' ? undefined : { result: fault, status: null, text: '', isHanded }
  }
  const restSeconds = secondsIn(found.headers['retry-after'])
  return {
    result: resultOf(found.status),
    status: found.status,
    text: shown(found.body),
    isHanded: true,
    restSeconds,
  }
}

/** The beginning of an answer, in one line. */
function shown(body: Buffer): string {
  const text = body.toString('utf8')
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), mostKept)
}
